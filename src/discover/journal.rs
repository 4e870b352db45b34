//! What a run has seen of the disk, and whether it would see the same again.
//!
//! Everything behind `discover` is a function of values. So a run that is asked the same and would
//! see the same prints the same, and need not be run: [`Journal`] notes what is seen, and a
//! [`Sight`] can be looked at again.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The hash of a content or of a listing: the first half of BLAKE3.
type Hash = [u8; 16];

/// A file that was changed this short a time before it was looked at may be changed once more
/// without a trace in its time stamps: system clocks tick every 1 to 10 ms.
const TICK: Duration = Duration::from_millis(100);
/// The same for file systems that count whole or even seconds.
const COARSE_TICK: Duration = Duration::from_secs(3);

/// What there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    fn of(metadata: &Metadata) -> Self {
        match metadata.file_type() {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }

    /// What there is at `path`, links followed.
    fn at(path: &Utf8Path) -> Self {
        std::fs::metadata(path).map_or(Self::Missing, |metadata| Self::of(&metadata))
    }
}

/// What tells without reading that a file or folder has not changed: size, times in nanoseconds
/// since 1970, and on Unix device and inode. The time of change cannot be set back by programs.
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
        let Ok(now) = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        let whole_seconds = self.modified % 1_000_000_000 == 0;
        let tick = if whole_seconds { COARSE_TICK } else { TICK };
        let latest = u64::try_from(self.modified.max(self.changed)).unwrap_or(u64::MAX);
        Duration::from_nanos(latest).saturating_add(tick) < now
    }
}

/// What was seen at one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Seen {
    /// What there is.
    Kind(Kind),
    /// A regular file, read.
    Content { stamp: Stamp, hash: Hash },
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
    seen: BTreeMap<Utf8PathBuf, Seen>,
    variables: BTreeMap<String, Option<Hash>>,
    /// Something was seen that looking again does not tell.
    elusive: bool,
}

impl Journal {
    /// A journal that takes notes.
    pub fn recording() -> Self {
        Self { notes: Some(Arc::default()) }
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
        self.note(|notes| notes.add(path, Seen::Kind(kind)));
        kind
    }

    /// The regular file at `path` was read; `metadata` is from before that.
    pub(super) fn content(&self, path: &Utf8Path, metadata: &Metadata, bytes: &[u8]) {
        if self.notes.is_some() {
            let seen = Seen::Content { stamp: Stamp::of(metadata), hash: hash(bytes) };
            self.seen(path, seen);
        }
    }

    /// The folder at `path` was listed.
    pub(super) fn listing(&self, path: &Utf8Path) {
        if self.notes.is_some() {
            match listing(path) {
                Some(seen) => self.seen(path, seen),
                None => self.elusive(),
            }
        }
    }

    fn seen(&self, path: &Utf8Path, seen: Seen) {
        let settled = seen.stamp().is_none_or(Stamp::is_settled);
        self.note(|notes| {
            notes.add(path, seen);
            notes.elusive |= !settled;
        });
    }

    /// What was seen, if looking again can tell whether it is still so.
    pub fn sight(&self) -> Option<Sight> {
        let notes = self.notes.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        (!notes.elusive).then(|| Sight {
            seen: notes.seen.iter().map(|(path, seen)| (path.clone(), *seen)).collect(),
            variables: notes.variables.clone(),
        })
    }
}

impl Notes {
    fn add(&mut self, path: &Utf8Path, seen: Seen) {
        let Some(before) = self.seen.get_mut(path) else {
            self.seen.insert(path.to_owned(), seen);
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
        let plain = |seen: &Seen| match *seen {
            Seen::Kind(kind) => (kind, None),
            Seen::Content { hash, .. } => (Kind::File, Some(hash)),
            Seen::Listing { hash, .. } => (Kind::Folder, Some(hash)),
        };
        let mut hasher = blake3::Hasher::new();
        for (path, seen) in &self.seen {
            hasher.update(format!("{path:?}{:?}", plain(seen)).as_bytes());
        }
        hasher.update(format!("{:?}", self.variables).as_bytes());
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// Looks at everything again. What has its old stamp is not read.
    pub fn look_again(&self, vars: &[(String, String)]) -> Verdict {
        if self.variables.iter().any(|(name, seen)| value_of(name, vars) != *seen) {
            return Verdict::Changed;
        }
        let now: Option<Vec<Seen>> =
            self.seen.par_iter().with_min_len(128).map(|(path, seen)| seen.again(path)).collect();
        let Some(now) = now else { return Verdict::Changed };
        if self.seen.iter().zip(&now).all(|((_, then), now)| then == now) {
            return Verdict::Same;
        }
        let seen = self.seen.iter().zip(now).map(|((path, _), now)| (path.clone(), now)).collect();
        Verdict::Touched(Self { seen, variables: self.variables.clone() })
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
    fn again(self, path: &Utf8Path) -> Option<Self> {
        let (stamp, old_hash) = match self {
            Self::Kind(kind) => return (Kind::at(path) == kind).then_some(self),
            Self::Content { stamp, hash } | Self::Listing { stamp, hash } => (stamp, hash),
        };
        let metadata = std::fs::symlink_metadata(path).ok()?;
        if Stamp::of(&metadata) == stamp {
            return Some(self);
        }
        // It may have become a link, or lie behind one, and then more than its content counts.
        if path.canonicalize_utf8().ok()? != path {
            return None;
        }
        let stamp = Stamp::of(&metadata);
        let now = match self {
            Self::Content { .. }
                if metadata.is_file() && stamp.size <= super::files::MAX_FILE_BYTES =>
            {
                Self::Content { stamp, hash: hash(&std::fs::read(path).ok()?) }
            }
            Self::Listing { .. } => listing(path)?,
            _ => return None,
        };
        let (Self::Content { hash, stamp } | Self::Listing { hash, stamp }) = now else {
            return None;
        };
        (hash == old_hash && stamp.is_settled()).then_some(now)
    }
}

/// The listing of a folder: names and kinds. None when it cannot be listed, or has links, whose
/// targets a listing does not show.
fn listing(path: &Utf8Path) -> Option<Seen> {
    let stamp = Stamp::of(&std::fs::symlink_metadata(path).ok()?);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path).ok()? {
        let entry = entry.ok()?;
        let kind = entry.file_type().ok()?;
        if kind.is_symlink() {
            return None;
        }
        let kind = if kind.is_dir() {
            b'd'
        } else if kind.is_file() {
            b'f'
        } else {
            b'o'
        };
        names.push((entry.file_name().into_encoded_bytes(), kind));
    }
    names.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for (name, kind) in names {
        hasher.update(&name).update(&[0, kind]);
    }
    Some(Seen::Listing { stamp, hash: half(&hasher.finalize()) })
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
