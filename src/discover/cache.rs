//! Files that faber keeps for itself, and may lose at any time.
//!
//! A cache is believed only when this user has written it: every file carries a keyed hash whose
//! key lies in the user's own cache folder. So a cache that came with a repository, that somebody
//! edited or that was cut short is none, whatever it says.

use std::io::Write;

use camino::{Utf8Path, Utf8PathBuf};

/// What every file begins with; the number changes with the layout of any of them.
const MAGIC: &[u8; 8] = b"faber\0\0\x01";
/// Bytes before the content: the magic and the keyed hash.
const HEAD: usize = 8 + 32;
/// When a folder has more bytes or files than this, the files that were not written for longest
/// are removed until it has half.
const MOST: Extent = Extent { bytes: 64 * 1024 * 1024, files: 512 };

/// Size of a folder.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    bytes: u64,
    files: u64,
}

/// The cache of one workspace.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Where it may lie, best first.
    folders: [Utf8PathBuf; 2],
    key: [u8; 32],
}

impl Cache {
    /// The cache of the workspace at `root`: in it, or where that is not possible in `home`, the
    /// user's own cache folder of faber. None when the user has no such folder, for then nothing
    /// tells whose a cache is.
    pub fn open(root: &Utf8Path, home: &Utf8Path) -> Option<Self> {
        let key = secret(&home.join("key"))?;
        let name = blake3::hash(root.as_str().as_bytes()).to_hex();
        Some(Self { folders: [root.join(".faber/cache"), home.join(&name[..32])], key })
    }

    /// The content of the file `name`, when it is there and this user wrote it.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.folders.iter().find_map(|folder| {
            let mut bytes = std::fs::read(folder.join(name)).ok()?;
            let content = bytes.get(HEAD..)?;
            let sound = bytes.starts_with(MAGIC) && self.seal(name, content) == bytes[8..HEAD];
            sound.then(|| bytes.split_off(HEAD))
        })
    }

    /// Puts `content` into the file `name`, at once or not at all. That it cannot is no failure.
    pub fn write(&self, name: &str, content: &[u8]) {
        for folder in &self.folders {
            if self.try_write(folder, name, content).is_ok() {
                return;
            }
        }
    }

    fn try_write(&self, folder: &Utf8Path, name: &str, content: &[u8]) -> std::io::Result<()> {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        // A link in a workspace must not decide where faber writes.
        let links = folder.ancestors().take(2).any(Utf8Path::is_symlink);
        if links {
            return Err(std::io::ErrorKind::NotADirectory.into());
        }
        if !parent.is_dir() {
            std::fs::create_dir_all(parent)?;
            // The folder keeps itself out of version control and backups.
            std::fs::write(folder.join(".gitignore"), "*\n")?;
            std::fs::write(
                folder.join("CACHEDIR.TAG"),
                "Signature: 8a477f597d28d172789f06886806bc55\n# made by faber; can be removed\n",
            )?;
        }
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(parent)?;
        file.write_all(MAGIC)?;
        file.write_all(&self.seal(name, content))?;
        file.write_all(content)?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Removes the oldest files below the folder `name` once they are too many or too large.
    pub fn trim(&self, name: &str) {
        for folder in &self.folders {
            trim(&folder.join(name));
        }
    }

    /// The keyed hash of a file; its name is part of it, so that no file can pass for another.
    fn seal(&self, name: &str, content: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes()).update(&[0]).update(content);
        *hasher.finalize().as_bytes()
    }
}

/// The secret at `path`, which is made when it is first wanted.
fn secret(path: &Utf8Path) -> Option<[u8; 32]> {
    let read = || std::fs::read(path).ok()?.try_into().ok();
    if let Some(known) = read() {
        return Some(known);
    }
    let mut fresh = [0; 32];
    getrandom::fill(&mut fresh).ok()?;
    let folder = path.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    // Others cannot read a temporary file, so nobody else can seal in this user's name.
    let mut file = tempfile::NamedTempFile::new_in(folder).ok()?;
    file.write_all(&fresh).ok()?;
    // Of two that make one at the same time, the first wins for both.
    match file.persist_noclobber(path) {
        Ok(_) => Some(fresh),
        Err(_) => read(),
    }
}

fn trim(folder: &Utf8Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        })
        .collect();
    let mut extent = files.iter().fold(Extent::default(), |extent, (_, bytes, _)| Extent {
        bytes: extent.bytes + bytes,
        files: extent.files + 1,
    });
    if extent.bytes <= MOST.bytes && extent.files <= MOST.files {
        return;
    }
    files.sort();
    for (_, bytes, path) in files {
        if extent.bytes <= MOST.bytes / 2 && extent.files <= MOST.files / 2 {
            return;
        }
        // Somebody else may be trimming too.
        let _ = std::fs::remove_file(path);
        extent.bytes -= bytes;
        extent.files -= 1;
    }
}
