use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use foldhash::HashMap;

use super::file_stat::{self, FileStat};
use super::observation::{FolderNames, Observation, kind_at, listing};
use super::{Revalidation, Snapshot, value_of};
use faber_core::config::Freshness;
use faber_core::file_text::{Digest, FileText, digest};
use faber_core::world::{DirEntry, Kind};

use crate::discover::kept::{FilesToKeep, KeptFiles};
use crate::discover::locked;

/// Records nothing by default.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    notes: Option<Arc<Mutex<Notes>>>,
    kept: Option<Arc<KeptFiles>>,
}

#[derive(Debug, Default)]
struct Notes {
    observed: HashMap<String, Observation>,
    plain: BTreeSet<Utf8PathBuf>,
    variables: BTreeMap<String, Option<Digest>>,
    uncacheable: bool,
    racy: bool,
    began: Option<Duration>,
    to_keep: Option<FilesToKeep>,
}

impl Recorder {
    pub fn recording() -> Self {
        let notes = Notes { began: file_stat::since_1970(), ..Notes::default() };
        Self { notes: Some(Arc::new(Mutex::new(notes))), kept: None }
    }

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

    pub(crate) fn kept_snapshot(&self) -> Option<&str> {
        self.kept.as_ref()?.snapshot()
    }

    pub(crate) fn keeps(&self) -> bool {
        self.lock().is_some_and(|notes| notes.to_keep.is_some())
    }

    fn lock(&self) -> Option<MutexGuard<'_, Notes>> {
        self.notes.as_deref().map(locked)
    }

    pub(crate) fn take_files_to_keep(&self) -> Option<FilesToKeep> {
        self.lock()?.to_keep.take()
    }

    pub(crate) fn kept_text(&self, root: &Utf8Path, path: &Utf8Path) -> Option<FileText> {
        let text = self.holding(root, path)?.text(path)?;
        self.keep_text(path, &text);
        Some(text)
    }

    pub(crate) fn kept_folder(&self, root: &Utf8Path, path: &Utf8Path) -> Option<Vec<DirEntry>> {
        let entries = self.holding(root, path)?.folder(path)?;
        self.keep_folder(path, &entries);
        Some(entries)
    }

    pub(crate) fn kept_kind(&self, root: &Utf8Path, path: &Utf8Path) -> Option<Kind> {
        Some(self.holding(root, path)?.observed(&root.join(path))?.kind())
    }

    fn holding(&self, root: &Utf8Path, path: &Utf8Path) -> Option<&KeptFiles> {
        let kept = self.kept.as_deref()?;
        if kept.snapshot().is_none() {
            let path = root.join(path);
            self.seen(&path, kept.observed(&path)?);
        }
        Some(kept)
    }

    pub(crate) fn keep_text(&self, path: &Utf8Path, text: &FileText) {
        self.keep(|files| drop(files.texts.insert(path.to_string(), text.clone())));
    }

    pub(crate) fn keep_folder(&self, path: &Utf8Path, entries: &[DirEntry]) {
        self.keep(|files| drop(files.folders.insert(path.to_string(), entries.to_vec())));
    }

    fn keep(&self, keep: impl FnOnce(&mut FilesToKeep)) {
        if let Some(files) = self.lock().as_mut().and_then(|notes| notes.to_keep.as_mut()) {
            keep(files);
        }
    }

    fn note(&self, write: impl FnOnce(&mut Notes)) {
        if let Some(mut notes) = self.lock() {
            write(&mut notes);
        }
    }

    pub fn mark_uncacheable(&self) {
        self.note(|notes| notes.uncacheable = true);
    }

    pub fn variables(&self, names: impl IntoIterator<Item = String>, vars: &[(String, String)]) {
        self.note(|notes| {
            notes.variables.extend(names.into_iter().map(|name| {
                let hash = value_of(&name, vars);
                (name, hash)
            }));
        });
    }

    pub(crate) fn look(&self, path: &Utf8Path) -> Kind {
        let kind = kind_at(path);
        self.kind(path, kind);
        kind
    }

    pub(crate) fn kind(&self, path: &Utf8Path, kind: Kind) {
        self.note(|notes| notes.add(path, Observation::Kind(kind)));
    }

    pub(crate) fn plain(&self, path: &Utf8Path) {
        self.note(|notes| {
            notes.plain.insert(path.to_owned());
        });
    }

    /// `metadata` is from before the read.
    pub(crate) fn content(
        &self,
        path: &Utf8Path,
        metadata: &Metadata,
        linked: bool,
        read: ReadFile,
    ) {
        let (stat, hash) = (FileStat::of(metadata), read.digest);
        self.seen(path, Observation::Content { stat, hash, linked });
        // Files in `/proc` have no size and change without a new stat.
        if metadata.len() != read.bytes as u64 {
            self.mark_uncacheable();
        }
    }

    pub(crate) fn file(&self, path: &Utf8Path) -> Option<Digest> {
        let (Ok(metadata), Ok(bytes)) = (path.symlink_metadata(), std::fs::read(path)) else {
            self.kind(path, Kind::Missing);
            return None;
        };
        let read = ReadFile { bytes: bytes.len(), digest: digest(&bytes) };
        self.content(path, &metadata, false, read);
        Some(read.digest)
    }

    pub(crate) fn listing(&self, path: &Utf8Path, seen: &FolderNames) {
        if self.notes.is_none() {
            return;
        }
        match listing(path) {
            Some((listing, names)) if names == *seen => self.seen(path, listing),
            _ => self.mark_uncacheable(),
        }
    }

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

    pub fn snapshot(&self) -> Option<Snapshot<'static>> {
        let notes = self.lock()?;
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

    pub fn stable_snapshot(&self, vars: &[(String, String)]) -> Option<Snapshot<'static>> {
        let is_same =
            |it: &Snapshot<'_>| it.revalidate(vars, Freshness::Auto) == Revalidation::Same;
        self.snapshot().filter(|it| it.is_complete && it.is_settled).filter(is_same)
    }
}

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
