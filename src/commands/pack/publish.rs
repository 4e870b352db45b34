//! `faber pack publish`: contexts and roles as skills, plugin and marketplace.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, PackPublish};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::findings;
use faber_core::packs::CONFIG;
use faber_core::resolve::view::Principal;
use faber_core::rules::{export_conflict, export_private};
use faber_core::source::Span;
use faber_core::workspace::Viewer;
use faber_output::json::{self, FindingData};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::discover::pack_store::PackStore;
use faber_session::session::{Session, Workspace};
use faber_session::settings::{Settings, Verbosity};
use faber_tools::listed_folder::{FileState, HashedFile, PlannedChange};
use faber_tools::publish::skill::{SKILL_FILE, Skill};
use faber_tools::publish::write::PublishFolder;
use faber_tools::publish::{check, gather, layout, plugin, render};

/// `faber pack publish --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackPublishData {
    /// `faber.pack-publish/1`.
    pub schema: &'static str,
    /// The name of the plugin and of the marketplace.
    pub name: String,
    /// Whether files were written: not with `--check`, and not with an error.
    pub written: bool,
    /// The skills by name.
    pub skills: Vec<PublishedSkill>,
    /// The files by path.
    pub files: Vec<PublishedFile>,
    /// Unpublished content and errors.
    pub findings: Vec<FindingData>,
}

/// A published skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PublishedSkill {
    /// Its name.
    pub name: String,
    /// The id of its context, or `role/NAME`.
    pub id: String,
    /// Its description.
    pub description: String,
    /// How many files it has.
    pub files: usize,
    /// `sha256:` and the hash of its `SKILL.md`.
    pub digest: String,
}

/// A file of the publication.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PublishedFile {
    /// Its path from the folder.
    pub path: String,
    /// What becomes of it.
    pub state: FileState,
    /// `sha256:` and its hash; none for one that is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

pub(super) fn run(args: &PackPublish, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let session = Session::open(settings)?;
    // Only the user can lower a security rule.
    let guard = session.workspace();
    // The publication must not depend on the user.
    let principal = Some(Principal::default());
    let of_all = Settings { no_user: true, principal, ..settings.without_user() };
    let session = session.with_settings(of_all);
    if args.output.as_str().is_empty() {
        return Err(Error::usage(
            "`--output` is empty",
            "name a directory; `.` is the current one",
        ));
    }
    let folder = PublishFolder::open(session.root(), &settings.cwd.join(&args.output))?;
    let store = settings.packs.as_deref().filter(|_| !args.check).map(PackStore::new);
    let _turn = store.map(|store| store.turn(folder.path())).transpose()?;
    // Another process may have published meanwhile.
    let folder = PublishFolder::open(session.root(), folder.path())?;
    let mut workspace = session.workspace();
    let viewer = Viewer { role: args.role.clone(), platform: None, is_external_output: true };
    let mut found = Vec::new();
    let views = gather::gather(&mut workspace, &viewer, &|_| true, &mut found);
    let views = views.inspect_err(|error| streams.eprint_fatal(error, &workspace))?;
    let name = plugin::name(&workspace)?;
    let options = render::RenderOptions::default();
    let skills = render::skills(&workspace, &views, options, &mut found);
    if skills.is_empty() {
        return Err(Error::usage(
            "nothing to publish",
            "contexts and roles are published unless they are private, internal, drafts or expired",
        ));
    }
    check::limits(&skills)?;
    let files = layout::files(&workspace, &name, &views, &skills, &mut found);
    streams.eprint_findings(&workspace);
    let config = Span::start_of(workspace.sources.add_placeholder(CONFIG.into()));
    found.extend(check::insecure(&skills, &files, config, guard.severities()));
    let changes = folder.changes(&files);
    found.extend(refusals(&changes, &mut workspace));
    let has_error = found.iter().any(|found| found.severity() == Severity::Error);
    let written = !args.check && !has_error;
    if written {
        folder.write(&changes)?;
    }
    let found = findings::by_place(found, &workspace.sources);
    let published = Published { args, name, skills, changes, found, written };
    published.print(&workspace, streams)?;
    Ok(published.status(has_error))
}

fn refusals(changes: &[PlannedChange], workspace: &mut Workspace) -> Vec<Diagnostic> {
    let refused = changes.iter().filter_map(|change| Some((&change.path, change.why?)));
    let found = refused.map(|(path, why)| {
        let at = Span::start_of(workspace.sources.add_placeholder(path));
        let found = export_conflict::RULE.at(at, format!("`{path}` {why}"));
        found.help("move it away, or publish to another directory")
    });
    found.collect()
}

struct Published<'a> {
    args: &'a PackPublish,
    name: String,
    skills: Vec<Skill>,
    changes: Vec<PlannedChange>,
    found: Vec<Diagnostic>,
    written: bool,
}

impl Published<'_> {
    fn status(&self, has_error: bool) -> ExitStatus {
        let is_outdated = self.args.check && self.outdated() > 0;
        if has_error || is_outdated { ExitStatus::Findings } else { ExitStatus::Done }
    }

    fn outdated(&self) -> usize {
        self.changes.iter().filter(|change| change.state != FileState::Unchanged).count()
    }

    fn print(&self, workspace: &Workspace, streams: &mut Streams<'_>) -> Result<(), Error> {
        if self.args.format == DataFormat::Json {
            return streams.print_json(&self.data(workspace));
        }
        let mut seen = BTreeSet::new();
        for change in &self.changes {
            // An error prevents all writes.
            if change.state != FileState::Refused && !self.written && !self.args.check {
                continue;
            }
            let Some(word) = change.state.word(streams.settings.verbosity) else { continue };
            let diff =
                if self.args.check { change.difference("published now") } else { String::new() };
            let content = (&change.before, change.after.as_ref().map(|after| &after.sha256));
            if diff.is_empty() || !seen.insert(content) {
                streams.print(&format!("{word:<7} {}\n", Visible(change.path.as_str())))?;
            } else {
                streams.print(&diff)?;
            }
        }
        streams.eprint_concise(&self.found, &workspace.sources);
        let private = self.found.iter().filter(|found| found.rule() == &export_private::RULE);
        let private = private.count();
        if private > 0 && streams.settings.verbosity != Verbosity::Verbose {
            let files = counted(private, "file");
            streams.note(&format!("{files} left out as not public; `--verbose` lists them\n"));
        }
        streams.note(&self.summary());
        Ok(())
    }

    fn summary(&self) -> String {
        let skills = counted(self.skills.len(), "skill");
        let files = counted(self.changes.len(), "file");
        let (name, outdated, to) =
            (&self.name, self.outdated(), Visible(self.args.output.as_str()));
        match (outdated, self.args.check, self.written) {
            (0, true, _) | (0, _, true) => format!("{name}: {skills}, {files} up to date\n"),
            (_, true, _) => format!("{name}: {skills}, {outdated} of {files} out of date\n"),
            (_, _, true) => {
                format!("{name}: {skills}, {outdated} of {files} written to {to}\n")
            }
            _ => format!("{name}: nothing written\n"),
        }
    }

    fn data(&self, workspace: &Workspace) -> PackPublishData {
        let skill = |skill: &Skill| PublishedSkill {
            name: skill.name.clone(),
            id: skill.id.clone(),
            description: skill.description.clone(),
            files: skill.files.len(),
            digest: skill.files[SKILL_FILE].digest(),
        };
        let file = |change: &PlannedChange| PublishedFile {
            path: change.path.to_string(),
            state: change.state,
            digest: change.after.as_ref().map(HashedFile::digest),
        };
        let sources = &workspace.sources;
        PackPublishData {
            schema: "faber.pack-publish/1",
            name: self.name.clone(),
            written: self.written,
            skills: self.skills.iter().map(skill).collect(),
            files: self.changes.iter().map(file).collect(),
            findings: self.found.iter().map(|found| json::finding(found, sources)).collect(),
        }
    }
}
