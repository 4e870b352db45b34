//! Packs by digest, with data in `about/DIGEST`.

use std::collections::BTreeMap;
use std::fs::File;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::atomic::{self, Writer};
use crate::discover::{failed, foreign, lock};
use crate::hex::sha256;
use crate::settings::Settings;
use faber_core::error::Error;
use faber_core::packs;
use faber_core::packs::lock::{Lock, LockedPack, listing};

pub(super) const UNFINISHED: &str = ".new-";
pub(super) const ABOUT: &str = "about";
pub(super) const USE: &str = "used-";
pub(super) const COMMITS: &str = "commits";
pub(super) const TURNS: &str = "turns";
pub(crate) const NO_CACHE_HELP: &str = "set `XDG_CACHE_HOME` to an absolute path";
const FORGOTTEN: Duration = Duration::from_secs(3600);
const TURN: Duration = Duration::from_secs(900);
/// Interval to renew [`USE`] files.
const DAY: Duration = Duration::from_secs(24 * 3600);

#[derive(Clone, Debug)]
pub struct PackStore {
    folder: Utf8PathBuf,
}

/// Locks do not cover which files are executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackFile {
    pub bytes: Vec<u8>,
    pub is_executable: bool,
}

pub type PackFiles = BTreeMap<String, PackFile>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub path: String,
    pub what: &'static str,
}

#[derive(Debug)]
pub struct StoreLock {
    _lock: File,
    _sharing: File,
}

impl PackStore {
    pub fn new(folder: &Utf8Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// # Errors
    ///
    /// If there is no cache folder.
    pub fn of(settings: &Settings) -> Result<Self, Error> {
        settings.packs.as_deref().map(Self::new).ok_or_else(|| {
            Error::usage("cannot determine the cache directory for packs", NO_CACHE_HELP)
        })
    }

    pub fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    pub fn place(&self, digest: &str) -> Utf8PathBuf {
        self.folder.join(digest)
    }

    /// # Errors
    ///
    /// Also if the wait takes 15 minutes.
    pub fn turn(&self, root: &Utf8Path) -> Result<StoreLock, Error> {
        let folder = self.folder.join(TURNS);
        let fail = failed("create", &folder);
        std::fs::create_dir_all(&folder).map_err(fail)?;
        let busy = |what: &str| {
            let message = format!("another faber process has been {what} for minutes");
            Error::usage(message, "stop it, then run the command again")
        };
        // First: pruning removes files in [`TURNS`].
        let sharing = lock::shared(&self.lock(), TURN).map_err(fail)?;
        let sharing = sharing.ok_or_else(|| busy("removing packs from the store"))?;
        let path = folder.join(&sha256(root.as_str().as_bytes())[..32]);
        let lock = lock::exclusive_within(&path, TURN).map_err(fail)?;
        let lock = lock.ok_or_else(|| busy("changing the packs of this workspace"))?;
        let _ = lock.set_modified(SystemTime::now());
        Ok(StoreLock { _lock: lock, _sharing: sharing })
    }

    /// Shared to add, exclusive to remove.
    pub(super) fn lock(&self) -> Utf8PathBuf {
        self.folder.join("store.lock")
    }

    pub(crate) fn keep_commit(&self, url: &str, pack: &LockedPack) -> Result<(), Error> {
        let lock = Lock { packs: [("pack".to_owned(), pack.clone())].into() };
        self.write(&self.commit(url, &pack.commit, &pack.path), &lock.print())
    }

    fn write(&self, path: &Utf8Path, text: &str) -> Result<(), Error> {
        std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed("write", path))?;
        Writer::new(&self.folder).replace(path, text)
    }

    pub fn of_commit(&self, url: &str, commit: &str, path: &str) -> Option<LockedPack> {
        let text = std::fs::read_to_string(self.commit(url, commit, path)).ok()?;
        let pack = Lock::parse(&text).ok()?.packs.into_values().next()?;
        let is_whole = pack.commit == commit && pack.path == path && is_consistent(&pack);
        (is_whole && self.is_whole(&pack)).then_some(pack)
    }

    fn commit(&self, url: &str, commit: &str, path: &str) -> Utf8PathBuf {
        self.folder.join(COMMITS).join(&sha256([url, commit, path].join("\n"))[..32])
    }

    pub fn is_whole(&self, pack: &LockedPack) -> bool {
        let place = self.place(&pack.digest);
        place.is_dir() && damage(&place, &pack.files, Extras::Reported).is_empty()
    }

    pub(crate) fn note(&self, digest: &str, statement: &str) -> Result<(), Error> {
        self.keep(digest, &sha256(statement), "")
    }

    pub fn is_noted(&self, digest: &str, statement: &str) -> bool {
        self.kept(digest, &sha256(statement)).is_some()
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn keep(&self, digest: &str, key: &str, text: &str) -> Result<(), Error> {
        self.write(&self.about(digest).join(key), text)
    }

    pub fn kept(&self, digest: &str, key: &str) -> Option<String> {
        std::fs::read_to_string(self.about(digest).join(key)).ok()
    }

    pub fn mark_used(&self, digest: &str, lock: &Utf8Path) {
        let path = self.about(digest).join(format!("{USE}{}", &sha256(lock.as_str())[..32]));
        let is_fresh = age(&path).is_some_and(|age| age < DAY);
        if !is_fresh && std::fs::create_dir_all(self.about(digest)).is_ok() {
            let _ = std::fs::write(&path, lock.as_str());
        }
    }

    fn about(&self, digest: &str) -> Utf8PathBuf {
        self.folder.join(ABOUT).join(digest)
    }

    /// # Errors
    ///
    /// If writing fails.
    pub fn put(&self, pack: &LockedPack, files: &PackFiles) -> Result<(), Error> {
        if self.is_whole(pack) {
            return Ok(());
        }
        install(&self.folder, &self.place(&pack.digest), files)
    }

    /// # Errors
    ///
    /// If the pack is not stored or writing fails.
    pub fn vendor(&self, root: &Utf8Path, name: &str, pack: &LockedPack) -> Result<(), Error> {
        let folder = packs::folder(name);
        if let Some(why) = foreign::obstacle(root, &folder.join("x")) {
            let message = format!("`{folder}` {why}");
            return Err(Error::usage(message, "remove what is in the way"));
        }
        let place = self.place(&pack.digest);
        if let Some(Damage { path, what }) = damage(&place, &pack.files, Extras::Ignored).first() {
            let message = format!("`{path}` of the pack `{name}` {what} in the store");
            return Err(Error::usage(message, format!("run `faber pack update --locked {name}`")));
        }
        let mut files = BTreeMap::new();
        for path in pack.files.keys() {
            let from = place.join(path);
            let bytes = std::fs::read(&from).map_err(failed("read", &from))?;
            let is_executable = atomic::is_executable(&from);
            files.insert(path.clone(), PackFile { bytes, is_executable });
        }
        let home = root.join(packs::FOLDER);
        install(&home, &root.join(&folder), &files)?;
        keep_bytes(&home)
    }
}

/// False if the copy has other files than `pack`, and stays.
///
/// # Errors
///
/// If removing fails.
pub fn remove_vendored(root: &Utf8Path, name: &str, pack: &LockedPack) -> Result<bool, Error> {
    let folder = packs::folder(name);
    let place = root.join(&folder);
    let is_foreign = foreign::obstacle(root, &folder.join("x")).is_some();
    if is_foreign || !damage(&place, &pack.files, Extras::Reported).is_empty() {
        return Ok(false);
    }
    std::fs::remove_dir_all(&place).map_err(failed("remove", &place))?;
    Ok(true)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extras {
    Ignored,
    Reported,
}

pub fn damage(folder: &Utf8Path, files: &BTreeMap<String, String>, extras: Extras) -> Vec<Damage> {
    let mut found = Vec::new();
    let mut add = |path: &str, what| found.push(Damage { path: path.to_owned(), what });
    for (path, hash) in files {
        let place = folder.join(path);
        match place.symlink_metadata() {
            Ok(there) if !there.is_file() => add(path, "is not a regular file"),
            Ok(_) => match std::fs::read(&place) {
                Ok(bytes) if sha256(&bytes) == *hash => {}
                Ok(_) => add(path, "differs from faber.lock"),
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

fn install(home: &Utf8Path, place: &Utf8Path, files: &PackFiles) -> Result<(), Error> {
    std::fs::create_dir_all(home).map_err(failed("write", home))?;
    clean(home);
    let new = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(home)
        .map_err(failed("write", home))?;
    let fresh = Utf8PathBuf::from_path_buf(new.path().join("pack"))
        .map_err(|path| Error::NotUtf8 { path: path.to_string_lossy().into_owned() })?;
    std::fs::create_dir(&fresh).map_err(failed("write", &fresh))?;
    for (path, PackFile { bytes, is_executable }) in files {
        let path = fresh.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed("write", parent))?;
        }
        let file = File::options().write(true).create_new(true).open(&path);
        let mut file = file.map_err(failed("write", &path))?;
        std::io::Write::write_all(&mut file, bytes).map_err(failed("write", &path))?;
        if *is_executable {
            atomic::set_executable(&path, true).map_err(failed("write", &path))?;
        }
    }
    let old = new.path().join("old");
    if place.symlink_metadata().is_ok() {
        std::fs::rename(place, &old).map_err(failed("write", place))?;
    }
    match std::fs::rename(&fresh, place) {
        Err(_) if place.is_dir() => Ok(()),
        renamed => renamed.map_err(failed("write", place)),
    }
}

/// Git could change line ends of vendored files, and so their hashes.
fn keep_bytes(home: &Utf8Path) -> Result<(), Error> {
    let path = home.join(".gitattributes");
    let written = File::options()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"* -text\n"));
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        written => written.map_err(failed("write", &path)),
    }
}

fn clean(home: &Utf8Path) {
    for entry in std::fs::read_dir(home).into_iter().flatten().flatten() {
        let is_unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        let Ok(path) = Utf8PathBuf::from_path_buf(entry.path()) else { continue };
        if is_unfinished && age(&path).is_some_and(|age| age > FORGOTTEN) {
            let _ = std::fs::remove_dir_all(path);
        }
    }
}

pub(super) fn age(path: &Utf8Path) -> Option<Duration> {
    let modified = path.symlink_metadata().and_then(|found| found.modified()).ok()?;
    SystemTime::now().duration_since(modified).ok()
}

pub fn places(
    store: Option<&Utf8Path>,
    root: Option<&Utf8Path>,
    name: &str,
    pack: &LockedPack,
) -> impl Iterator<Item = Utf8PathBuf> {
    let stored = store.map(|store| PackStore::new(store).place(&pack.digest));
    root.map(|root| root.join(packs::folder(name))).into_iter().chain(stored)
}

pub fn is_consistent(pack: &LockedPack) -> bool {
    sha256(listing(&pack.files)) == pack.digest
}

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
        let file = |text: &str| PackFile { bytes: text.into(), is_executable: false };
        let files =
            [("a.md", "a"), ("b/c.md", "c")].map(|(path, text)| (path.to_owned(), file(text)));
        let files = PackFiles::from(files);
        let hashes = files.iter().map(|(path, file)| (path.clone(), sha256(&file.bytes))).collect();
        let pack = LockedPack { digest: "d".repeat(64), files: hashes, ..LockedPack::default() };
        let place = store.place(&pack.digest);
        let found = || damage(&place, &pack.files, Extras::Reported);
        assert_eq!(found().len(), 2);
        store.put(&pack, &files).unwrap();
        assert_eq!(found(), []);
        std::fs::write(place.join("b/c.md"), "x").unwrap();
        std::fs::write(place.join("d.md"), "x").unwrap();
        let what: Vec<_> = found().into_iter().map(|it| (it.path, it.what)).collect();
        let expected = [("b/c.md", "differs from faber.lock"), ("d.md", "is not in the lock")];
        assert_eq!(what, expected.map(|(path, what)| (path.to_owned(), what)));
        store.put(&pack, &files).unwrap();
        assert_eq!(found(), []);
        std::fs::write(place.join("e.md"), "x").unwrap();
        assert_eq!(found().len(), 1);
        store.put(&pack, &files).unwrap();
        assert_eq!(found(), []);
        store.vendor(root, "acme", &pack).unwrap();
        assert!(is_vendored(root, "acme") && !is_vendored(root, "other"));
        let attributes = root.join(packs::FOLDER).join(".gitattributes");
        assert_eq!(std::fs::read_to_string(&attributes).unwrap(), "* -text\n");
        std::fs::write(&attributes, "* text eol=lf\n").unwrap();
        store.vendor(root, "acme", &pack).unwrap();
        assert_eq!(std::fs::read_to_string(&attributes).unwrap(), "* text eol=lf\n");
        let names = std::fs::read_dir(root.join(packs::FOLDER)).unwrap().count();
        assert_eq!(names, 2, "nothing is left behind");
        let (folder, remove) =
            (root.join(packs::folder("acme")), || remove_vendored(root, "acme", &pack).unwrap());
        std::fs::write(folder.join("own.md"), "x").unwrap();
        assert!(!remove() && folder.is_dir());
        std::fs::remove_file(folder.join("own.md")).unwrap();
        assert!(remove() && !folder.exists());
    }
}
