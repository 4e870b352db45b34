//! Removes unused packs from the store.
//!
//! Locks may be on other branches or unmounted disks, so contents also stay for a period after
//! their last use.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::discover::lock;
use crate::discover::pack_store::{ABOUT, COMMITS, PackStore, TURNS, UNFINISHED, USE, age};
use faber_core::error::Error;
use faber_core::packs::lock::Lock;

const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Digest, or `git/…` for a fetched repository.
    pub name: String,
    pub bytes: u64,
    /// Time since the last use.
    pub unused: Duration,
    /// Locks that used it.
    pub locks: Vec<Utf8PathBuf>,
}

enum Users {
    Digests(BTreeSet<String>),
    /// The lock cannot be read.
    Unknown,
    Gone,
}

impl PackStore {
    /// Removes what no existing lock names and was not used for `unused`. With `dry_run`, removes
    /// nothing.
    ///
    /// # Errors
    ///
    /// If the store is not accessible or in use for a minute.
    pub fn prune(&self, unused: Duration, dry_run: bool) -> Result<Vec<Pruned>, Error> {
        let folder = self.folder();
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let fail = |source| Error::Io { action: "open", path: self.lock(), source };
        let lock = lock::exclusive_within(&self.lock(), LOCK_TIMEOUT).map_err(fail)?;
        let _lock = lock.ok_or_else(|| {
            let message = "another faber process is fetching packs";
            Error::usage(message, "run the command again when it has ended")
        })?;
        let mut known = BTreeMap::new();
        let mut pruned = Vec::new();
        let contents: Vec<String> = names(folder).into_iter().filter(|it| is_digest(it)).collect();
        for name in contents {
            let place = folder.join(&name);
            let (locks, last) = self.uses(&name);
            let last = last.or_else(|| age(&place)).unwrap_or_default();
            if last < unused || locks.iter().any(|lock| uses(&mut known, lock, &name)) {
                continue;
            }
            pruned.push(Pruned { bytes: size(&place), name, unused: last, locks });
        }
        let repositories = folder.join("git");
        for name in names(&repositories).into_iter().filter(|name| is_repository(name)) {
            let place = repositories.join(&name);
            let last = age(&place.with_extension("lock")).unwrap_or_default();
            if last >= unused {
                let (bytes, name) = (size(&place), format!("git/{name}"));
                pruned.push(Pruned { bytes, name, unused: last, locks: Vec::new() });
            }
        }
        if !dry_run {
            for gone in &pruned {
                remove(folder, &gone.name)?;
            }
            self.tidy(unused);
        }
        Ok(pruned)
    }

    /// Locks, and time since the last use.
    fn uses(&self, digest: &str) -> (Vec<Utf8PathBuf>, Option<Duration>) {
        let folder = self.folder().join(ABOUT).join(digest);
        let signs = names(&folder).into_iter().filter(|name| name.starts_with(USE));
        let signs: Vec<Utf8PathBuf> = signs.map(|name| folder.join(name)).collect();
        let last = signs.iter().filter_map(|sign| age(sign)).min();
        let locks = signs.iter().filter_map(|sign| std::fs::read_to_string(sign).ok());
        (locks.map(Utf8PathBuf::from).collect(), last)
    }

    /// Ignores errors: these files are small.
    fn tidy(&self, unused: Duration) {
        let folder = self.folder();
        let about = folder.join(ABOUT);
        for digest in names(&about).iter().filter(|digest| !folder.join(digest).is_dir()) {
            let _ = std::fs::remove_dir_all(about.join(digest));
        }
        for folder in [TURNS, COMMITS].map(|name| folder.join(name)) {
            let files = names(&folder).into_iter().map(|name| folder.join(name));
            for file in files.filter(|file| age(file).is_some_and(|age| age >= unused)) {
                let _ = std::fs::remove_file(file);
            }
        }
    }
}

/// Whether the lock uses the content; true if unknown.
fn uses(known: &mut BTreeMap<Utf8PathBuf, Users>, lock: &Utf8Path, digest: &str) -> bool {
    let users =
        known.entry(lock.to_owned()).or_insert_with(|| match std::fs::read_to_string(lock) {
            Ok(text) => match Lock::parse(&text) {
                Ok(lock) => {
                    Users::Digests(lock.packs.into_values().map(|pack| pack.digest).collect())
                }
                Err(_) => Users::Unknown,
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Users::Gone,
            Err(_) => Users::Unknown,
        });
    match users {
        Users::Digests(digests) => digests.contains(digest),
        Users::Unknown => true,
        Users::Gone => false,
    }
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_repository(name: &str) -> bool {
    Utf8Path::new(name).extension() == Some("git")
}

fn names(folder: &Utf8Path) -> Vec<String> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_owned()).collect();
    names.sort();
    names
}

fn size(folder: &Utf8Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten();
    files
        .filter_map(|entry| entry.metadata().ok())
        .filter(std::fs::Metadata::is_file)
        .map(|it| it.len())
        .sum()
}

/// Renames the folder first, so that it never looks complete.
fn remove(folder: &Utf8Path, name: &str) -> Result<(), Error> {
    let place = folder.join(name);
    let fail = |source| Error::Io { action: "remove", path: place.clone(), source };
    let trash = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(folder).map_err(fail)?;
    std::fs::rename(&place, trash.path().join("old")).map_err(fail)?;
    trash.close().map_err(fail)
}
