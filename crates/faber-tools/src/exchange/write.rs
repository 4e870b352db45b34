//! Writes the files of a tool.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::exchange::export::{ExportDisk, ExportPlan};
use crate::exchange::gather;
use crate::exchange::gather::{GatherOptions, Importing, OsDisk};
use crate::exchange::import::{self, PlannedContent, PlannedImport};
use crate::exchange::record::{self, ImportRecord, ImportedFile, RECORD};
use crate::exchange::target::{OutputFile, ToolTarget};
use crate::exchange::{managed, update};
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::file_text::FileText;
use faber_core::packs;
use faber_core::parse::references;
use faber_core::resolve::index::{ReferenceOrigin, candidates};
use faber_core::resolve::view::View;
use faber_core::rules::{export_conflict, export_duplicate, import_omitted, unwritable};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::world::World;
use faber_session::discover::files::{self, Files};
use faber_session::discover::{atomic, foreign};
use faber_session::session::Workspace;
use faber_session::settings::{Settings, Verbosity};

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is created.
    Created,
    /// It is there and changes.
    Changed,
    /// It exists with obsolete exports only.
    Removed,
    /// It is as it should be.
    Unchanged,
    /// It was not written by faber; not overwritten.
    Refused,
}

impl State {
    /// `None` if it is not listed.
    pub fn word(self, verbosity: Verbosity) -> Option<&'static str> {
        match self {
            Self::Created => Some("create"),
            Self::Changed => Some("change"),
            Self::Removed => Some("remove"),
            Self::Refused => Some("refuse"),
            Self::Unchanged => (verbosity == Verbosity::Verbose).then_some("as is"),
        }
    }
}

pub struct FileChange {
    pub path: Utf8PathBuf,
    pub before: Option<FileText>,
    /// `None` to remove.
    pub after: Option<String>,
    pub state: State,
}

/// Files that contexts were imported from, as they were then or as the contexts are. Overwriting them
/// loses nothing.
pub fn originals(
    target: ToolTarget,
    workspace: &Workspace,
    settings: &Settings,
) -> BTreeMap<Utf8PathBuf, String> {
    let root = workspace.files.root();
    let (mut sources, mut found) = (SourceMap::default(), Vec::new());
    let importing = Importing { root, settings };
    let gathered =
        gather::gather(GatherOptions::default(), &[root], importing, &mut sources, &mut found);
    let Ok(gathered) = gathered else { return BTreeMap::new() };
    let read = gathered.found.iter().filter(|found| target.reads(found.what.format));
    let path_of: HashMap<FileId, &Utf8PathBuf> =
        read.map(|found| (found.file, &found.path)).collect();
    let record = workspace.files.read(RECORD.into()).ok();
    let record = record.and_then(|text| ImportRecord::parse(&text).ok()).unwrap_or_default();
    let known = record.known(|from| atomic::lexical(&root.join(from)));
    let into = import::Into { root, folder: Utf8Path::new(""), known: &known };
    let plan = import::plan(&mut sources, &gathered.found, into, &OsDisk);
    let is_there = |planned: &PlannedImport| match &planned.content {
        PlannedContent::Text(text) => {
            let is_recorded = |old: &ImportedFile| old.hash == record::hash(text.as_bytes());
            record.origin(planned.path.as_str()).is_some_and(is_recorded)
                || workspace.files.read(&planned.path).is_ok_and(|old| old == *text)
        }
        PlannedContent::CopyOf(_) => false,
    };
    // What an import omits exists only there.
    let noted = found.iter().chain(&plan.found);
    let noted = noted.filter(|it| it.rule() == &import_omitted::RULE);
    let spoiled: BTreeSet<FileId> = noted.map(|it| it.primary.span.file).collect();
    let is_whole =
        |planned: &&PlannedImport| !planned.managed && !spoiled.contains(&planned.source);
    let faithful = plan.files.iter().filter(is_whole).filter(|planned| is_there(planned));
    let originals = faithful.filter_map(|planned| {
        let path = path_of.get(&planned.source)?;
        Some(((*path).clone(), planned.id.clone()?))
    });
    originals.collect()
}

pub struct ExportFiles<'a> {
    pub files: &'a Files,
    pub role_root: Option<Utf8PathBuf>,
    pub homes: Vec<Utf8PathBuf>,
    pub view: &'a View,
}

impl ExportDisk for ExportFiles<'_> {
    fn below(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        if !self.files.is_dir(folder) {
            return Vec::new();
        }
        // Files of packs may be elsewhere.
        let place = self.files.root().join(self.files.place(folder));
        let all = foreign::on_disk(&place);
        let all = all.iter().filter_map(|file| Some(folder.join(from_root(file, &place)?)));
        let is_whole = |path: &Utf8PathBuf| {
            !path.starts_with(packs::FOLDER) || self.files.read_bytes(path).is_ok()
        };
        all.filter(|path| is_whole(path) && self.may_leave(path)).collect()
    }

    fn is_folder(&self, path: &Utf8Path) -> bool {
        let own = path
            .components()
            .all(|part| !matches!(part.as_str(), ".git" | ".faber" | "node_modules"));
        let below = path.join("AGENTS.md");
        own && self.files.is_dir(path)
            && foreign::obstacle(self.files.root(), &below).is_none()
            && nested(self.files.root(), &below).is_none()
    }

    fn exists(&self, path: &Utf8Path) -> bool {
        self.files.exists(path)
    }

    fn is_on_disk(&self, path: &Utf8Path) -> bool {
        self.files.is_on_disk(path)
    }

    fn rooted(&self, path: &Utf8Path, reference: &str) -> Vec<Utf8PathBuf> {
        let role_root = self.role_root.as_deref();
        let from =
            ReferenceOrigin { path, role_root: role_root.filter(|root| path.starts_with(root)) };
        let (reference, _) = references::parse_field(reference);
        candidates(&reference, from, role_root, &self.homes).unwrap_or_default()
    }

    fn own_bytes(&self, path: &Utf8Path) -> usize {
        let Ok(text) = self.files.read(path) else { return 0 };
        managed::own(&text, &managed::parts(&text)).trim().len()
    }
}

impl ExportFiles<'_> {
    pub(crate) fn may_leave(&self, path: &Utf8Path) -> bool {
        if path.extension() != Some("md") {
            return true;
        }
        let Ok(text) = self.files.read(path) else { return false };
        let mut sources = SourceMap::default();
        let file = sources.add(path.to_owned(), text);
        self.view.may_see(&faber_core::resolve::include::access_of(&sources, file))
    }
}

fn nested(root: &Utf8Path, path: &Utf8Path) -> Option<Utf8PathBuf> {
    let above = path.ancestors().skip(1).filter(|above| !above.as_str().is_empty());
    let mut above = above.map(|above| root.join(above));
    above.find(|above| foreign::is_workspace(above))
}

fn from_root(path: &Utf8Path, root: &Utf8Path) -> Option<Utf8PathBuf> {
    Some(path.strip_prefix(root).ok()?.as_str().replace('\\', "/").into())
}

pub struct ExportWriter<'a> {
    pub target: ToolTarget,
    pub workspace: &'a mut Workspace,
    pub ids: BTreeMap<String, Span>,
    pub originals: BTreeMap<Utf8PathBuf, String>,
    pub found: Vec<Diagnostic>,
}

impl ExportWriter<'_> {
    /// Also returns the files that may have outdated parts.
    pub fn changes(&mut self, plan: &ExportPlan) -> (Vec<FileChange>, BTreeSet<Utf8PathBuf>) {
        let mut changes: Vec<FileChange> =
            plan.outputs.iter().map(|output| self.change(output)).collect();
        let planned: BTreeSet<&Utf8Path> = plan.outputs.iter().map(|it| &*it.path).collect();
        self.report_twins(&plan.outputs);
        let candidates = self.candidates();
        for path in candidates.iter().cloned() {
            if !self.target.owns(&path) || planned.contains(&*path) {
                continue;
            }
            let Ok(before) = self.workspace.files.read(&path) else { continue };
            if managed::parts(&before).is_empty() {
                continue;
            }
            let change = match update::without_parts(&before, self.target) {
                Ok(after) => {
                    let state = if after.is_none() { State::Removed } else { State::Changed };
                    FileChange { path, before: Some(before), after, state }
                }
                Err(refusal) => {
                    let at = Span::start_of(self.workspace.sources.add_placeholder(&path));
                    let (why, help) = refusal.words();
                    let found = export_conflict::RULE.at(at, format!("`{path}` {why}"));
                    self.found.push(found.help(help));
                    FileChange { path, before: Some(before), after: None, state: State::Refused }
                }
            };
            changes.push(change);
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        (changes, candidates)
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
            .filter(|(path, id)| self.ids.contains_key(*id) && !is_taken_over(path, id));
        let twins: Vec<(Utf8PathBuf, String)> =
            twins.map(|(path, id)| (path.clone(), id.clone())).collect();
        for (path, id) in twins {
            let at = Span::start_of(self.workspace.sources.add_placeholder(&path));
            let note = format!("this repeats the exported context `{id}`");
            let found = export_duplicate::RULE.at(at, note);
            self.found.push(found.help("remove it once the export is what you want"));
        }
    }

    fn change(&mut self, output: &OutputFile) -> FileChange {
        let path = output.path.clone();
        let files = self.workspace.files.clone();
        let original = self.originals.get(&path).is_some_and(|id| output.has(id));
        let outcome = if let Some(why) = foreign::obstacle(files.root(), &path) {
            Err((None, why.to_owned(), "remove the link or the file in the way"))
        } else if foreign::is_link(&files.root().join(&path)) {
            Err((None, "is a symbolic link; not overwritten".to_owned(), "remove the link"))
        } else if !files.exists(&path) {
            let after = Some(output.fresh());
            return FileChange { path, before: None, after, state: State::Created };
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
                let state = if before == after { State::Unchanged } else { State::Changed };
                FileChange { path, before: Some(before), after: Some(after), state }
            }
            Err((before, why, help)) => {
                let found = export_conflict::RULE.at(self.place(output), format!("`{path}` {why}"));
                self.found.push(found.help(help));
                FileChange { path, before, after: None, state: State::Refused }
            }
        }
    }

    fn place(&mut self, output: &OutputFile) -> Span {
        let known = output.parts.iter().find_map(|(id, _)| self.ids.get(id).copied());
        known
            .unwrap_or_else(|| Span::start_of(self.workspace.sources.add_placeholder(&output.path)))
    }
}

pub struct Copy {
    /// `None` to remove the copy.
    pub from: Option<Utf8PathBuf>,
    pub to: Utf8PathBuf,
    pub state: State,
}

/// Files that faber copied, with hashes. Only unmodified ones are changed.
const LIST: &str = ".faber-files";

impl ExportWriter<'_> {
    /// Adds the lists of copied files to `changes`.
    pub fn copies(
        &mut self,
        plan: &ExportPlan,
        candidates: &BTreeSet<Utf8PathBuf>,
        changes: &mut Vec<FileChange>,
    ) -> Vec<Copy> {
        let root = self.workspace.files.root().to_owned();
        let mut folders: BTreeMap<Utf8PathBuf, Vec<(&Utf8Path, &Utf8Path)>> = BTreeMap::new();
        for (from, to) in &plan.copies {
            let skill = plan.outputs.iter().map(|output| &output.path);
            let folder = skill.filter_map(|path| path.parent()).find(|it| to.starts_with(it));
            if let Some(folder) = folder {
                folders.entry(folder.to_owned()).or_default().push((from, to));
            }
        }
        for path in candidates {
            if let Some(folder) = path.parent().filter(|_| path.file_name() == Some(LIST)) {
                folders.entry(folder.to_owned()).or_default();
            }
        }
        let mut copies = Vec::new();
        for (folder, files) in folders {
            let skill = folder.join("SKILL.md");
            let refused = |it: &&FileChange| it.path == skill && it.state == State::Refused;
            if changes.iter().find(refused).is_some() {
                continue;
            }
            let list = folder.join(LIST);
            let before = self.workspace.files.read(&list).ok();
            let known = before.as_deref().map(entries).unwrap_or_default();
            let mut after = String::new();
            for (from, to) in &files {
                let below = to.strip_prefix(&folder).unwrap_or(to);
                let place = root.join(self.workspace.files.place(from));
                let hash = foreign::hash(&place).unwrap_or_default();
                let state = self.copy_state(&root, to, &hash, known.get(below.as_str()).copied());
                if state != State::Refused {
                    after = format!("{after}{hash}  {below}\n");
                }
                copies.push(Copy { from: Some((*from).to_owned()), to: (*to).to_owned(), state });
            }
            for (below, hash) in &known {
                let to = folder.join(below);
                let is_planned = files.iter().any(|(_, planned)| **planned == to);
                let is_own = foreign::hash(&root.join(&to)).is_some_and(|now| now == **hash);
                if !is_planned && is_own && foreign::obstacle(&root, &to).is_none() {
                    copies.push(Copy { from: None, to, state: State::Removed });
                }
            }
            let after = Some(after).filter(|after| !after.is_empty());
            let state = match (&before, &after) {
                (None, None) => continue,
                (None, Some(_)) => State::Created,
                (Some(_), None) => State::Removed,
                (Some(before), Some(after)) if before == after => State::Unchanged,
                _ => State::Changed,
            };
            changes.push(FileChange { path: list, before: before.clone(), after, state });
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        copies.sort_by(|a, b| a.to.cmp(&b.to));
        copies
    }

    fn copy_state(
        &mut self,
        root: &Utf8Path,
        to: &Utf8Path,
        hash: &str,
        known: Option<&str>,
    ) -> State {
        let path = root.join(to);
        let why = foreign::file_obstacle(root, to);
        if why.is_none() && !files::path_exists(&path) {
            return State::Created;
        }
        let now = foreign::hash(&path);
        if why.is_none() && now.as_deref() == Some(hash) {
            return State::Unchanged;
        }
        if why.is_none() && now.is_some() && now.as_deref() == known {
            return State::Changed;
        }
        let why = why.unwrap_or("was not written by faber; not overwritten");
        let at = Span::start_of(self.workspace.sources.add_placeholder(to));
        let found = export_conflict::RULE.at(at, format!("`{to}` {why}"));
        self.found.push(found.help("move it away"));
        State::Refused
    }
}

fn entries(list: &str) -> BTreeMap<&str, &str> {
    list.lines().filter_map(|line| line.split_once("  ")).map(|(hash, path)| (path, hash)).collect()
}

/// Failures are returned, and do not stop other changes.
pub fn carry_out(
    changes: &mut [FileChange],
    copies: &mut [Copy],
    workspace: &mut Workspace,
) -> Vec<Diagnostic> {
    let root = workspace.files.root().to_owned();
    let writer = atomic::Writer::new(&root);
    let mut failed = Vec::new();
    let mut fail = |path: &Utf8Path, state: &mut State, error: &Error| {
        let at = Span::start_of(workspace.sources.add_placeholder(path));
        failed.push(unwritten(at, path, error));
        *state = State::Refused;
    };
    for change in changes {
        if let Err(error) = write(change, &root, &writer) {
            fail(&change.path, &mut change.state, &error);
        }
    }
    for copy in copies {
        let path = &copy.to;
        let done = match (&copy.from, copy.state) {
            (_, State::Unchanged | State::Refused) => Ok(()),
            (None, _) => remove(path, &writer),
            (Some(from), state) => {
                let removed = if state == State::Changed { remove(path, &writer) } else { Ok(()) };
                let from = workspace.files.place(from);
                removed.and_then(|()| copy_to(path, &from, &root, &writer))
            }
        };
        if let Err(error) = done {
            fail(&copy.to, &mut copy.state, &error);
        }
    }
    failed
}

pub fn unwritten(at: Span, path: &Utf8Path, error: &Error) -> Diagnostic {
    unwritable::RULE
        .at(at, format!("cannot write `{path}`: {}", error.cause()))
        .help("check the permissions and the free space")
}

/// Another run may have removed it.
fn remove(path: &Utf8Path, writer: &atomic::Writer) -> Result<(), Error> {
    match writer.remove(path) {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Another run may have made the same copy.
fn copy_to(
    path: &Utf8Path,
    from: &Utf8Path,
    root: &Utf8Path,
    writer: &atomic::Writer,
) -> Result<(), Error> {
    match writer.copy(from, path) {
        Err(Error::Io { source, .. })
            if source.kind() == ErrorKind::AlreadyExists
                && foreign::hash(&root.join(path)) == foreign::hash(&root.join(from)) =>
        {
            Ok(())
        }
        copied => copied,
    }
}

pub fn is_unwritten(found: &Diagnostic) -> bool {
    found.rule() == &unwritable::RULE
}

fn write(change: &FileChange, root: &Utf8Path, writer: &atomic::Writer) -> Result<(), Error> {
    let path = &change.path;
    match (&change.after, change.state) {
        (Some(text), State::Created) => match writer.create(path, text) {
            // Another run wrote the same text.
            Err(Error::Io { source, .. })
                if source.kind() == ErrorKind::AlreadyExists
                    && Files::new(root).read(&change.path).is_ok_and(|now| now == *text) =>
            {
                Ok(())
            }
            created => created,
        },
        (Some(text), State::Changed) => {
            let before = change.before.as_deref().unwrap_or_default();
            writer.replace_if(path, before, text)?.written(path)
        }
        (None, State::Removed) => remove(path, writer),
        _ => Ok(()),
    }
}
