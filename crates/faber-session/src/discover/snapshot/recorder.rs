//! Recording what a run observes of the disk and the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use foldhash::HashMap;

use super::file_stat::{self, FileStat};
use super::observation::{FolderNames, Observation, kind_at, listing};
use super::{Revalidation, Snapshot, value_of};
use faber_core::config::Freshness;
use faber_core::file_text::{Digest, FileText};
use faber_core::world::{DirEntry, Kind};

use crate::discover::kept::{FilesToKeep, KeptFiles};

/// Records what a run observes, or nothing by default. Clones record into the same place.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    notes: Option<Arc<Mutex<Notes>>>,
    /// What an earlier run read. Unless something of it has changed, what is taken from there is not
    /// recorded: its own snapshot tells whether it holds.
    kept: Option<Arc<KeptFiles>>,
}

#[derive(Debug, Default)]
struct Notes {
    // By path as text: paths as such are hashed and compared part by part. Sorted before it is listed.
    observed: HashMap<String, Observation>,
    /// Folders to which no link leads.
    plain: BTreeSet<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Digest>>,
    /// Something was observed that cannot be compared later.
    uncacheable: bool,
    /// Something was observed that had just changed, and may change again without a trace.
    racy: bool,
    /// The time since 1970 at which recording began.
    began: Option<Duration>,
    /// What was read below the root, when that is to be kept.
    to_keep: Option<FilesToKeep>,
}

impl Recorder {
    pub fn recording() -> Self {
        let notes = Notes { began: file_stat::since_1970(), ..Notes::default() };
        Self { notes: Some(Arc::new(Mutex::new(notes))), kept: None }
    }

    /// A recorder of a run that reads what is kept instead of the disk as far as that holds; what it reads
    /// is to be kept, unless all of that holds.
    pub(crate) fn keeping(name: String, kept: Option<KeptFiles>) -> Self {
        let recorder = Self { kept: kept.map(Arc::new), ..Self::recording() };
        if recorder.kept_snapshot().is_none() {
            recorder.note(|notes| {
                notes.to_keep = Some(FilesToKeep { name, ..FilesToKeep::default() });
                notes.plain.extend(recorder.kept.iter().flat_map(|kept| kept.plain()).cloned());
            });
        }
        recorder
    }

    /// The name of the snapshot of what an earlier run read, if all of it holds.
    pub(crate) fn kept_snapshot(&self) -> Option<&str> {
        self.kept.as_ref()?.snapshot()
    }

    /// Whether what this run reads is to be kept.
    pub(crate) fn keeps(&self) -> bool {
        let lock = |notes: &Arc<Mutex<Notes>>| {
            notes.lock().unwrap_or_else(PoisonError::into_inner).to_keep.is_some()
        };
        self.notes.as_ref().is_some_and(lock)
    }

    /// What this run has read, if that is to be kept.
    pub(crate) fn take_files_to_keep(&self) -> Option<FilesToKeep> {
        let notes = self.notes.as_ref()?;
        notes.lock().unwrap_or_else(PoisonError::into_inner).to_keep.take()
    }

    /// The text of the file at a path from the root, if it is kept.
    pub(crate) fn kept_text(&self, root: &Utf8Path, path: &Utf8Path) -> Option<FileText> {
        let text = self.holding(root, path)?.text(path)?;
        self.keep_text(path, &text);
        Some(text)
    }

    /// What lies in the folder at a path from the root, if it is kept.
    pub(crate) fn kept_folder(&self, root: &Utf8Path, path: &Utf8Path) -> Option<Vec<DirEntry>> {
        let entries = self.holding(root, path)?.folder(path)?;
        self.keep_folder(path, &entries);
        Some(entries)
    }

    /// What there is at a path from the root, if an earlier run found it.
    pub(crate) fn kept_kind(&self, root: &Utf8Path, path: &Utf8Path) -> Option<Kind> {
        Some(self.holding(root, path)?.observed(&root.join(path))?.kind())
    }

    /// What is kept, if that of a path from the root holds. Unless all of it holds, this is recorded as if it
    /// had been looked at.
    fn holding(&self, root: &Utf8Path, path: &Utf8Path) -> Option<&KeptFiles> {
        let kept = self.kept.as_deref()?;
        if kept.snapshot().is_none() {
            let path = root.join(path);
            self.seen(&path, kept.observed(&path)?);
        }
        Some(kept)
    }

    /// The file at a path from the root has this text.
    pub(crate) fn keep_text(&self, path: &Utf8Path, text: &FileText) {
        self.note(|notes| {
            if let Some(to_keep) = &mut notes.to_keep {
                to_keep.texts.insert(path.to_string(), text.clone());
            }
        });
    }

    /// The folder at a path from the root has these entries.
    pub(crate) fn keep_folder(&self, path: &Utf8Path, entries: &[DirEntry]) {
        self.note(|notes| {
            if let Some(to_keep) = &mut notes.to_keep {
                to_keep.folders.insert(path.to_string(), entries.to_vec());
            }
        });
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
    pub(crate) fn content(
        &self,
        path: &Utf8Path,
        metadata: &Metadata,
        linked: bool,
        read: ReadFile,
    ) {
        let (stat, hash) = (FileStat::of(metadata), read.digest);
        self.seen(path, Observation::Content { stat, hash, linked });
        // What is made up at each reading has no size; it may have changed without a trace.
        if metadata.len() != read.bytes as u64 {
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

/// The content of a file that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadFile {
    pub(crate) bytes: usize,
    pub(crate) digest: Digest,
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
