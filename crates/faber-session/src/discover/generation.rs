//! A folder of parts that never changes; `search/current` names it.

use std::fs::File;
use std::io::ErrorKind;

use bytes::Bytes;
use camino::{Utf8DirEntry, Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::discover::cache::{Cache, UNFINISHED, encode};
use crate::discover::lock;
use crate::discover::mapped;
use crate::discover::snapshot::file_stat::FileStat;

const FOLDER: &str = "search";
const CURRENT: &str = "search/current";
const HASHED: &str = "hashed";
const PREFIX: &str = "g-";
const TRASH: &str = ".removed-";
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

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Hashed {
    generation: String,
    stats: Vec<Option<FileStat>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Generations<'a> {
    cache: &'a Cache,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Written,
    Busy,
    Failed,
}

impl<'a> Generations<'a> {
    pub fn new(cache: &'a Cache) -> Self {
        Self { cache }
    }

    pub fn open(self) -> Option<(Generation, Vec<Bytes>)> {
        for _ in 0..TRIES {
            let generation = self.current()?;
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

    pub fn write(self, old: Option<(&Generation, &[usize])>, new: &[&[u8]]) -> WriteOutcome {
        let homes = self.cache.folders(FOLDER);
        let mut outcomes = homes.iter().filter_map(|home| self.write_in(home, old, new).ok());
        outcomes.find(|it| *it != WriteOutcome::Failed).unwrap_or(WriteOutcome::Failed)
    }

    fn write_in(
        self,
        home: &Utf8Path,
        old: Option<(&Generation, &[usize])>,
        new: &[&[u8]],
    ) -> std::io::Result<WriteOutcome> {
        self.cache.prepare(home)?;
        let Some(_lock) = lock(home)? else { return Ok(WriteOutcome::Busy) };
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
        if !others(home, name).is_empty()
            && let Ok(Some(_lock)) = lock(home)
            && self.current().is_some_and(|generation| generation.name == name)
        {
            remove_others(home, name);
        }
    }

    /// # Errors
    ///
    /// If an index remains that would be used.
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

fn remove(home: &Utf8Path) -> std::io::Result<bool> {
    let Some(place) = home.parent().filter(|_| home.is_dir()) else { return Ok(false) };
    remove_forgotten(place);
    // First: others may add files meanwhile.
    let trash = tempfile::Builder::new().prefix(TRASH).tempdir_in(place)?;
    let is_removed = match std::fs::rename(home, trash.path().join(FOLDER)) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    match trash.close() {
        Err(error)
            if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) =>
        {
            Err(error)
        }
        _ => Ok(is_removed),
    }
}

fn remove_forgotten(place: &Utf8Path) {
    for entry in place.read_dir_utf8().into_iter().flatten().flatten() {
        if entry.file_name().starts_with(TRASH) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl GenerationPart {
    fn new(name: String, bytes: &[u8]) -> Self {
        Self { name, bytes: bytes.len() as u64, hash: *blake3::hash(bytes).as_bytes() }
    }

    fn map(&self, folder: &Utf8Path, known: Option<FileStat>) -> Option<(Bytes, Option<FileStat>)> {
        let path = folder.join(&self.name);
        let metadata = path.symlink_metadata().ok()?;
        if !metadata.is_file() || metadata.len() != self.bytes {
            return None;
        }
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
    pub fn is_of<'b>(&self, mut parts: impl Iterator<Item = &'b [u8]>) -> bool {
        self.parts.iter().all(|parcel| parts.next().is_some_and(|bytes| parcel.is(bytes)))
    }
}

fn lock(home: &Utf8Path) -> std::io::Result<Option<File>> {
    lock::now(&home.join("lock"))
}

fn others(home: &Utf8Path, name: &str) -> Vec<Utf8PathBuf> {
    let entries = home.read_dir_utf8().into_iter().flatten().flatten();
    let is_other =
        |own: &str| own.starts_with(UNFINISHED) || own.starts_with(PREFIX) && own != name;
    entries.filter(|it| is_other(it.file_name())).map(Utf8DirEntry::into_path).collect()
}

fn remove_others(home: &Utf8Path, name: &str) {
    for path in others(home, name) {
        let _ = std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path));
    }
}
