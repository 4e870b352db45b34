//! The search index on disk: parts in a folder of their own, which is swapped as a whole.
//!
//! `search/current` names the folder in force and what lies in it; it is sealed, and replaced by
//! renaming. A folder is complete before it is named, and never changed after that, so that a reader
//! has the old or the new one whatever happens to the writer. Writers exclude one another by a lock
//! that no reader asks for; who does not get it keeps what it has made in memory, and writes nothing.

use std::fs::File;
use std::io::ErrorKind;

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::discover::cache::{Cache, UNFINISHED, encode};
use crate::discover::lock;
use crate::discover::mapped;
use crate::discover::snapshot::file_stat::FileStat;

/// The folder of the index in the cache.
const FOLDER: &str = "search";
/// The file that names the folder in force.
const CURRENT: &str = "search/current";
/// The file that says how parts looked when they were what was written.
const HASHED: &str = "hashed";
/// What folders of parts begin with.
const PREFIX: &str = "g-";
/// What a folder is called, with more behind it, while it is removed.
const ASIDE: &str = ".removed-";
/// How often a reader looks again for a folder that was swapped while it was about to read it.
const TRIES: usize = 8;

/// A folder of parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    name: String,
    parts: Vec<Parcel>,
}

/// A part on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Parcel {
    name: String,
    bytes: u64,
    /// The hash of all of it. The list of parts is sealed, so only this user's faber can have written them.
    hash: [u8; 32],
}

/// That parts were hashed, and were what was written. To hash them takes longer than to search them, so
/// that is not done again while they have the same stats.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Hashed {
    generation: String,
    /// None for a part that may have been changed without a trace since.
    stats: Vec<Option<FileStat>>,
}

/// The index of one workspace on disk.
#[derive(Clone, Copy, Debug)]
pub struct Generations<'a> {
    cache: &'a Cache,
}

/// What became of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Yes,
    /// Another process is writing.
    Busy,
    /// It cannot be written.
    No,
}

impl<'a> Generations<'a> {
    /// The index in a cache.
    pub fn new(cache: &'a Cache) -> Self {
        Self { cache }
    }

    /// The generation in force, and its parts, mapped into memory; none when there is none, or when
    /// one of the parts is not there as it was written, as far as stats tell.
    pub fn open(self) -> Option<(Generation, Vec<Bytes>)> {
        for _ in 0..TRIES {
            let generation = self.current()?;
            // Swapped in between: the next one is in force by now.
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

    /// Whether there is one, be it damaged.
    pub fn exists(self) -> bool {
        self.cache.has(CURRENT)
    }

    /// Where the generation in force lies.
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

    /// Puts a generation in force that has the parts `kept` of `old`, and some new ones behind them.
    pub fn write(self, old: Option<(&Generation, &[usize])>, new: &[&[u8]]) -> WriteOutcome {
        let mut outcome = WriteOutcome::No;
        for home in self.cache.folders(FOLDER) {
            outcome = self.write_in(&home, old, new).unwrap_or(WriteOutcome::No);
            if outcome != WriteOutcome::No {
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
        // Another process may have swapped it; then what is to be kept may be gone.
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
                Ok(WriteOutcome::Yes)
            }
            failed => {
                // Half a folder is of no use to anybody.
                std::fs::remove_dir_all(&folder)?;
                failed.map(|_| WriteOutcome::No)
            }
        }
    }

    /// Puts parts into a new folder.
    fn fill(
        self,
        folder: &Utf8Path,
        old: Option<(&Generation, &[usize])>,
        new: &[&[u8]],
    ) -> std::io::Result<Vec<Parcel>> {
        let mut parts = Vec::new();
        if let Some((generation, kept)) = old {
            // It may lie in the other place.
            let from = self.folder_of(generation).ok_or(ErrorKind::NotFound)?;
            for &at in kept {
                let parcel = &generation.parts[at];
                let own = Parcel { name: parts.len().to_string(), ..parcel.clone() };
                let (from, to) = (from.join(&parcel.name), folder.join(&own.name));
                std::fs::hard_link(&from, &to).or_else(|_| std::fs::copy(&from, &to).map(drop))?;
                parts.push(own);
            }
        }
        for bytes in new {
            let parcel = Parcel::new(parts.len().to_string(), bytes);
            std::fs::write(folder.join(&parcel.name), bytes)?;
            parts.push(parcel);
        }
        Ok(parts)
    }

    /// Removes what a writer left behind that did not come to its end.
    fn tidy(self, current: &Utf8Path) {
        let (Some(home), Some(name)) = (current.parent(), current.file_name()) else { return };
        if others(home, name).next().is_some()
            && let Ok(Some(_lock)) = lock(home)
            && self.current().is_some_and(|generation| generation.name == name)
        {
            remove_others(home, name);
        }
    }

    /// Removes the index; where it lay.
    ///
    /// # Errors
    ///
    /// What removing can fail with.
    pub fn clear(self) -> std::io::Result<Vec<Utf8PathBuf>> {
        let mut removed = Vec::new();
        self.cache.forget(HASHED);
        for home in self.cache.folders(FOLDER) {
            let Some(place) = home.parent().filter(|_| home.is_dir()) else { continue };
            remove_forgotten(place);
            // Another process may be writing, and what is added to a folder while it is emptied would keep
            // it from being removed. So it goes out of the way at once.
            let aside = tempfile::Builder::new().prefix(ASIDE).tempdir_in(place)?;
            match std::fs::rename(&home, aside.path().join(FOLDER)) {
                Ok(()) => removed.push(home),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            // Another process may be removing it too, or have begun to write a file there: that is removed the
            // next time.
            let is_harmless = |error: &std::io::Error| {
                matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty)
            };
            aside.close().or_else(|error| if is_harmless(&error) { Ok(()) } else { Err(error) })?;
        }
        Ok(removed)
    }
}

/// Removes what a program was removing when it was ended.
fn remove_forgotten(place: &Utf8Path) {
    for entry in place.read_dir_utf8().into_iter().flatten().filter_map(Result::ok) {
        if entry.file_name().starts_with(ASIDE) {
            // It may be another's that is removing it right now.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Parcel {
    fn new(name: String, bytes: &[u8]) -> Self {
        Self { name, bytes: bytes.len() as u64, hash: *blake3::hash(bytes).as_bytes() }
    }

    /// The part, when it is what was written, which need not be looked at when its stat is `known`;
    /// and its stat, unless a later change might not show in it.
    fn map(&self, folder: &Utf8Path, known: Option<FileStat>) -> Option<(Bytes, Option<FileStat>)> {
        let path = folder.join(&self.name);
        let metadata = path.symlink_metadata().ok()?;
        if !metadata.is_file() || metadata.len() != self.bytes {
            return None;
        }
        // Before it is hashed, so that what changes meanwhile has another one.
        let stat = FileStat::of(&metadata);
        let is_settled = stat.is_settled();
        let bytes = mapped::map(&path)?;
        let is_sound = known == Some(stat) || self.is(&bytes);
        is_sound.then_some((bytes, is_settled.then_some(stat)))
    }

    /// Whether this is what was written.
    fn is(&self, bytes: &[u8]) -> bool {
        *blake3::hash(bytes).as_bytes() == self.hash
    }
}

impl Generation {
    /// Whether these are the bytes of its parts, whatever their stats are.
    pub fn is_of<'b>(&self, mut parts: impl Iterator<Item = &'b [u8]>) -> bool {
        self.parts.iter().all(|parcel| parts.next().is_some_and(|bytes| parcel.is(bytes)))
    }
}

/// The lock of writers; none when another process holds it.
fn lock(home: &Utf8Path) -> std::io::Result<Option<File>> {
    lock::now(&home.join("lock"))
}

/// Folders of parts but for one, and files that a writer of the list of parts left behind.
fn others(home: &Utf8Path, name: &str) -> impl Iterator<Item = Utf8PathBuf> {
    let entries = home.read_dir_utf8().into_iter().flatten().filter_map(Result::ok);
    let other = move |entry: &camino::Utf8DirEntry| {
        let own = entry.file_name();
        own.starts_with(UNFINISHED) || own.starts_with(PREFIX) && own != name
    };
    entries.filter(other).map(camino::Utf8DirEntry::into_path).collect::<Vec<_>>().into_iter()
}

/// To be called with the lock: only who has it writes the list of parts.
fn remove_others(home: &Utf8Path, name: &str) {
    for path in others(home, name) {
        // A system may keep what is still mapped; the next writer tries again.
        let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
    }
}
