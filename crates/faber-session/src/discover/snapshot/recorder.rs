//! Recording what a run observes of the disk and the environment.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::Metadata;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::file_stat::{self, FileStat};
use super::observation::{FolderNames, Hash, Observation, hash, kind_at, listing};
use super::{Revalidation, Snapshot, value_of};
use faber_core::config::Freshness;
use faber_core::world::Kind;

/// Records what a run observes, or nothing by default. Clones record into the same place.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    notes: Option<Arc<Mutex<Notes>>>,
}

#[derive(Debug, Default)]
struct Notes {
    // By path as text: paths as such are hashed and compared part by part. Sorted before it is listed.
    observed: HashMap<String, Observation>,
    /// Folders to which no link leads.
    plain: BTreeSet<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Hash>>,
    /// Something was observed that cannot be compared later.
    uncacheable: bool,
    /// Something was observed that had just changed, and may change again without a trace.
    racy: bool,
    /// The time since 1970 at which recording began.
    began: Option<Duration>,
}

impl Recorder {
    pub fn recording() -> Self {
        let notes = Notes { began: file_stat::since_1970(), ..Notes::default() };
        Self { notes: Some(Arc::new(Mutex::new(notes))) }
    }

    fn note(&self, write: impl FnOnce(&mut Notes)) {
        if let Some(notes) = &self.notes {
            write(&mut notes.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The run depends on something that cannot be compared later, such as the answer of another program.
    pub fn mark_uncacheable(&self) {
        self.note(|notes| notes.uncacheable = true);
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
    pub(crate) fn look(&self, path: &Utf8Path) -> Kind {
        let kind = kind_at(path);
        self.kind(path, kind);
        kind
    }

    /// This is what there was at `path`, links followed.
    pub(crate) fn kind(&self, path: &Utf8Path, kind: Kind) {
        self.note(|notes| notes.add(path, Observation::Kind(kind)));
    }

    /// No link leads to the folder at `path`.
    pub(crate) fn plain(&self, path: &Utf8Path) {
        self.note(|notes| {
            notes.plain.insert(path.to_owned());
        });
    }

    /// The regular file at `path` was read, by a link if it is `linked`; `metadata` is from before
    /// that.
    pub(crate) fn content(&self, path: &Utf8Path, metadata: &Metadata, linked: bool, bytes: &[u8]) {
        if self.notes.is_none() {
            return;
        }
        self.seen(
            path,
            Observation::Content { stat: FileStat::of(metadata), hash: hash(bytes), linked },
        );
        // What is made up at each reading has no size; it may have changed without a trace.
        if metadata.len() != bytes.len() as u64 {
            self.mark_uncacheable();
        }
    }

    /// The folder at `path` was listed, and this is what lay in it.
    pub(crate) fn listing(&self, path: &Utf8Path, seen: &FolderNames) {
        if self.notes.is_none() {
            return;
        }
        // The stat is taken before the folder is listed once more, and both listings are the same:
        // so whatever changes from now on shows in another stat.
        match listing(path) {
            Some((listing, names)) if names == *seen => self.seen(path, listing),
            _ => self.mark_uncacheable(),
        }
    }

    /// Whether anything is recorded.
    pub(crate) fn is_recording(&self) -> bool {
        self.notes.is_some()
    }

    fn seen(&self, path: &Utf8Path, seen: Observation) {
        let settled = seen.stat().is_none_or(FileStat::is_settled);
        self.note(|notes| {
            notes.add(path, seen);
            notes.racy |= !settled;
        });
    }

    /// Everything that was observed up to now; none when nothing is recorded.
    pub fn snapshot(&self) -> Option<Snapshot<'static>> {
        let notes = self.notes.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let observed = notes.observed.iter().map(|(path, observed)| (path.as_str(), *observed));
        let plain = notes.plain.iter().cloned().collect();
        let snapshot = Snapshot::new(observed, plain, notes.variables.clone())?;
        Some(Snapshot {
            is_complete: !notes.uncacheable,
            is_settled: !notes.racy,
            began: notes.began.unwrap_or_default(),
            ..snapshot
        })
    }

    /// The same if another process can tell by stats alone whether it still holds, and it holds now.
    pub fn stable_snapshot(&self, vars: &[(String, String)]) -> Option<Snapshot<'static>> {
        let is_same =
            |it: &Snapshot<'_>| it.revalidate(vars, Freshness::Auto) == Revalidation::Same;
        self.snapshot().filter(|it| it.is_complete && it.is_settled).filter(is_same)
    }
}

impl Notes {
    fn add(&mut self, path: &Utf8Path, seen: Observation) {
        let Some(before) = self.observed.get_mut(path.as_str()) else {
            self.observed.insert(path.as_str().to_owned(), seen);
            return;
        };
        // What changed in the middle of a run was not one thing to begin with.
        self.uncacheable |= match (*before, seen) {
            (Observation::Kind(before), Observation::Kind(now)) => before != now,
            (Observation::Kind(kind), _) | (_, Observation::Kind(kind)) => {
                kind == Kind::Missing || kind == Kind::Other
            }
            (before, now) => before != now,
        };
        if matches!(before, Observation::Kind(_)) {
            *before = seen;
        }
    }
}
