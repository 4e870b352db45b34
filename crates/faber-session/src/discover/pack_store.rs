//! The files of packs in the user's cache folder, each pack in a folder that its content names.
//!
//! A folder is complete from the moment at which it has its name, so a killed process leaves only a temporary folder
//! behind, which a later one removes.

use std::collections::BTreeMap;
use std::fs::File;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::foreign;
use crate::discover::lock;
use crate::hex::sha256;
use faber_core::error::Error;
use faber_core::packs;
use faber_core::packs::lock::{LockedPack, listing};

/// How unfinished folders begin.
const UNFINISHED: &str = ".new-";
/// An unfinished folder that is older than this is of a killed process.
const FORGOTTEN: Duration = Duration::from_secs(3600);
/// How long another process may change the lock of a workspace.
const TURN: Duration = Duration::from_secs(900);

/// The folder of the contents of packs.
#[derive(Clone, Debug)]
pub struct PackStore {
    folder: Utf8PathBuf,
}

/// A file that is not as a lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub path: String,
    /// Such as `is missing`.
    pub what: &'static str,
}

/// Makes other processes wait that change the packs of the same workspace.
#[derive(Debug)]
pub struct Turn {
    _lock: File,
}

impl PackStore {
    /// The store in a folder that need not be there yet.
    pub fn new(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Its folder.
    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    /// Where the files of a pack with this digest are.
    pub fn place(&self, digest: &str) -> Utf8PathBuf {
        self.folder.join(digest)
    }

    /// Waits until no other process changes the packs of a workspace.
    ///
    /// # Errors
    ///
    /// When the store cannot be written, or another process has its turn for minutes.
    pub fn turn(&self, root: &Utf8Path) -> Result<Turn, Error> {
        let folder = self.folder.join("turns");
        let fail = |source| Error::Io { action: "create", path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let path = folder.join(&sha256(root.as_str().as_bytes())[..32]);
        match lock::soon(&path, TURN).map_err(fail)? {
            Some(lock) => Ok(Turn { _lock: lock }),
            None => Err(Error::usage(
                "another faber has been changing the packs of this workspace for minutes",
                "end it, then run the command again",
            )),
        }
    }

    /// Notes that a remote said something once.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn note(&self, statement: &str) -> Result<(), Error> {
        let path = self.noted(statement);
        let fail = |source| Error::Io { action: "write", path: path.clone(), source };
        std::fs::create_dir_all(self.folder.join("noted")).map_err(fail)?;
        std::fs::write(&path, "").map_err(fail)
    }

    /// Whether [`Self::note`] was called with the same statement.
    pub fn is_noted(&self, statement: &str) -> bool {
        self.noted(statement).is_file()
    }

    fn noted(&self, statement: &str) -> Utf8PathBuf {
        self.folder.join("noted").join(sha256(statement))
    }

    /// Puts the files of a pack into the store.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn put(&self, pack: &LockedPack, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Error> {
        let place = self.place(&pack.digest);
        if place.is_dir() && damage(&place, &pack.files, Extras::Ignored).is_empty() {
            return Ok(());
        }
        install(&self.folder, &place, files)
    }

    /// Copies the files of a pack into the workspace, in place of what is there.
    ///
    /// # Errors
    ///
    /// When they are not in the store, or the workspace cannot be written.
    pub fn vendor(&self, root: &Utf8Path, name: &str, pack: &LockedPack) -> Result<(), Error> {
        let folder = packs::folder(name);
        if let Some(why) = foreign::obstacle(root, &folder.join("x")) {
            let message = format!("`{folder}` {why}");
            return Err(Error::usage(message, "remove what is in the way"));
        }
        let place = self.place(&pack.digest);
        if let Some(first) = damage(&place, &pack.files, Extras::Ignored).first() {
            let message =
                format!("`{}` of the pack `{name}` {} in the store", first.path, first.what);
            return Err(Error::usage(message, format!("run `faber pack update --locked {name}`")));
        }
        let mut files = BTreeMap::new();
        for path in pack.files.keys() {
            let from = place.join(path);
            let fail = |source| Error::Io { action: "read", path: from.clone(), source };
            files.insert(path.clone(), std::fs::read(&from).map_err(fail)?);
        }
        let home = root.join(packs::FOLDER);
        install(&home, &root.join(&folder), &files)
    }
}

/// What to think of files that the lock does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extras {
    Ignored,
    Reported,
}

/// The files of a folder that are not as the lock says, by path.
pub fn damage(folder: &Utf8Path, files: &BTreeMap<String, String>, extras: Extras) -> Vec<Damage> {
    let mut found = Vec::new();
    let mut add = |path: &str, what| found.push(Damage { path: path.to_owned(), what });
    for (path, hash) in files {
        let place = folder.join(path);
        match place.symlink_metadata() {
            Ok(there) if !there.is_file() => add(path, "is not a regular file"),
            Ok(_) => match std::fs::read(&place) {
                Ok(bytes) if sha256(&bytes) == *hash => {}
                Ok(_) => add(path, "has other content"),
                Err(_) => add(path, "cannot be read"),
            },
            Err(_) => add(path, "is missing"),
        }
    }
    if extras == Extras::Reported {
        for place in foreign::on_disk(folder) {
            let path = place.strip_prefix(folder).map(|it| it.as_str().replace('\\', "/"));
            if let Ok(path) = path.as_deref().map_err(drop)
                && !files.contains_key(path)
            {
                add(path, "is not in the lock");
            }
        }
    }
    found
}

/// Writes files into a temporary folder of `home` and gives it the name `place`.
fn install(
    home: &Utf8Path,
    place: &Utf8Path,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<(), Error> {
    let fail = |path: &Utf8Path| {
        let path = path.to_owned();
        move |source| Error::Io { action: "write", path, source }
    };
    std::fs::create_dir_all(home).map_err(fail(home))?;
    clean(home);
    let new = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(home).map_err(fail(home))?;
    let fresh = Utf8PathBuf::from_path_buf(new.path().join("pack"))
        .map_err(|path| Error::NotUtf8 { path: path.to_string_lossy().into_owned() })?;
    std::fs::create_dir(&fresh).map_err(fail(&fresh))?;
    for (path, bytes) in files {
        let path = fresh.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(fail(parent))?;
        }
        let file = File::options().write(true).create_new(true).open(&path);
        let mut file = file.map_err(fail(&path))?;
        std::io::Write::write_all(&mut file, bytes).map_err(fail(&path))?;
    }
    let old = new.path().join("old");
    if place.symlink_metadata().is_ok() {
        std::fs::rename(place, &old).map_err(fail(place))?;
    }
    match std::fs::rename(&fresh, place) {
        // Another process was faster with the same content.
        Err(_) if place.is_dir() => Ok(()),
        renamed => renamed.map_err(fail(place)),
    }
}

/// Removes what killed processes left behind.
fn clean(home: &Utf8Path) {
    let now = SystemTime::now();
    for entry in std::fs::read_dir(home).into_iter().flatten().flatten() {
        let is_unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        let age = entry.metadata().and_then(|it| it.modified()).ok();
        let age = age.and_then(|modified| now.duration_since(modified).ok());
        if is_unfinished && age.is_some_and(|age| age > FORGOTTEN) {
            // It may be gone already.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Where the files of a pack of the lock may be: in the store, else in the workspace.
pub fn places(
    store: Option<&Utf8Path>,
    root: &Utf8Path,
    name: &str,
    pack: &LockedPack,
) -> impl Iterator<Item = Utf8PathBuf> {
    let stored = store.map(|store| PackStore::new(store).place(&pack.digest));
    stored.into_iter().chain([root.join(packs::folder(name))])
}

/// Whether the digest of a pack is that of its files.
pub fn is_consistent(pack: &LockedPack) -> bool {
    sha256(listing(&pack.files)) == pack.digest
}

/// Whether the files of a pack are in a folder of the workspace.
pub fn is_vendored(root: &Utf8Path, name: &str) -> bool {
    root.join(packs::folder(name)).is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_whole_and_repaired() {
        let temporary = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temporary.path()).unwrap();
        let store = PackStore::new(&root.join("store"));
        let files =
            [("a.md", "a"), ("b/c.md", "c")].map(|(path, text)| (path.to_owned(), text.into()));
        let files = BTreeMap::<String, Vec<u8>>::from(files);
        let hashes = files.iter().map(|(path, bytes)| (path.clone(), sha256(bytes))).collect();
        let pack = LockedPack { digest: "d".repeat(64), files: hashes, ..LockedPack::default() };
        let place = store.place(&pack.digest);
        let found = || damage(&place, &pack.files, Extras::Reported);
        assert_eq!(found().len(), 2);
        store.put(&pack, &files).unwrap();
        assert_eq!(found(), []);
        std::fs::write(place.join("b/c.md"), "x").unwrap();
        std::fs::write(place.join("d.md"), "x").unwrap();
        let what: Vec<_> = found().into_iter().map(|it| (it.path, it.what)).collect();
        let expected = [("b/c.md", "has other content"), ("d.md", "is not in the lock")];
        assert_eq!(what, expected.map(|(path, what)| (path.to_owned(), what)));
        store.put(&pack, &files).unwrap();
        assert_eq!(found(), []);
        store.vendor(root, "acme", &pack).unwrap();
        assert!(is_vendored(root, "acme") && !is_vendored(root, "other"));
        let names = std::fs::read_dir(root.join(packs::FOLDER)).unwrap().count();
        assert_eq!(names, 1, "nothing is left behind");
    }
}
