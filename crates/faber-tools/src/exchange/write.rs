use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use crate::exchange::export::ExportPlan;
use crate::exchange::found_source::FoundSource;
use crate::exchange::gather;
use crate::exchange::gather::{GatherOptions, Importing, OsDisk};
use crate::exchange::import::{self, PlannedContent, PlannedImport};
use crate::exchange::record::{self, ImportRecord, ImportedFile, RECORD};
use crate::exchange::source::{from_root, nested};
use crate::exchange::target::{OutputFile, ToolTarget};
use crate::exchange::{managed, update};
use crate::listed_folder::{self, FileState, HashedFile, LIST, PlannedChange};
use crate::publish::layout::PublishedFiles;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::paths::lexical;
use faber_core::rules::{export_conflict, export_duplicate, import_omitted, unwritable};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::world::World;
use faber_session::discover::atomic::is_executable;
use faber_session::discover::foreign;
use faber_session::session::Workspace;
use faber_session::settings::Settings;

/// An imported file whose content a context has: overwriting loses nothing.
pub struct Original {
    pub id: String,
    pub read_by: Option<Utf8PathBuf>,
}

pub fn originals(
    target: ToolTarget,
    workspace: &Workspace,
    settings: &Settings,
) -> BTreeMap<Utf8PathBuf, Original> {
    let root = workspace.files.root();
    let (mut sources, mut found) = (SourceMap::default(), Vec::new());
    let importing = Importing { root, settings };
    let gathered =
        gather::gather(GatherOptions::default(), &[root], importing, &mut sources, &mut found);
    let Ok(gathered) = gathered else { return BTreeMap::new() };
    let read: Vec<&FoundSource> =
        gathered.found.iter().filter(|found| target.reads(found.what.format)).collect();
    let inserted = read.iter().flat_map(|found| {
        let folder = found.path.parent().unwrap_or(Utf8Path::new(""));
        let paths = import::imported(&sources.get(found.file).text, &found.what, folder);
        let paths = paths.into_iter().chain(found.link_to.clone());
        paths.map(|path| (path, Some(found.path.clone())))
    });
    let mut readers: BTreeMap<Utf8PathBuf, Option<Utf8PathBuf>> = inserted.collect();
    readers.extend(read.iter().map(|found| (found.path.clone(), None)));
    let path_of: HashMap<FileId, &Utf8PathBuf> =
        gathered.found.iter().map(|found| (found.file, &found.path)).collect();
    let record = workspace.files.read(RECORD.into()).ok();
    let record = record.and_then(|text| ImportRecord::parse(&text).ok()).unwrap_or_default();
    let known = record.known(|from| lexical(&root.join(from)));
    let existing = BTreeMap::new();
    let folder = Utf8Path::new("");
    let into =
        import::Into { root, folder, known: &known, existing: &existing, is_in_place: false };
    let plan = import::plan(&mut sources, &gathered.found, into, &OsDisk);
    let is_there = |planned: &PlannedImport| match &planned.content {
        PlannedContent::Text(text) => {
            let is_recorded = |old: &ImportedFile| old.hash == record::hash(text.as_bytes());
            record.origin(planned.path.as_str()).is_some_and(is_recorded)
                || workspace.files.read(&planned.path).is_ok_and(|old| old == *text)
        }
        PlannedContent::CopyOf(_) => false,
    };
    // What an import omits exists only in its file.
    let noted = found.iter().chain(&plan.found);
    let noted = noted.filter(|it| it.rule() == &import_omitted::RULE);
    let spoiled: BTreeSet<FileId> = noted.map(|it| it.primary.span.file).collect();
    let is_whole =
        |planned: &&PlannedImport| !planned.managed && !spoiled.contains(&planned.source);
    let faithful = plan.files.iter().filter(is_whole).filter(|planned| is_there(planned));
    let originals = faithful.filter_map(|planned| {
        let path = *path_of.get(&planned.source)?;
        let read_by = readers.get(path)?.clone();
        Some((path.clone(), Original { id: planned.id.clone()?, read_by }))
    });
    originals.collect()
}

pub struct ExportWriter<'a> {
    pub target: ToolTarget,
    pub workspace: &'a mut Workspace,
    pub ids: BTreeMap<String, Span>,
    pub originals: BTreeMap<Utf8PathBuf, Original>,
    pub found: Vec<Diagnostic>,
}

impl ExportWriter<'_> {
    pub fn changes(&mut self, plan: &ExportPlan) -> Vec<PlannedChange> {
        let mut changes: Vec<PlannedChange> =
            plan.outputs.iter().map(|output| self.change(output)).collect();
        let planned: BTreeSet<&Utf8Path> = plan.outputs.iter().map(|it| &*it.path).collect();
        self.report_twins(&plan.outputs);
        let candidates = self.candidates();
        for path in &candidates {
            if !self.target.owns(path) || planned.contains(&**path) {
                continue;
            }
            let Ok(before) = self.workspace.files.read(path) else { continue };
            if managed::parts(&before).is_empty() {
                continue;
            }
            let change = match update::without_parts(&before, self.target) {
                Ok(after) => {
                    let state =
                        if after.is_none() { FileState::Removed } else { FileState::Changed };
                    of_text(path, Some(&before), after, state)
                }
                Err(refusal) => {
                    let at = Span::start_of(self.workspace.sources.add_placeholder(path));
                    let (why, help) = refusal.words();
                    let found = export_conflict::RULE.at(at, format!("`{path}` {why}"));
                    self.found.push(found.help(help));
                    of_text(path, Some(&before), None, FileState::Refused)
                }
            };
            changes.push(change);
        }
        for change in &mut changes {
            // Copies take permissions from elsewhere.
            let place = self.workspace.files.root().join(&change.path);
            change.after.iter_mut().for_each(|it| it.is_executable = is_executable(&place));
        }
        let copies = self.copies(plan, &candidates, &changes);
        changes.extend(copies);
        changes
    }

    fn candidates(&self) -> BTreeSet<Utf8PathBuf> {
        let root = self.workspace.files.root();
        let seen = foreign::below(root).files.into_iter().filter(|it| it.link_to.is_none());
        let seen = seen.filter_map(|it| from_root(&it.path, root));
        let folders = self.target.folders().iter().map(|folder| root.join(folder));
        let own = folders.flat_map(|folder| foreign::on_disk(&folder));
        let own = own.filter_map(|path| from_root(&path, root));
        let all = seen.filter(|path| self.target.owns(path)).chain(own);
        all.filter(|path| nested(root, path).is_none() && foreign::obstacle(root, path).is_none())
            .collect()
    }

    fn report_twins(&mut self, outputs: &[OutputFile]) {
        let is_taken_over = |path: &Utf8Path, id: &String| {
            outputs.iter().any(|output| output.path == path && output.has(id))
        };
        let twins = self
            .originals
            .iter()
            .filter(|(path, it)| self.ids.contains_key(&it.id) && !is_taken_over(path, &it.id));
        for (path, Original { id, read_by }) in twins {
            let (place, note) = match read_by {
                None => (path, format!("this repeats the exported context `{id}`")),
                Some(reader) => {
                    (reader, format!("the import of `{path}` repeats the exported context `{id}`"))
                }
            };
            let at = Span::start_of(self.workspace.sources.add_placeholder(place));
            let found = export_duplicate::RULE.at(at, note);
            self.found.push(found.help("remove it once the export is what you want"));
        }
    }

    fn change(&mut self, output: &OutputFile) -> PlannedChange {
        let path = output.path.clone();
        let files = self.workspace.files.clone();
        let original = self.originals.get(&path).is_some_and(|it| output.has(&it.id));
        let outcome = if let Some(why) = foreign::obstacle(files.root(), &path) {
            Err((None, why.to_owned(), "remove the link or the file in the way"))
        } else if foreign::is_link(&files.root().join(&path)) {
            Err((None, "is a symbolic link; not overwritten".to_owned(), "remove the link"))
        } else if !files.exists(&path) {
            return of_text(&path, None, Some(output.fresh()), FileState::Created);
        } else {
            match files.read(&path) {
                Ok(before) => {
                    let updated = update::updated(&before, output, self.target, original);
                    updated.map(|after| (before.clone(), after)).map_err(|refusal| {
                        let (why, help) = refusal.words();
                        (Some(before), why.to_owned(), help)
                    })
                }
                Err(trouble) => Err((
                    None,
                    format!("cannot be read: {trouble}"),
                    "check that it is a text file",
                )),
            }
        };
        match outcome {
            Ok((before, after)) => {
                let state = if before == after { FileState::Unchanged } else { FileState::Changed };
                of_text(&path, Some(&before), Some(after), state)
            }
            Err((before, why, help)) => {
                let found = export_conflict::RULE.at(self.place(output), format!("`{path}` {why}"));
                self.found.push(found.help(help));
                of_text(&path, before.as_deref(), None, FileState::Refused)
            }
        }
    }

    fn place(&mut self, output: &OutputFile) -> Span {
        let known = output.parts.iter().find_map(|(id, _)| self.ids.get(id).copied());
        known
            .unwrap_or_else(|| Span::start_of(self.workspace.sources.add_placeholder(&output.path)))
    }

    fn copies(
        &mut self,
        plan: &ExportPlan,
        candidates: &BTreeSet<Utf8PathBuf>,
        changes: &[PlannedChange],
    ) -> Vec<PlannedChange> {
        let root = self.workspace.files.root().to_owned();
        let mut folders: BTreeMap<&Utf8Path, PublishedFiles> = BTreeMap::new();
        for (to, from) in &plan.copies {
            let skills = plan.outputs.iter().filter_map(|output| output.path.parent());
            if let Some((folder, below)) =
                skills.into_iter().find_map(|folder| Some((folder, to.strip_prefix(folder).ok()?)))
            {
                let place = root.join(self.workspace.files.place(from));
                let file = HashedFile::new(foreign::content(&place).unwrap_or_default());
                let file = HashedFile { is_executable: is_executable(&place), ..file };
                folders.entry(folder).or_default().insert(below.to_owned(), file);
            }
        }
        let lists = candidates.iter().filter(|path| path.file_name() == Some(LIST));
        for folder in lists.filter_map(|path| path.parent()) {
            folders.entry(folder).or_default();
        }
        let refused = changes.iter().filter(|change| change.state == FileState::Refused);
        let refused: BTreeSet<&Utf8Path> = refused.map(|change| &*change.path).collect();
        folders.retain(|folder, _| !refused.contains(&*folder.join("SKILL.md")));
        let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
        let changes: Vec<PlannedChange> = folders
            .iter()
            .flat_map(|(folder, files)| listed_folder::changes((&root, folder), hash, files))
            .collect();
        for PlannedChange { path, why, .. } in &changes {
            let Some(why) = why else { continue };
            let at = Span::start_of(self.workspace.sources.add_placeholder(path));
            let found = export_conflict::RULE.at(at, format!("`{path}` {why}"));
            self.found.push(found.help("move it away"));
        }
        changes
    }
}

fn of_text(
    path: &Utf8Path,
    before: Option<&str>,
    after: Option<String>,
    state: FileState,
) -> PlannedChange {
    PlannedChange {
        path: path.to_owned(),
        before: before.map(|text| text.as_bytes().to_vec()),
        after: after.map(|text| HashedFile::new(text.into_bytes())),
        state,
        why: None,
    }
}

pub fn carry_out(changes: &mut [PlannedChange], workspace: &mut Workspace) -> Vec<Diagnostic> {
    let root = workspace.files.root().to_owned();
    let mut failed = Vec::new();
    for group in changes.split_inclusive_mut(|change| change.path.file_name() == Some(LIST)) {
        for (at, error) in listed_folder::write(&root, group) {
            let change = &mut group[at];
            let at = Span::start_of(workspace.sources.add_placeholder(&change.path));
            failed.push(unwritten(at, &change.path, &error));
            change.state = FileState::Refused;
        }
    }
    failed
}

pub fn unwritten(at: Span, path: &Utf8Path, error: &Error) -> Diagnostic {
    unwritable::RULE
        .at(at, format!("cannot write `{path}`: {}", error.cause()))
        .help("check the permissions and the free space")
}

pub fn is_unwritten(found: &Diagnostic) -> bool {
    found.rule() == &unwritable::RULE
}
