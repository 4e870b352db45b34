//! What becomes of the files of a tool.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use super::State;
use crate::commands::import::{Machine, gather};
use crate::diagnostic::Diagnostic;
use crate::discover::files::{self, Files};
use crate::discover::{atomic, foreign};
use crate::error::Error;
use crate::exchange::export::{Disk, Plan};
use crate::exchange::import::{self, Content, Planned};
use crate::exchange::target::{Output, Target};
use crate::exchange::{managed, update};
use crate::parse::references;
use crate::resolve::index::{From, candidates};
use crate::settings::Settings;
use crate::source::{FileId, SourceMap, Span};
use crate::workspace::Workspace;

/// A file, as it is and as it is to be.
pub(super) struct Change {
    pub(super) path: Utf8PathBuf,
    pub(super) before: Option<String>,
    /// None when it is to go.
    pub(super) after: Option<String>,
    pub(super) state: State,
}

/// The files of the tool that contexts were imported from, with the ids of those: somebody wrote
/// them, and nothing of them is lost when they are written over.
pub(super) fn originals(
    target: Target,
    workspace: &Workspace,
    settings: &Settings,
) -> BTreeMap<Utf8PathBuf, String> {
    let root = workspace.files.root();
    let (mut sources, mut found) = (SourceMap::default(), Vec::new());
    let world = (settings, &mut sources, &mut found);
    let Ok(mut gathered) = gather::gather(None, &[root], root, world) else {
        return BTreeMap::new();
    };
    gathered.found.retain(|found| managed::parts(&sources.get(found.file).text).is_empty());
    let read = gathered.found.iter().filter(|found| target.reads(found.what.kind.format()));
    let path_of: HashMap<FileId, &Utf8PathBuf> =
        read.map(|found| (found.file, &found.path)).collect();
    let disk = Machine { files: workspace.files.clone() };
    let plan = import::plan(&mut sources, &gathered.found, (root, Utf8Path::new("")), &disk);
    let is_there = |planned: &Planned| match &planned.content {
        Content::Text(text) => workspace.files.read(&planned.path).is_ok_and(|old| old == *text),
        Content::CopyOf(_) => false,
    };
    let faithful = plan.files.iter().filter(|planned| is_there(planned));
    let originals = faithful.filter_map(|planned| {
        let path = path_of.get(&planned.source)?;
        Some(((*path).clone(), planned.id.clone()?))
    });
    originals.collect()
}

/// The files of the workspace.
pub(super) struct There<'a> {
    pub(super) files: &'a Files,
    /// The root of the role that is exported.
    pub(super) role_root: Option<Utf8PathBuf>,
    pub(super) homes: Vec<Utf8PathBuf>,
}

impl Disk for There<'_> {
    fn below(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        if !self.files.is_dir(folder) {
            return Vec::new();
        }
        let all = foreign::below(&self.files.root().join(folder)).files;
        let plain = all.into_iter().filter(|file| file.link_to.is_none());
        plain.filter_map(|file| from_root(&file.path, self.files.root())).collect()
    }

    fn is_there(&self, path: &Utf8Path) -> bool {
        self.files.exists(path)
    }

    fn rooted(&self, path: &Utf8Path, reference: &str) -> Vec<Utf8PathBuf> {
        let role_root = self.role_root.as_deref();
        let from = From { path, role_root: role_root.filter(|root| path.starts_with(root)) };
        let (reference, _) = references::parse(reference);
        candidates(&reference, from, role_root, &self.homes).unwrap_or_default()
    }

    fn own_bytes(&self, path: &Utf8Path) -> usize {
        let Ok(text) = self.files.read(path) else { return 0 };
        managed::own(&text, &managed::parts(&text)).trim().len()
    }
}

fn from_root(path: &Utf8Path, root: &Utf8Path) -> Option<Utf8PathBuf> {
    Some(path.strip_prefix(root).ok()?.as_str().replace('\\', "/").into())
}

pub(super) struct Writer<'a> {
    pub(super) target: Target,
    pub(super) workspace: &'a mut Workspace,
    /// What is exported, and where it stands.
    pub(super) ids: Vec<(String, Span)>,
    /// Files that somebody wrote and contexts were imported from.
    pub(super) originals: BTreeMap<Utf8PathBuf, String>,
    pub(super) found: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// What becomes of each file: those of the plan, and those that faber wrote before and would
    /// not write now.
    pub(super) fn changes(&mut self, plan: &Plan) -> Vec<Change> {
        let mut changes: Vec<Change> =
            plan.outputs.iter().map(|output| self.change(output)).collect();
        let planned: BTreeSet<&Utf8Path> = plan.outputs.iter().map(|it| &*it.path).collect();
        self.report_twins(&planned);
        let listing = foreign::below(self.workspace.files.root());
        for file in listing.files {
            let Some(path) = from_root(&file.path, self.workspace.files.root()) else { continue };
            if !self.target.owns(&path) || planned.contains(&*path) || file.link_to.is_some() {
                continue;
            }
            let Ok(before) = self.workspace.files.read(&path) else { continue };
            if managed::parts(&before).is_empty() {
                continue;
            }
            let after = update::without_parts(&before);
            let state = if after.is_none() { State::Removed } else { State::Changed };
            changes.push(Change { path, before: Some(before), after, state });
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }

    /// Says which files say again what is exported elsewhere.
    fn report_twins(&mut self, planned: &BTreeSet<&Utf8Path>) {
        let twins = self.originals.iter().filter(|(path, id)| {
            !planned.contains(&***path) && self.ids.iter().any(|(known, _)| known == *id)
        });
        let twins: Vec<(Utf8PathBuf, String)> =
            twins.map(|(path, id)| (path.clone(), id.clone())).collect();
        for (path, id) in twins {
            let at = Span::start_of(self.workspace.sources.add_placeholder(&path));
            let note = format!("this says again what is exported as `{id}`");
            let found = Diagnostic::warning("twice", at, note);
            self.found.push(found.help("remove it once the export is what you want"));
        }
    }

    fn change(&mut self, output: &Output) -> Change {
        let path = output.path.clone();
        let files = self.workspace.files.clone();
        if !files.exists(&path) {
            let after = Some(output.fresh());
            return Change { path, before: None, after, state: State::Created };
        }
        let at = self.place(output);
        let original = self.originals.get(&path);
        let original = original.is_some_and(|id| output.parts.iter().any(|(part, _)| part == id));
        let refused = |before, why: String, help: &str| {
            let found = Diagnostic::error("exists", at, format!("`{path}` {why}")).help(help);
            (found, Change { path: path.clone(), before, after: None, state: State::Refused })
        };
        let outcome = if foreign::is_link(&files.root().join(&path)) {
            Err(refused(
                None,
                "is a link, and is not written through".to_owned(),
                "remove the link",
            ))
        } else {
            match files.read(&path) {
                Err(_) => {
                    Err(refused(None, "cannot be read".to_owned(), "see whether it is a text file"))
                }
                Ok(before) => match update::updated(&before, output, self.target, original) {
                    Some(after) => Ok((before, after)),
                    None => Err(refused(
                        Some(before),
                        "was written by somebody else, and is not overwritten".to_owned(),
                        "import it first, or move it away",
                    )),
                },
            }
        };
        match outcome {
            Ok((before, after)) => {
                let state = if before == after { State::Unchanged } else { State::Changed };
                Change { path, before: Some(before), after: Some(after), state }
            }
            Err((found, change)) => {
                self.found.push(found);
                change
            }
        }
    }

    /// Where what stands in a file comes from.
    fn place(&mut self, output: &Output) -> Span {
        let known = output
            .parts
            .iter()
            .find_map(|(id, _)| self.ids.iter().find(|(known, _)| known == id).map(|(_, at)| *at));
        known
            .unwrap_or_else(|| Span::start_of(self.workspace.sources.add_placeholder(&output.path)))
    }
}

/// The files to be copied, and what becomes of each.
pub(super) fn copies(
    all: &[(Utf8PathBuf, Utf8PathBuf)],
    root: &Utf8Path,
) -> Vec<(Utf8PathBuf, Utf8PathBuf, State)> {
    let state = |from: &Utf8Path, to: &Utf8Path| {
        let to = root.join(to);
        if !files::is_there(&to) {
            State::Created
        } else if foreign::is_same(&root.join(from), &to).unwrap_or(false) {
            State::Unchanged
        } else {
            State::Changed
        }
    };
    all.iter().map(|(from, to)| (from.clone(), to.clone(), state(from, to))).collect()
}

pub(super) fn carry_out(
    changes: &[Change],
    copies: &[(Utf8PathBuf, Utf8PathBuf, State)],
    root: &Utf8Path,
) -> Result<(), Error> {
    for change in changes {
        let path = root.join(&change.path);
        match (&change.after, change.state) {
            (Some(text), State::Created) => atomic::create(&path, text)?,
            (Some(text), State::Changed) => {
                let before = change.before.as_deref().unwrap_or_default();
                if atomic::replace_if(&path, before, text)? != atomic::Replaced::Done {
                    return Err(Error::usage(
                        format!("`{}` changed meanwhile, or may not be written to", change.path),
                        "what was written so far stays; run it again",
                    ));
                }
            }
            (None, State::Removed) => atomic::remove(&path)?,
            _ => {}
        }
    }
    for (from, to, state) in copies {
        if *state == State::Changed {
            atomic::remove(&root.join(to))?;
        }
        if *state != State::Unchanged {
            atomic::copy(&root.join(from), &root.join(to))?;
        }
    }
    Ok(())
}
