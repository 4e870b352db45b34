//! What a run has seen of the disk, and whether it would see the same again.
//!
//! Everything behind `discover` is a function of values. So a run that is asked the same and would
//! see the same prints the same, and need not be run: [`Journal`] notes what is seen, and a
//! [`Sight`] can be looked at again.

mod glimpse;

pub use glimpse::Glimpse;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{FileType, Metadata};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::config::Freshness;
use crate::discover::files::MAX_FILE_BYTES;

/// The hash of a content or of a listing: the first half of BLAKE3.
type Hash = [u8; 16];

/// A file that was changed this short a time before it was looked at may be changed once more
/// without a trace in its time stamps: system clocks tick every 1 to 10 ms.
const TICK: Duration = Duration::from_millis(100);
/// The same for file systems that count whole or even seconds.
const COARSE_TICK: Duration = Duration::from_secs(3);

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a pipe, a device.
    Other,
}

impl Kind {
    /// That of a directory entry or of metadata.
    pub(super) fn of(kind: FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }

    /// What there is at `path`, links followed.
    fn at(path: &Utf8Path) -> Self {
        std::fs::metadata(path).map_or(Self::Missing, |metadata| Self::of(metadata.file_type()))
    }
}

/// What tells without reading that a file or folder has not changed: size, times in nanoseconds
/// since 1970, and on Unix device and inode. The time of change cannot be set back by programs.
/// (Not even so does one see a write to a page that is mapped into memory and was dirty already.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    size: u64,
    modified: i64,
    changed: i64,
    device: u64,
    inode: u64,
}

impl Stamp {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000) + nanos;
        Self {
            size: metadata.size(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let nanos = |time: std::io::Result<SystemTime>| {
            let since = time.ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_nanos()).ok()
        };
        Self {
            size: metadata.len(),
            modified: nanos(metadata.modified()).unwrap_or(i64::MAX),
            changed: nanos(metadata.created()).unwrap_or(i64::MAX),
            device: 0,
            inode: 0,
        }
    }

    /// Whether a later change is certain to leave another stamp.
    fn is_settled(&self) -> bool {
        since_1970().is_some_and(|now| self.settles() < now)
    }

    /// From when on, since 1970, a later change is certain to leave another stamp.
    fn settles(&self) -> Duration {
        let whole_seconds = self.modified % 1_000_000_000 == 0;
        let tick = if whole_seconds { COARSE_TICK } else { TICK };
        let latest = u64::try_from(self.modified.max(self.changed)).unwrap_or(u64::MAX);
        Duration::from_nanos(latest).saturating_add(tick)
    }
}

/// The time now; none with a clock that has not come as far.
fn since_1970() -> Option<Duration> {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()
}

/// What was seen at one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Seen {
    /// What there is.
    Kind(Kind),
    /// A regular file, read; by a link, when it lies outside of the workspace.
    Content { stamp: Stamp, hash: Hash, linked: bool },
    /// A folder, listed.
    Listing { stamp: Stamp, hash: Hash },
}

/// Takes notes, when somebody wants them. Clones write into the same notes.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    notes: Option<Arc<Mutex<Notes>>>,
}

#[derive(Debug, Default)]
struct Notes {
    // By path as text: paths as such are hashed and compared part by part. Sorted before it is listed.
    seen: HashMap<String, Seen>,
    /// Folders to which no link leads.
    plain: BTreeSet<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Hash>>,
    /// Something was seen that looking again does not tell.
    elusive: bool,
    /// Something was seen that had just changed, and may change again without leaving a trace.
    unsettled: bool,
    /// When the journal was begun, since 1970.
    began: Option<Duration>,
}

impl Journal {
    /// A journal that takes notes.
    pub fn recording() -> Self {
        let notes = Notes { began: since_1970(), ..Notes::default() };
        Self { notes: Some(Arc::new(Mutex::new(notes))) }
    }

    fn note(&self, write: impl FnOnce(&mut Notes)) {
        if let Some(notes) = &self.notes {
            write(&mut notes.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Something was seen that looking again does not tell, such as what another program answered.
    pub fn elusive(&self) {
        self.note(|notes| notes.elusive = true);
    }

    /// Variables of the environment were looked up.
    pub fn variables(&self, names: impl IntoIterator<Item = String>, vars: &[(String, String)]) {
        self.note(|notes| {
            notes.variables.extend(names.into_iter().map(|name| {
                let hash = value_of(&name, vars);
                (name, hash)
            }));
        });
    }

    /// Looks what there is at `path`, links followed.
    pub(super) fn look(&self, path: &Utf8Path) -> Kind {
        let kind = Kind::at(path);
        self.kind(path, kind);
        kind
    }

    /// This is what there was at `path`, links followed.
    pub(super) fn kind(&self, path: &Utf8Path, kind: Kind) {
        self.note(|notes| notes.add(path, Seen::Kind(kind)));
    }

    /// No link leads to the folder at `path`.
    pub(super) fn plain(&self, path: &Utf8Path) {
        self.note(|notes| {
            notes.plain.insert(path.to_owned());
        });
    }

    /// The regular file at `path` was read, by a link if it is `linked`; `metadata` is from before
    /// that.
    pub(super) fn content(&self, path: &Utf8Path, metadata: &Metadata, linked: bool, bytes: &[u8]) {
        if self.notes.is_none() {
            return;
        }
        self.seen(path, Seen::Content { stamp: Stamp::of(metadata), hash: hash(bytes), linked });
        // What is made up at each reading has no size; it may have changed without a trace.
        if metadata.len() != bytes.len() as u64 {
            self.elusive();
        }
    }

    /// The folder at `path` was listed, and this is what lay in it.
    pub(super) fn listing(&self, path: &Utf8Path, seen: &Names) {
        if self.notes.is_none() {
            return;
        }
        // The stamp is taken before the folder is listed once more, and both listings are the same:
        // so whatever changes from now on leaves another stamp.
        match listing(path) {
            Some((listing, names)) if names == *seen => self.seen(path, listing),
            _ => self.elusive(),
        }
    }

    /// Whether anybody takes notes.
    pub(super) fn is_recording(&self) -> bool {
        self.notes.is_some()
    }

    fn seen(&self, path: &Utf8Path, seen: Seen) {
        let settled = seen.stamp().is_none_or(Stamp::is_settled);
        self.note(|notes| {
            notes.add(path, seen);
            notes.unsettled |= !settled;
        });
    }

    /// What was seen, if looking again can tell whether it is still so.
    pub fn sight(&self) -> Option<Sight> {
        let notes = self.notes.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        (!notes.elusive && !notes.unsettled).then(|| notes.sight())
    }
}

impl Notes {
    fn sight(&self) -> Sight {
        let mut seen: Vec<(Utf8PathBuf, Seen)> =
            self.seen.iter().map(|(path, seen)| (path.as_str().into(), *seen)).collect();
        seen.sort_unstable_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        Sight {
            seen,
            plain: self.plain.iter().cloned().collect(),
            variables: self.variables.clone(),
        }
    }

    fn add(&mut self, path: &Utf8Path, seen: Seen) {
        let Some(before) = self.seen.get_mut(path.as_str()) else {
            self.seen.insert(path.as_str().to_owned(), seen);
            return;
        };
        // What changed in the middle of a run was not one thing to begin with.
        self.elusive |= match (*before, seen) {
            (Seen::Kind(before), Seen::Kind(now)) => before != now,
            (Seen::Kind(kind), _) | (_, Seen::Kind(kind)) => {
                kind == Kind::Missing || kind == Kind::Other
            }
            (before, now) => before != now,
        };
        if matches!(before, Seen::Kind(_)) {
            *before = seen;
        }
    }
}

/// Everything that a run has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    seen: Vec<(Utf8PathBuf, Seen)>,
    plain: Vec<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Hash>>,
}

/// How a sight compares with what there is now.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is as it was.
    Same,
    /// Files were touched, and have the same content; the sight with their new stamps.
    Touched(Sight),
    /// Something is different.
    Changed,
}

impl Sight {
    /// A name that all sights of the same have, whatever their stamps.
    pub fn name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (path, seen) in &self.seen {
            hasher.update(path.as_str().as_bytes());
            match seen {
                Seen::Kind(kind) => hasher.update(&[0, 0, *kind as u8]),
                Seen::Content { hash, linked, .. } => {
                    hasher.update(&[0, 1, u8::from(*linked)]).update(hash)
                }
                Seen::Listing { hash, .. } => hasher.update(&[0, 2]).update(hash),
            };
        }
        hasher.update(format!("{:?}{:?}", self.plain, self.variables).as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Looks at everything again. What has its old stamp is read only to verify it.
    pub fn look_again(&self, vars: &[(String, String)], freshness: Freshness) -> Verdict {
        if self.variables.iter().any(|(name, seen)| value_of(name, vars) != *seen) {
            return Verdict::Changed;
        }
        let is_plain = |path: &Utf8PathBuf| {
            is_plain(path).unwrap_or_else(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        if !self.plain.iter().all(is_plain) {
            return Verdict::Changed;
        }
        let now: Option<Vec<Seen>> = self
            .seen
            .par_iter()
            .with_min_len(128)
            .map(|(path, seen)| seen.again(path, freshness))
            .collect();
        let Some(now) = now else { return Verdict::Changed };
        if self.seen.iter().zip(&now).all(|((_, then), now)| then == now) {
            return Verdict::Same;
        }
        let seen = self.seen.iter().zip(now).map(|((path, _), now)| (path.clone(), now)).collect();
        Verdict::Touched(Self { seen, ..self.clone() })
    }
}

impl Seen {
    fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Kind(_) => None,
            Self::Content { stamp, .. } | Self::Listing { stamp, .. } => Some(stamp),
        }
    }

    /// The same with the stamp that it has now; none when it is no longer the same, or when its
    /// stamp says nothing yet.
    fn again(self, path: &Utf8Path, freshness: Freshness) -> Option<Self> {
        let now = self.now(path, freshness)?;
        (now == self || now.stamp().is_none_or(Stamp::is_settled)).then_some(now)
    }

    /// The same with the stamp that it has now; none when it is no longer the same.
    fn now(self, path: &Utf8Path, freshness: Freshness) -> Option<Self> {
        let (stamp, old_hash, linked) = match self {
            Self::Kind(kind) => return (Kind::at(path) == kind).then_some(self),
            Self::Content { stamp, hash, linked } => (stamp, hash, linked),
            Self::Listing { stamp, hash } => (stamp, hash, false),
        };
        let mut metadata = std::fs::symlink_metadata(path).ok()?;
        if linked && metadata.is_symlink() {
            metadata = std::fs::metadata(path).ok()?;
        }
        let now = Stamp::of(&metadata);
        if now == stamp && freshness != Freshness::Verify {
            return Some(self);
        }
        let now = match self {
            Self::Content { .. } if metadata.is_file() && now.size <= MAX_FILE_BYTES => {
                Self::Content { stamp: now, hash: hash(&std::fs::read(path).ok()?), linked }
            }
            Self::Listing { .. } => listing(path)?.0,
            _ => return None,
        };
        let (Self::Content { hash, .. } | Self::Listing { hash, .. }) = now else {
            return None;
        };
        (hash == old_hash).then_some(now)
    }
}

/// What lies in a folder: names, and what there is under them.
pub(super) type Names = BTreeSet<(OsString, Kind)>;

/// The listing of a folder: names and kinds. None when it cannot be listed, or has links, whose
/// targets a listing does not show.
fn listing(path: &Utf8Path) -> Option<(Seen, Names)> {
    let metadata = std::fs::symlink_metadata(path).ok().filter(Metadata::is_dir)?;
    let mut names = Names::new();
    for entry in std::fs::read_dir(path).ok()? {
        let entry = entry.ok()?;
        let kind = Kind::of(entry.file_type().ok().filter(|kind| !kind.is_symlink())?);
        names.insert((entry.file_name(), kind));
    }
    let mut hasher = blake3::Hasher::new();
    for (name, kind) in &names {
        hasher.update(name.as_encoded_bytes()).update(&[0, *kind as u8]);
    }
    Some((Seen::Listing { stamp: Stamp::of(&metadata), hash: half(&hasher.finalize()) }, names))
}

/// Whether no link leads to the folder at `path`.
pub(super) fn is_plain(path: &Utf8Path) -> std::io::Result<bool> {
    path.canonicalize_utf8().map(|real| real == *path)
}

fn value_of(name: &str, vars: &[(String, String)]) -> Option<Hash> {
    let (_, value) = vars.iter().find(|(key, _)| key == name)?;
    Some(hash(value.as_bytes()))
}

fn hash(bytes: &[u8]) -> Hash {
    half(&blake3::hash(bytes))
}

fn half(hash: &blake3::Hash) -> Hash {
    let (half, _) = hash.as_bytes().split_at(16);
    half.try_into().expect("a half has 16 bytes")
}
