//! Caches on disk, sealed with a key of the user.

use std::fs::Metadata;
use std::io::{Read, Write};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::discover::mapped;
use crate::discover::snapshot::file_stat::FileStat;
use faber_core::digest_map::BlobStore;

/// Last byte: version of all formats.
const MAGIC: &[u8; 8] = b"faber\0\0\x05";
const HEAD: usize = 8 + 32;
/// Larger folders are trimmed to half, oldest files first.
const MAX_FOLDER: FolderSize = FolderSize { bytes: 64 * 1024 * 1024, files: 512 };
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;
const LARGE: usize = 256 * 1024;
const SEEN: &str = ".seen";
pub(super) const UNFINISHED: &str = ".new-";
const FORGOTTEN: Duration = Duration::from_secs(3600);
/// Excludes the cache from version control and backups.
const MARKS: [(&str, &str); 2] = [
    (".gitignore", "*\n"),
    (
        "CACHEDIR.TAG",
        "Signature: 8a477f597d28d172789f06886806bc55\n# made by faber; can be removed\n",
    ),
];

#[derive(Clone, Copy, Debug, Default)]
struct FolderSize {
    bytes: u64,
    files: u64,
}

#[derive(Clone, Debug)]
pub struct Cache {
    places: [CacheFolder; 2],
    key: [u8; 32],
}

#[derive(Clone, Debug)]
struct CacheFolder {
    trusted: Utf8PathBuf,
    below: Utf8PathBuf,
}

impl Cache {
    /// In the workspace, else in `home`.
    pub fn open(root: &Utf8Path, home: &Utf8Path, program: &str) -> Option<Self> {
        let secret = secret(&home.join("key"))?;
        let name = blake3::hash(root.as_str().as_bytes()).to_hex()[..32].to_owned();
        let places = [
            CacheFolder { trusted: root.to_owned(), below: ".faber/cache".into() },
            CacheFolder { trusted: home.to_owned(), below: name.into() },
        ];
        // Invalidates the cache of a copied workspace.
        let mut key = blake3::Hasher::new_keyed(&secret);
        key.update(program.as_bytes()).update(&[0]).update(root.as_str().as_bytes());
        Some(Self { places, key: *key.finalize().as_bytes() })
    }

    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.places.iter().find_map(|place| {
            let mut head = [0; HEAD];
            let content = read_after_head(&place.file(name)?, &mut head)?;
            self.is_sealed(name, &head, &content).then_some(content)
        })
    }

    /// Not on Windows, where mapped files cannot be replaced.
    pub fn map(&self, name: &str) -> Option<Bytes> {
        if cfg!(windows) {
            return self.read(name).map(Bytes::from);
        }
        self.places.iter().find_map(|place| {
            let path = place.file(name)?;
            let stat = FileStat::of(&path.symlink_metadata().ok().filter(is_small_enough)?);
            let bytes = mapped::map(&path)?;
            let (head, content) = bytes.split_at_checked(HEAD)?;
            let is_ours = if content.len() < LARGE {
                self.is_sealed(name, head, content)
            } else {
                self.was_verified(name, head, stat) || self.verify(name, head, content, stat)
            };
            is_ours.then(|| bytes.slice(HEAD..bytes.len()))
        })
    }

    fn was_verified(&self, name: &str, head: &[u8], stat: FileStat) -> bool {
        let seen = self.read(&format!("{name}{SEEN}"));
        seen.is_some_and(|seen| seen == [head, &stat.to_bytes()].concat())
    }

    fn verify(&self, name: &str, head: &[u8], content: &[u8], stat: FileStat) -> bool {
        let is_ours = self.is_sealed(name, head, content);
        if is_ours && stat.is_settled() {
            self.write(&format!("{name}{SEEN}"), &[head, &stat.to_bytes()].concat());
        }
        is_ours
    }

    fn is_sealed(&self, name: &str, head: &[u8], content: &[u8]) -> bool {
        head.starts_with(MAGIC) && self.seal(name, content) == head[MAGIC.len()..]
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        if content.len() as u64 > MAX_FILE_BYTES {
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
        place.write_markers()?;
        put(&path, &[MAGIC, &self.seal(name, content), content])
    }

    pub fn forget(&self, name: &str) {
        for path in self.places.iter().filter_map(|place| place.file(name)) {
            let _ = std::fs::remove_file(path);
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        let mut paths = self.places.iter().filter_map(|place| place.file(name));
        paths.any(|path| path.symlink_metadata().is_ok())
    }

    pub(super) fn folders(&self, name: &str) -> Vec<Utf8PathBuf> {
        let folder =
            |place: &CacheFolder| Some(place.file(&format!("{name}/x"))?.parent()?.to_owned());
        self.places.iter().filter_map(folder).collect()
    }

    pub(super) fn prepare(&self, folder: &Utf8Path) -> std::io::Result<()> {
        let refused = || std::io::Error::from(std::io::ErrorKind::NotADirectory);
        let of_place = |place: &&CacheFolder| folder.starts_with(place.trusted.join(&place.below));
        let place = self.places.iter().find(of_place).ok_or_else(refused)?;
        std::fs::create_dir_all(folder)?;
        place.write_markers()
    }

    pub fn trim(&self, name: &str) {
        let is_folder =
            |path: &Utf8PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        let folders = self.places.iter().filter_map(|place| place.file(name));
        folders.filter(is_folder).for_each(|folder| trim(&folder));
    }

    /// Includes the name, so that files cannot be swapped.
    fn seal(&self, name: &str, content: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes()).update(&[0]).update(content);
        *hasher.finalize().as_bytes()
    }
}

impl BlobStore for Cache {
    fn get(&self, name: &str) -> Option<Bytes> {
        self.map(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        self.write(name, bytes);
    }
}

impl CacheFolder {
    fn write_markers(&self) -> std::io::Result<()> {
        write_markers(&self.trusted.join(&self.below), &MARKS)
    }

    fn file(&self, name: &str) -> Option<Utf8PathBuf> {
        let path = self.below.join(name);
        plain(&self.trusted, path.parent()?)?;
        Some(self.trusted.join(path))
    }
}

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

pub(super) fn write_markers(folder: &Utf8Path, marks: &[(&str, &str)]) -> std::io::Result<()> {
    for (name, text) in marks {
        let path = folder.join(name);
        if read_after_head(&path, &mut []).as_deref() != Some(text.as_bytes()) {
            put(&path, &[text.as_bytes()])?;
        }
    }
    Ok(())
}

fn read_after_head(path: &Utf8Path, head: &mut [u8]) -> Option<Vec<u8>> {
    let metadata = path.symlink_metadata().ok().filter(is_small_enough)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()? + 1);
    let mut file = std::fs::File::open(path).ok()?;
    file.read_exact(head).ok()?;
    file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn is_small_enough(metadata: &Metadata) -> bool {
    metadata.is_file() && metadata.len() <= MAX_FILE_BYTES + HEAD as u64
}

pub(super) fn put(path: &Utf8Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path)?;
    Ok(())
}

fn secret(path: &Utf8Path) -> Option<[u8; 32]> {
    let read = || std::fs::read(path).ok().map(<[u8; 32]>::try_from);
    let found = read();
    if let Some(Ok(known)) = found {
        return Some(known);
    }
    let mut fresh = [0; 32];
    getrandom::fill(&mut fresh).ok()?;
    let folder = path.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
    file.write_all(&fresh).ok()?;
    file.as_file().sync_all().ok()?;
    // The first process wins.
    let made = match found {
        Some(_) => file.persist(path).is_ok(),
        None => file.persist_noclobber(path).is_ok(),
    };
    if made { Some(fresh) } else { read()?.ok() }
}

fn trim(folder: &Utf8Path) {
    let Ok(entries) = folder.read_dir_utf8() else { return };
    let now = SystemTime::now();
    let mut files = Vec::new();
    let mut extent = FolderSize::default();
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let Some(modified) = metadata.modified().ok().filter(|_| metadata.is_file()) else {
            continue;
        };
        let name = entry.file_name();
        if name.starts_with(UNFINISHED) {
            if now.duration_since(modified).unwrap_or_default() > FORGOTTEN {
                let _ = std::fs::remove_file(entry.path());
            }
        } else if name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            extent.bytes += metadata.len();
            extent.files += 1;
            files.push((modified, metadata.len(), entry.into_path()));
        }
    }
    if extent.bytes <= MAX_FOLDER.bytes && extent.files <= MAX_FOLDER.files {
        return;
    }
    files.sort();
    for (_, bytes, path) in files {
        if extent.bytes <= MAX_FOLDER.bytes / 2 && extent.files <= MAX_FOLDER.files / 2 {
            return;
        }
        let _ = std::fs::remove_file(format!("{path}{SEEN}"));
        let _ = std::fs::remove_file(path);
        extent.bytes -= bytes;
        extent.files -= 1;
    }
}

pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    rmp_serde::to_vec(value).expect("plain data can always be encoded")
}
