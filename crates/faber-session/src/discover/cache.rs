//! Files that faber keeps for itself, and may lose at any time.
//!
//! A cache is believed only when this user and this program have written it: every file carries a
//! keyed hash whose key lies in the user's own cache folder. So a cache that came with a repository,
//! that was edited or cut short is none, whatever it says. Nor does faber follow a
//! link below a workspace to read, write or remove anything here.

use std::fs::Metadata;
use std::io::{Read, Write};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::discover::mapped;
use crate::discover::snapshot::file_stat::FileStat;
use faber_core::digest_map::Store;

/// What every file begins with; the number changes with the layout of any of them.
const MAGIC: &[u8; 8] = b"faber\0\0\x04";
/// Bytes before the content: the magic and the keyed hash.
const HEAD: usize = 8 + 32;
/// When a folder has more bytes or files than this, the files that were not written for longest
/// are removed until it has half.
const MOST: FolderSize = FolderSize { bytes: 64 * 1024 * 1024, files: 512 };
/// The most bytes of one file: the terms of a hundred thousand contexts.
const LARGEST: u64 = 256 * 1024 * 1024;
/// From how many bytes on it is remembered that a file was found to be sealed.
const LARGE: usize = 256 * 1024;
/// What the file that remembers it is called, behind the name of the large one.
const SEEN: &str = ".seen";
/// What a file is called before it is whole.
pub(super) const UNFINISHED: &str = ".new-";
/// No write takes this long.
const FORGOTTEN: Duration = Duration::from_secs(3600);
/// What keeps the folder out of version control, and out of backups.
const MARKS: [(&str, &str); 2] = [
    (".gitignore", "*\n"),
    (
        "CACHEDIR.TAG",
        "Signature: 8a477f597d28d172789f06886806bc55\n# made by faber; can be removed\n",
    ),
];

/// Size of a folder.
#[derive(Clone, Copy, Debug, Default)]
struct FolderSize {
    bytes: u64,
    files: u64,
}

/// The cache of one workspace.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Where it may lie, best first.
    places: [CacheFolder; 2],
    key: [u8; 32],
}

/// A folder, and where below a folder that is trusted it lies.
#[derive(Clone, Debug)]
struct CacheFolder {
    trusted: Utf8PathBuf,
    below: Utf8PathBuf,
}

impl Cache {
    /// The cache that `program` has of the workspace at `root`: in it, or where that is not possible
    /// in `home`, the user's own cache folder of faber. None when the user has no such folder, for
    /// then nothing tells whose a cache is.
    pub fn open(root: &Utf8Path, home: &Utf8Path, program: &str) -> Option<Self> {
        let secret = secret(&home.join("key"))?;
        let name = blake3::hash(root.as_str().as_bytes()).to_hex()[..32].to_owned();
        let places = [
            CacheFolder { trusted: root.to_owned(), below: ".faber/cache".into() },
            CacheFolder { trusted: home.to_owned(), below: name.into() },
        ];
        Some(Self { places, key: *blake3::keyed_hash(&secret, program.as_bytes()).as_bytes() })
    }

    /// The content of the file `name`, when it is there and this user and program wrote it.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.places.iter().find_map(|place| {
            let mut head = [0; HEAD];
            let content = read_behind(&place.file(name)?, &mut head)?;
            self.has_sealed(name, &head, &content).then_some(content)
        })
    }

    /// As [`Self::read`], for what is large: mapped into memory, where a file that is can be replaced.
    pub fn map(&self, name: &str) -> Option<Bytes> {
        if cfg!(windows) {
            return self.read(name).map(Bytes::from);
        }
        self.places.iter().find_map(|place| {
            let path = place.file(name)?;
            // Before it is read, so that what changes meanwhile has another stat.
            let stat = FileStat::of(&path.symlink_metadata().ok().filter(is_small_enough)?);
            let bytes = mapped::map(&path)?;
            let (head, content) = bytes.split_at_checked(HEAD)?;
            let is_ours = if content.len() < LARGE {
                self.has_sealed(name, head, content)
            } else {
                self.has_seen(name, head, stat) || self.look_at(name, head, content, stat)
            };
            is_ours.then(|| bytes.slice(HEAD..bytes.len()))
        })
    }

    /// Whether a file with this head and stat was found to be sealed before. To hash a large one takes longer
    /// than most uses of it.
    fn has_seen(&self, name: &str, head: &[u8], stat: FileStat) -> bool {
        let seen = self.read(&format!("{name}{SEEN}"));
        seen.is_some_and(|seen| seen == [head, &stat.to_bytes()].concat())
    }

    /// Whether this user and program wrote the file `name`; if so, that is remembered for this stat.
    fn look_at(&self, name: &str, head: &[u8], content: &[u8], stat: FileStat) -> bool {
        let is_ours = self.has_sealed(name, head, content);
        if is_ours && stat.is_settled() {
            self.write(&format!("{name}{SEEN}"), &[head, &stat.to_bytes()].concat());
        }
        is_ours
    }

    /// Whether this user and program wrote the file `name` with this head and content.
    fn has_sealed(&self, name: &str, head: &[u8], content: &[u8]) -> bool {
        head.starts_with(MAGIC) && self.seal(name, content) == head[MAGIC.len()..]
    }

    /// Puts `content` into the file `name`, at once or not at all. That it cannot is no failure.
    pub fn write(&self, name: &str, content: &[u8]) {
        if content.len() as u64 > LARGEST {
            return;
        }
        for place in &self.places {
            if self.try_write(place, name, content).is_ok() {
                return;
            }
        }
    }

    fn try_write(&self, place: &CacheFolder, name: &str, content: &[u8]) -> std::io::Result<()> {
        let refused = || std::io::Error::from(std::io::ErrorKind::NotADirectory);
        let path = place.file(name).ok_or_else(refused)?;
        let folder = path.parent().ok_or_else(refused)?;
        if !folder.is_dir() {
            std::fs::create_dir_all(folder)?;
        }
        place.mark()?;
        put(&path, &[MAGIC, &self.seal(name, content), content])
    }

    /// Removes the file `name`. That it cannot is no failure.
    pub fn forget(&self, name: &str) {
        for path in self.places.iter().filter_map(|place| place.file(name)) {
            let _ = std::fs::remove_file(path);
        }
    }

    /// Whether there is a file `name`, sound or not.
    pub(super) fn has(&self, name: &str) -> bool {
        let mut paths = self.places.iter().filter_map(|place| place.file(name));
        paths.any(|path| path.symlink_metadata().is_ok())
    }

    /// The folders `name` that it may have, best first, whether they are there or not.
    pub(super) fn folders(&self, name: &str) -> Vec<Utf8PathBuf> {
        let folder =
            |place: &CacheFolder| Some(place.file(&format!("{name}/x"))?.parent()?.to_owned());
        self.places.iter().filter_map(folder).collect()
    }

    /// Makes one of the [`Self::folders`], and marks the cache as what it is.
    pub(super) fn prepare(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let refused = || std::io::Error::from(std::io::ErrorKind::NotADirectory);
        let of_place = |place: &&CacheFolder| folder.starts_with(place.trusted.join(&place.below));
        let place = self.places.iter().find(of_place).ok_or_else(refused)?;
        std::fs::create_dir_all(folder)?;
        place.mark()
    }

    /// Removes the oldest files of the folder `name` once they are too many or too large.
    pub fn trim(&self, name: &str) {
        for folder in self.places.iter().filter_map(|place| place.file(name)) {
            let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
            if is_folder {
                trim(&folder);
            }
        }
    }

    /// The keyed hash of a file; its name is part of it, so that no file can pass for another.
    fn seal(&self, name: &str, content: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes()).update(&[0]).update(content);
        *hasher.finalize().as_bytes()
    }
}

impl Store for Cache {
    fn get(&self, name: &str) -> Option<Bytes> {
        self.map(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        self.write(name, bytes);
    }
}

impl CacheFolder {
    /// Says of the cache that it is one.
    fn mark(&self) -> std::io::Result<()> {
        mark(&self.trusted.join(&self.below), &MARKS)
    }

    /// Where the file `name` lies, unless a link among the folders on the way decides that.
    fn file(&self, name: &str) -> Option<Utf8PathBuf> {
        let path = self.below.join(name);
        plain(&self.trusted, path.parent()?)?;
        Some(self.trusted.join(path))
    }
}

/// The folder `below` a folder that is trusted, unless a link on the way decides where that is.
pub(super) fn plain(trusted: &Utf8Path, below: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut folder = trusted.to_owned();
    for part in below.components() {
        folder.push(part);
        if folder.is_symlink() {
            return None;
        }
    }
    Some(folder)
}

/// Puts files with these names and texts into a folder, to say what it is.
pub(super) fn mark(folder: &Utf8Path, marks: &[(&str, &str)]) -> std::io::Result<()> {
    for (name, text) in marks {
        let path = folder.join(name);
        if read_whole(&path).as_deref() != Some(text.as_bytes()) {
            put(&path, &[text.as_bytes()])?;
        }
    }
    Ok(())
}

/// The bytes of a regular file that is not too large to be one of the cache.
fn read_whole(path: &Utf8Path) -> Option<Vec<u8>> {
    read_behind(path, &mut [])
}

/// The same without those that it begins with, which `head` is filled with. So nothing has to be
/// copied that is large.
fn read_behind(path: &Utf8Path, head: &mut [u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(size(path)? + 1);
    let mut file = std::fs::File::open(path).ok()?;
    file.read_exact(head).ok()?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The size of a regular file in bytes, if it is not too large to be one of the cache.
fn size(path: &Utf8Path) -> Option<usize> {
    let metadata = path.symlink_metadata().ok().filter(is_small_enough)?;
    usize::try_from(metadata.len()).ok()
}

/// Whether this may be a file of the cache.
fn is_small_enough(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.len() <= LARGEST + HEAD as u64
}

/// Makes `path` a file of these parts; a link of that name is replaced, and not followed.
pub(super) fn put(path: &Utf8Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The secret at `path`, which is made when it is first wanted.
fn secret(path: &Utf8Path) -> Option<[u8; 32]> {
    let read = || std::fs::read(path).ok().map(<[u8; 32]>::try_from);
    let damaged = match read() {
        Some(Ok(known)) => return Some(known),
        // It was cut short, so that nothing was sealed with it that could still be read.
        Some(Err(_)) => true,
        None => false,
    };
    let mut fresh = [0; 32];
    getrandom::fill(&mut fresh).ok()?;
    let folder = path.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    // Others cannot read a temporary file, so other users cannot seal in this user's name.
    let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
    file.write_all(&fresh).ok()?;
    file.as_file().sync_all().ok()?;
    let made = if damaged {
        file.persist(path).is_ok()
    } else {
        // Of two that make one at the same time, the first wins for both.
        file.persist_noclobber(path).is_ok()
    };
    if made { Some(fresh) } else { read()?.ok() }
}

fn trim(folder: &Utf8Path) {
    let Ok(entries) = folder.read_dir_utf8() else { return };
    let now = SystemTime::now();
    let mut files = Vec::new();
    let mut extent = FolderSize::default();
    for entry in entries.filter_map(Result::ok) {
        let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file);
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let (Some(metadata), Some(modified)) = (metadata, modified) else { continue };
        let name = entry.file_name();
        if name.starts_with(UNFINISHED) {
            let age = now.duration_since(modified).unwrap_or_default();
            if age > FORGOTTEN {
                let _ = std::fs::remove_file(entry.path());
            }
        } else if name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            // Anything else is not faber's.
            extent.bytes += metadata.len();
            extent.files += 1;
            files.push((modified, metadata.len(), entry.into_path()));
        }
    }
    if extent.bytes <= MOST.bytes && extent.files <= MOST.files {
        return;
    }
    files.sort();
    for (_, bytes, path) in files {
        if extent.bytes <= MOST.bytes / 2 && extent.files <= MOST.files / 2 {
            return;
        }
        // Another process may be trimming too.
        let _ = std::fs::remove_file(format!("{path}{SEEN}"));
        let _ = std::fs::remove_file(path);
        extent.bytes -= bytes;
        extent.files -= 1;
    }
}

/// A value as it is stored.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).expect("plain data can always be encoded")
}
