//! Removes stored packs after a while: other branches may have locks.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::discover::pack_store::{ABOUT, COMMITS, PackStore, TURNS, UNFINISHED, USE, age};
use crate::discover::{failed, lock};
use faber_core::error::Error;
use faber_core::packs::lock::Lock;

const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedPack {
    pub name: String,
    pub address: Option<String>,
    pub bytes: u64,
    pub unused: Duration,
    pub locks: Vec<Utf8PathBuf>,
}

type Digests = Option<BTreeSet<String>>;

impl PackStore {
    /// # Errors
    ///
    /// Also if the store is in use for a minute.
    pub fn prune(&self, unused: Duration, dry_run: bool) -> Result<Vec<PrunedPack>, Error> {
        let folder = self.folder();
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let path = self.lock();
        let lock = lock::exclusive_within(&path, LOCK_TIMEOUT).map_err(failed("open", &path))?;
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
            let bytes = size(&place);
            pruned.push(PrunedPack { name, address: None, bytes, unused: last, locks });
        }
        let repositories = folder.join("git");
        for name in names(&repositories).into_iter().filter(|name| is_repository(name)) {
            let place = repositories.join(&name);
            let lock = place.with_extension("lock");
            let last = age(&lock).unwrap_or_default();
            if last >= unused {
                let address = std::fs::read_to_string(&lock).ok().filter(|it| !it.is_empty());
                let (bytes, name) = (size(&place), format!("git/{name}"));
                pruned.push(PrunedPack { name, address, bytes, unused: last, locks: Vec::new() });
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

    fn uses(&self, digest: &str) -> (Vec<Utf8PathBuf>, Option<Duration>) {
        let folder = self.folder().join(ABOUT).join(digest);
        let signs = names(&folder).into_iter().filter(|name| name.starts_with(USE));
        let signs: Vec<Utf8PathBuf> = signs.map(|name| folder.join(name)).collect();
        let last = signs.iter().filter_map(|sign| age(sign)).min();
        let locks = signs.iter().filter_map(|sign| std::fs::read_to_string(sign).ok());
        (locks.map(Utf8PathBuf::from).collect(), last)
    }

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

/// True if the lock cannot be read, false if it is gone.
fn uses(known: &mut BTreeMap<Utf8PathBuf, Digests>, lock: &Utf8Path, digest: &str) -> bool {
    let read = || match std::fs::read_to_string(lock) {
        Ok(text) => {
            let packs = Lock::parse(&text).ok()?.packs.into_values();
            Some(packs.map(|pack| pack.digest).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(BTreeSet::new()),
        Err(_) => None,
    };
    let digests = known.entry(lock.to_owned()).or_insert_with(read);
    digests.as_ref().is_none_or(|digests| digests.contains(digest))
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
    let files = WalkDir::new(folder).into_iter().flatten().filter_map(|it| it.metadata().ok());
    files.filter(std::fs::Metadata::is_file).map(|it| it.len()).sum()
}

/// Renames first, so that it never looks complete.
fn remove(folder: &Utf8Path, name: &str) -> Result<(), Error> {
    let place = folder.join(name);
    let fail = failed("remove", &place);
    let trash = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(folder).map_err(fail)?;
    std::fs::rename(&place, trash.path().join("old")).map_err(fail)?;
    trash.close().map_err(fail)
}
