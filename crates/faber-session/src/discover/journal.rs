//! What a run has seen of the disk, and whether it would see the same again.
//!
//! Everything behind `discover` is a function of values. So a run that is asked the same and would
//! see the same prints the same, and need not be run: [`Journal`] notes what is seen, and a
//! [`Sight`] can be looked at again.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::Metadata;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::glimpse::{Glimpse, Glimpsed};
use crate::discover::seen::{Hash, Kind, Names, Seen, hash, listing};
use crate::discover::sight::{Sight, value_of};
use crate::discover::stamp::{self, Stamp};

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
        let notes = Notes { began: stamp::since_1970(), ..Notes::default() };
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
    pub fn sight(&self) -> Option<Sight<'static>> {
        let notes = self.notes.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.elusive || notes.unsettled {
            return None;
        }
        let seen = notes.seen.iter().map(|(path, seen)| (path.as_str(), *seen));
        Sight::new(seen, notes.plain.iter().cloned().collect(), notes.variables.clone())
    }

    /// What has been seen up to now, for who looks again in the same process; none when no notes were
    /// taken.
    pub fn glimpse(&self) -> Option<Glimpse> {
        let notes = self.notes.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = notes.seen.iter().map(|(path, seen)| (Utf8PathBuf::from(path), *seen));
        Some(Glimpse::new(Glimpsed {
            seen: seen.collect(),
            plain: notes.plain.iter().cloned().collect(),
            complete: !notes.elusive,
            settled: !notes.unsettled,
            began: notes.began.unwrap_or_default(),
        }))
    }
}

impl Notes {
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
