//! The search index on disk.
//!
//! A generation is a folder of parts that never changes; `search/current` names the current one.
//! Writers exclude each other; one without the lock writes nothing.

use std::fs::File;
use std::io::ErrorKind;

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::discover::cache::{Cache, UNFINISHED, encode};
use crate::discover::lock;
use crate::discover::mapped;
use crate::discover::snapshot::file_stat::FileStat;

const FOLDER: &str = "search";
const CURRENT: &str = "search/current";
/// Stats of verified parts.
const HASHED: &str = "hashed";
const PREFIX: &str = "g-";
/// Prefix of folders that are being removed.
const TRASH: &str = ".removed-";
/// Retries if the generation is replaced while it is opened.
const TRIES: usize = 8;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    name: String,
    parts: Vec<GenerationPart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct GenerationPart {
    name: String,
    bytes: u64,
    hash: [u8; 32],
}

/// Avoids hashing unchanged parts, which takes longer than a search.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Hashed {
    generation: String,
    /// `None` if the part may have changed since.
    stats: Vec<Option<FileStat>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Generations<'a> {
    cache: &'a Cache,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Written,
    /// Another process is writing.
    Busy,
    Failed,
}

impl<'a> Generations<'a> {
    pub fn new(cache: &'a Cache) -> Self {
        Self { cache }
    }

    /// Maps the current parts. Returns `None` if one was modified, judging by stats.
    pub fn open(self) -> Option<(Generation, Vec<Bytes>)> {
        for _ in 0..TRIES {
            let generation = self.current()?;
            // Replaced meanwhile.
            let Some(folder) = self.folder_of(&generation) else { continue };
            match self.map(&generation, &folder) {
                Some(parts) => {
                    self.tidy(&folder);
                    return Some((generation, parts));
                }
                None if self.current().as_ref() == Some(&generation) => return None,
                None => {}
            }
        }
        None
    }

    fn map(self, generation: &Generation, folder: &Utf8Path) -> Option<Vec<Bytes>> {
        let known = self.cache.read(HASHED).and_then(|known| rmp_serde::from_slice(&known).ok());
        let known = known.filter(|known: &Hashed| known.generation == generation.name);
        let known_of = |at: usize| known.as_ref()?.stats.get(at).copied().flatten();
        let parts = generation.parts.iter().enumerate();
        let parts: Option<Vec<(Bytes, Option<FileStat>)>> =
            parts.map(|(at, parcel)| parcel.map(folder, known_of(at))).collect();
        let (parts, stats) = parts?.into_iter().unzip();
        let hashed = Hashed { generation: generation.name.clone(), stats };
        if known.as_ref() != Some(&hashed) && hashed.stats.iter().any(Option::is_some) {
            self.cache.write(HASHED, &encode(&hashed));
        }
        Some(parts)
    }

    /// Whether there is an index, valid or not.
    pub fn exists(self) -> bool {
        self.cache.has(CURRENT)
    }

    pub fn folder(self) -> Option<Utf8PathBuf> {
        self.folder_of(&self.current()?)
    }

    fn folder_of(self, generation: &Generation) -> Option<Utf8PathBuf> {
        let folders = self.cache.folders(&format!("{FOLDER}/{}", generation.name));
        folders.into_iter().find(|folder| folder.is_dir())
    }

    fn current(self) -> Option<Generation> {
        rmp_serde::from_slice(&self.cache.read(CURRENT)?).ok()
    }

    /// Writes the `kept` parts of `old`, then `new`.
    pub fn write(self, old: Option<(&Generation, &[usize])>, new: &[&[u8]]) -> WriteOutcome {
        let mut outcome = WriteOutcome::Failed;
        for home in self.cache.folders(FOLDER) {
            outcome = self.write_in(&home, old, new).unwrap_or(WriteOutcome::Failed);
            if outcome != WriteOutcome::Failed {
                break;
            }
        }
        outcome
    }

    fn write_in(
        self,
        home: &Utf8Path,
        old: Option<(&Generation, &[usize])>,
        new: &[&[u8]],
    ) -> std::io::Result<WriteOutcome> {
        self.cache.prepare(home)?;
        let Some(_lock) = lock(home)? else { return Ok(WriteOutcome::Busy) };
        // Kept parts may be gone.
        if let Some((old, _)) = old
            && self.current().as_ref() != Some(old)
        {
            return Ok(WriteOutcome::Busy);
        }
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(std::io::Error::other)?;
        let name = format!("{PREFIX}{:016x}", u64::from_le_bytes(random));
        let folder = home.join(&name);
        std::fs::create_dir(&folder)?;
        let written = self.fill(&folder, old, new).map(|parts| Generation { name, parts });
        let written = written.inspect(|generation| {
            self.cache.write(CURRENT, &encode(generation));
        });
        match written {
            Ok(generation) if self.current().as_ref() == Some(&generation) => {
                remove_others(home, &generation.name);
                Ok(WriteOutcome::Written)
            }
            failed => {
                std::fs::remove_dir_all(&folder)?;
                failed.map(|_| WriteOutcome::Failed)
            }
        }
    }

    fn fill(
        self,
        folder: &Utf8Path,
        old: Option<(&Generation, &[usize])>,
        new: &[&[u8]],
    ) -> std::io::Result<Vec<GenerationPart>> {
        let mut parts = Vec::new();
        if let Some((generation, kept)) = old {
            // It may be in either cache folder.
            let from = self.folder_of(generation).ok_or(ErrorKind::NotFound)?;
            for &at in kept {
                let parcel = &generation.parts[at];
                let own = GenerationPart { name: parts.len().to_string(), ..parcel.clone() };
                let (from, to) = (from.join(&parcel.name), folder.join(&own.name));
                std::fs::hard_link(&from, &to).or_else(|_| std::fs::copy(&from, &to).map(drop))?;
                parts.push(own);
            }
        }
        for bytes in new {
            let parcel = GenerationPart::new(parts.len().to_string(), bytes);
            std::fs::write(folder.join(&parcel.name), bytes)?;
            parts.push(parcel);
        }
        Ok(parts)
    }

    fn tidy(self, current: &Utf8Path) {
        let (Some(home), Some(name)) = (current.parent(), current.file_name()) else { return };
        if others(home, name).next().is_some()
            && let Ok(Some(_lock)) = lock(home)
            && self.current().is_some_and(|generation| generation.name == name)
        {
            remove_others(home, name);
        }
    }

    /// Returns the removed folders.
    ///
    /// # Errors
    ///
    /// If the index cannot be removed. A folder of another user is not used, and may stay.
    pub fn clear(self) -> std::io::Result<Vec<Utf8PathBuf>> {
        let (mut removed, mut failed) = (Vec::new(), None);
        self.cache.forget(HASHED);
        for home in self.cache.folders(FOLDER) {
            match remove(&home) {
                Ok(true) => removed.push(home),
                Ok(false) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) if self.current().is_some() => Err(error),
            _ => Ok(removed),
        }
    }
}

/// `false` if the folder is missing.
fn remove(home: &Utf8Path) -> std::io::Result<bool> {
    let Some(place) = home.parent().filter(|_| home.is_dir()) else { return Ok(false) };
    remove_forgotten(place);
    // Rename first, since other processes may add files while it is emptied.
    let trash = tempfile::Builder::new().prefix(TRASH).tempdir_in(place)?;
    let is_removed = match std::fs::rename(home, trash.path().join(FOLDER)) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    match trash.close() {
        // Another process is active; the next call removes the rest.
        Err(error)
            if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) =>
        {
            Err(error)
        }
        _ => Ok(is_removed),
    }
}

fn remove_forgotten(place: &Utf8Path) {
    for entry in place.read_dir_utf8().into_iter().flatten().filter_map(Result::ok) {
        if entry.file_name().starts_with(TRASH) {
            // Another process may be removing it.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl GenerationPart {
    fn new(name: String, bytes: &[u8]) -> Self {
        Self { name, bytes: bytes.len() as u64, hash: *blake3::hash(bytes).as_bytes() }
    }

    /// Maps a valid part. Also returns its stat, if later changes would alter it.
    fn map(&self, folder: &Utf8Path, known: Option<FileStat>) -> Option<(Bytes, Option<FileStat>)> {
        let path = folder.join(&self.name);
        let metadata = path.symlink_metadata().ok()?;
        if !metadata.is_file() || metadata.len() != self.bytes {
            return None;
        }
        // Before hashing, to notice later changes.
        let stat = FileStat::of(&metadata);
        let is_settled = stat.is_settled();
        let bytes = mapped::map(&path)?;
        let is_sound = known == Some(stat) || self.is(&bytes);
        is_sound.then_some((bytes, is_settled.then_some(stat)))
    }

    fn is(&self, bytes: &[u8]) -> bool {
        *blake3::hash(bytes).as_bytes() == self.hash
    }
}

impl Generation {
    /// Compares hashes, not stats.
    pub fn is_of<'b>(&self, mut parts: impl Iterator<Item = &'b [u8]>) -> bool {
        self.parts.iter().all(|parcel| parts.next().is_some_and(|bytes| parcel.is(bytes)))
    }
}

fn lock(home: &Utf8Path) -> std::io::Result<Option<File>> {
    lock::now(&home.join("lock"))
}

fn others(home: &Utf8Path, name: &str) -> impl Iterator<Item = Utf8PathBuf> {
    let entries = home.read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
    let other = move |entry: &camino::Utf8DirEntry| {
        let own = entry.file_name();
        own.starts_with(UNFINISHED) || own.starts_with(PREFIX) && own != name
    };
    entries.filter(other).map(camino::Utf8DirEntry::into_path).collect::<Vec<_>>().into_iter()
}

/// Requires the lock.
fn remove_others(home: &Utf8Path, name: &str) {
    for path in others(home, name) {
        // Some systems keep mapped files.
        let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
    }
}
