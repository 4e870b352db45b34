//! Writes an import by three-way comparison.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::data::{FileData, ImportState};
use crate::commands::template;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::packs;
use faber_core::rules::{import_conflict, import_kept};
use faber_core::source::{FileId, SourceMap, Span};
use faber_output::text::unified_diff;
use faber_session::discover::atomic::{Replaced, Writer};
use faber_session::discover::{files, foreign};
use faber_tools::exchange::import::{PlannedContent, PlannedImport, is_export_of};
use faber_tools::exchange::record::{
    self, ImportRecord, ImportRequest, ImportStep, ImportedFile, RECORD,
};
use faber_tools::exchange::write::unwritten;
use faber_tools::exchange::{data, links};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ImportMode {
    pub(super) dry_run: bool,
    /// Files removed here stay removed.
    pub(super) is_update: bool,
    pub(super) prune: bool,
    pub(super) conflicts: Option<Side>,
}

pub(super) struct Applier<'a> {
    pub(super) root: &'a Utf8Path,
    pub(super) cwd: &'a Utf8Path,
    pub(super) writer: &'a Writer,
    pub(super) record: &'a ImportRecord,
    pub(super) existing: &'a BTreeMap<Utf8PathBuf, String>,
    pub(super) request: &'a ImportRequest,
    pub(super) mode: ImportMode,
    pub(super) applied: Applied,
}

#[derive(Default)]
pub(super) struct Applied {
    pub(super) rows: Vec<FileData>,
    pub(super) found: Vec<Diagnostic>,
    pub(super) diffs: Vec<String>,
    pub(super) files: BTreeMap<String, ImportedFile>,
}

impl Applier<'_> {
    /// The sources of files that are new or kept, and those that are copied.
    pub(super) fn files(
        &mut self,
        all: &[PlannedImport],
        sources: &SourceMap,
    ) -> (BTreeSet<FileId>, BTreeSet<Utf8PathBuf>) {
        let (mut news, mut copied) = (BTreeSet::new(), BTreeSet::new());
        for planned in all {
            let state = self.file(planned, sources);
            if matches!(state, ImportState::Created | ImportState::Updated | ImportState::Kept) {
                if let PlannedContent::CopyOf(from) = &planned.content {
                    copied.insert(from.clone());
                }
                news.insert(planned.source);
            }
        }
        (news, copied)
    }

    fn file(&mut self, planned: &PlannedImport, sources: &SourceMap) -> ImportState {
        let shown = sources.path(planned.source);
        let origin = match &planned.content {
            PlannedContent::Text(_) => shown,
            PlannedContent::CopyOf(from) => from,
        };
        let from = self.relative(origin);
        let state = self.write(planned, &from);
        self.applied.rows.push(FileData {
            path: planned.path.to_string(),
            id: planned.id.clone(),
            source: Some(shown.to_string()),
            state,
        });
        state
    }

    fn relative(&self, path: &Utf8Path) -> String {
        from_root(self.root, &self.cwd.join(path))
    }

    fn write(&mut self, planned: &PlannedImport, from: &str) -> ImportState {
        let last = self.applied.rows.last();
        let is_second = last.is_some_and(|row| row.path == planned.path);
        let is_of_pack = packs::of_path(&planned.path).is_some();
        if planned.managed && (is_second || is_of_pack) {
            return self.keep_managed(planned);
        }
        // Links within the workspace are deliberate.
        let leaves =
            self.writer.entry(&planned.path).is_err().then_some("is reached through a link");
        let obstacle = foreign::obstacle(self.root, &planned.path);
        if let Some(why) = leaves.or(obstacle.filter(|why| *why != "is reached through a link")) {
            return self.refuse(planned, why, "import into another directory with `--into DIR`");
        }
        let new = match &planned.content {
            PlannedContent::Text(text) => record::hash(text.as_bytes()),
            PlannedContent::CopyOf(from) => hash_of(from),
        };
        let is_tracked = is_tracked(planned, from);
        // Within an import, names may move between sources; imports must not overwrite each other.
        let own = self.record.file(self.request, planned.path.as_str());
        let recorded = self.record.origin(planned.path.as_str());
        let recorded = own.or(recorded.filter(|it| it.from == from)).cloned();
        let place = self.root.join(&planned.path);
        let here = files::path_exists(&place).then(|| hash_of(&place));
        // An unedited sample of `faber init` may be replaced.
        let sample = here.as_ref().and_then(|_| template::sample(planned.path.as_str()));
        let sample = sample.map(|text| record::hash(text.as_bytes()));
        let known = recorded.as_ref().map(|it| it.hash.clone()).or(sample).filter(|_| is_tracked);
        let mut step = record::step(known.as_deref(), here.as_deref(), &new);
        let mut adopts = false;
        match (step, self.mode.conflicts) {
            (ImportStep::KeepRemoved, _) if !self.mode.is_update => step = ImportStep::Create,
            (ImportStep::Conflict, _) if planned.managed => {
                let entry = recorded.map(|entry| (planned.path.to_string(), entry));
                self.applied.files.extend(entry);
                return self.keep_managed(planned);
            }
            (ImportStep::Conflict, Some(Side::Theirs)) => step = ImportStep::Update,
            (ImportStep::Conflict, Some(Side::Ours)) => {
                (step, adopts) = (ImportStep::KeepEdited, true);
            }
            _ => {}
        }
        let is_known = recorded.is_some();
        let state = self.carry_out(planned, step, is_known);
        let is_taken = match state {
            ImportState::Created | ImportState::Updated | ImportState::Unchanged => true,
            state => state == ImportState::Edited && adopts,
        };
        let entry = if is_tracked && is_taken {
            Some(ImportedFile { from: from.to_owned(), hash: new })
        } else {
            recorded
        };
        self.applied.files.extend(entry.map(|entry| (planned.path.to_string(), entry)));
        state
    }

    fn carry_out(
        &mut self,
        planned: &PlannedImport,
        step: ImportStep,
        is_known: bool,
    ) -> ImportState {
        let dry_run = self.mode.dry_run;
        let path = &planned.path;
        let writes = matches!(step, ImportStep::Create | ImportStep::Update);
        // Files that the record lacks would be conflicts of the next import.
        if writes
            && !dry_run
            && let Err(error) = self.writer.check_write(RECORD.into())
        {
            let at = Span::start_of(planned.source);
            self.applied.found.push(unwritten(at, RECORD.into(), &error));
            return ImportState::Unwritten;
        }
        let written = match (step, &planned.content) {
            (ImportStep::Keep, _) => return ImportState::Unchanged,
            (ImportStep::KeepEdited, _) => return ImportState::Edited,
            (ImportStep::KeepRemoved, _) => return ImportState::Deleted,
            (ImportStep::Conflict, _) => return self.conflict(planned, is_known),
            (ImportStep::Create | ImportStep::Update, _) if dry_run => Ok(Replaced::Done),
            (ImportStep::Create, PlannedContent::Text(text)) => {
                self.writer.change(path, None, Some(text.as_bytes()))
            }
            (ImportStep::Create, PlannedContent::CopyOf(from)) => self.writer.copy(from, path),
            (ImportStep::Update, PlannedContent::Text(text)) => {
                let before = self.text(path).unwrap_or_default();
                self.writer.replace_if(path, &before, text)
            }
            (ImportStep::Update, PlannedContent::CopyOf(from)) => {
                self.writer.replace_by_copy(from, path).map(|()| Replaced::Done)
            }
        };
        match written {
            Ok(Replaced::Done) if step == ImportStep::Create => ImportState::Created,
            Ok(Replaced::Done) => ImportState::Updated,
            // Another process was faster.
            Ok(Replaced::Changed) if step == ImportStep::Create => ImportState::Unchanged,
            Ok(_) => self.refuse(planned, "cannot be replaced", "check its permissions"),
            Err(error) => {
                let at = Span::start_of(planned.source);
                self.applied.found.push(unwritten(at, path, &error));
                ImportState::Unwritten
            }
        }
    }

    fn text(&self, path: &Utf8Path) -> Option<String> {
        String::from_utf8(foreign::content(&self.root.join(path))?).ok()
    }

    fn keep_managed(&mut self, planned: &PlannedImport) -> ImportState {
        let old = self.existing.get(&planned.path).cloned();
        let old = old.or_else(|| self.text(&planned.path));
        if let (PlannedContent::Text(new), Some(old)) = (&planned.content, old)
            && is_export_of(new, &old)
        {
            return ImportState::Unchanged;
        }
        let note = format!("`{}` differs from this part; not overwritten", planned.path);
        self.applied.found.push(import_kept::RULE.at(Span::start_of(planned.source), note));
        ImportState::Kept
    }

    fn conflict(&mut self, planned: &PlannedImport, is_known: bool) -> ImportState {
        if let (PlannedContent::Text(new), Some(old)) = (&planned.content, self.text(&planned.path))
        {
            let name = format!("{} (source)", planned.path);
            self.applied.diffs.push(unified_diff(&old, new, planned.path.as_str(), &name));
        }
        let (why, help) = if is_known {
            (
                "was changed here and in the source",
                "edit it, then import with `--ours`; or take the text of the source with `--theirs`",
            )
        } else {
            (
                "already exists with different content; not overwritten",
                "remove or rename it, import into another directory with `--into DIR`, or overwrite it with `--theirs`",
            )
        };
        self.refuse(planned, why, help)
    }

    fn refuse(&mut self, planned: &PlannedImport, why: &str, help: &str) -> ImportState {
        let at = Span::start_of(planned.source);
        let found = import_conflict::RULE.at(at, format!("`{}` {why}", planned.path));
        self.applied.found.push(found.help(help));
        ImportState::Refused
    }

    /// `failed` are unreadable sources.
    pub(super) fn gone(
        &mut self,
        before: BTreeMap<String, ImportedFile>,
        failed: &BTreeSet<Utf8PathBuf>,
    ) -> Result<(), Error> {
        let planned: BTreeSet<String> =
            self.applied.rows.iter().map(|row| row.path.clone()).collect();
        let failed: BTreeSet<String> = failed.iter().map(|path| self.relative(path)).collect();
        for (path, entry) in before.into_iter().filter(|(path, _)| !planned.contains(path)) {
            let place = self.root.join(&path);
            if failed.contains(data::file_of(&entry.from)) {
                self.applied.files.insert(path, entry);
                continue;
            }
            let is_pack = Utf8Path::new(&path).components().any(|it| it.as_str() == "contexts");
            if !is_pack || !files::path_exists(&place) {
                continue;
            }
            let is_edited = hash_of(&place) != entry.hash;
            let state = match (self.mode.prune, is_edited) {
                (true, true) => ImportState::Edited,
                (true, false) => ImportState::Removed,
                (false, _) => ImportState::Gone,
            };
            if state == ImportState::Removed && !self.mode.dry_run {
                self.writer.remove(path.as_str().into())?;
            }
            self.applied.rows.push(FileData {
                path: path.clone(),
                id: None,
                source: Some(entry.from.clone()),
                state,
            });
            if state == ImportState::Gone {
                self.applied.files.insert(path, entry);
            }
        }
        Ok(())
    }
}

/// Role prompts and faber's own exports have no origin to compare with.
fn is_tracked(planned: &PlannedImport, from: &str) -> bool {
    let is_role = planned.id.as_ref().is_some_and(|id| id.starts_with("role/"));
    !is_role && (!planned.managed || from.starts_with("../"))
}

fn hash_of(path: &Utf8Path) -> String {
    foreign::content(path).map_or_else(|| "unreadable".to_owned(), |bytes| record::hash(&bytes))
}

pub(super) fn from_root(root: &Utf8Path, path: &Utf8Path) -> String {
    let relative = links::relative(root, path).replace('\\', "/");
    match relative.strip_prefix("./") {
        Some("") => ".".to_owned(),
        Some(below) => below.to_owned(),
        None => relative,
    }
}
