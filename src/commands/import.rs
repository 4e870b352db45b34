//! `faber import`.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::args::{DataFormat, Import};
use crate::commands::template;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::findings;
use faber_core::rules::{import_conflict, import_duplicate, import_kept};
use faber_core::source::{FileId, SourceMap, Span};
use faber_output::json::{self, FindingData};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::text::counted;
use faber_session::discover::atomic::{Writer, lexical};
use faber_session::discover::files::{self, Files};
use faber_session::discover::{foreign, root};
use faber_session::settings::Settings;
use faber_tools::exchange::format::Format;
use faber_tools::exchange::gather::{self, Importing, Machine};
use faber_tools::exchange::import::{self, PlannedContent, PlannedImport};
use faber_tools::exchange::write::unwritten;

/// `faber import --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportData {
    /// `faber.import/1`.
    pub schema: &'static str,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The files of the workspace, by path.
    pub files: Vec<FileData>,
    /// What is lost on the way, and what else there is to say.
    pub findings: Vec<FindingData>,
}

/// A file of the workspace.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileData {
    /// Its path from the workspace root.
    pub path: String,
    /// What it is, such as `standard/testing`; null for what only belongs to one.
    pub id: Option<String>,
    /// The file that it comes from, as findings name it; null for what a new workspace has.
    pub source: Option<String>,
    /// What became of it.
    pub state: State,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It was created, or would be.
    Created,
    /// It was there, word for word.
    Unchanged,
    /// What faber exported from it is another text by now; it stays as it is.
    Kept,
    /// Something else was there, and still is.
    Refused,
}

struct Destination {
    root: Utf8PathBuf,
    /// From the root.
    into: Utf8PathBuf,
    is_new: bool,
}

/// Runs it. Nothing existing is overwritten.
///
/// # Errors
///
/// [`Error::Usage`] when nothing that was named is of a known format, [`Error::Io`] when something
/// cannot be read or written.
pub fn run(args: &Import, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = streams.settings;
    let (format, paths) = split(&args.paths, settings)?;
    let destination = destination(args.into.as_deref(), settings)?;
    let mut sources = SourceMap::default();
    let mut found = Vec::new();
    let importing = Importing { root: &destination.root, settings };
    let gathered = gather::gather(format, &paths, importing, &mut sources, &mut found)?;
    let into = import::Into { root: &destination.root, folder: &destination.into };
    let mut plan = import::plan(&mut sources, &gathered.found, into, &Machine);
    found.append(&mut plan.found);
    let mut rows = Vec::new();
    let writer = Writer::new(&destination.root);
    if destination.is_new {
        let has_role = plan.files.iter().any(|it| it.path.starts_with("roles"));
        rows.extend(scaffold(&writer, has_role, args.dry_run)?);
    } else {
        keep_roles(&mut plan.files, &destination.root, &mut found);
    }
    let mut news = BTreeSet::new();
    for planned in &plan.files {
        let state = write(planned, &writer, &destination.root, args.dry_run, &mut found);
        if matches!(state, State::Created | State::Kept) {
            news.insert(planned.source);
        }
        rows.push(FileData {
            path: planned.path.to_string(),
            id: planned.id.clone(),
            source: Some(sources.path(planned.source).to_string()),
            state,
        });
    }
    let mut known: BTreeSet<FileId> = gathered.found.iter().map(|found| found.file).collect();
    known.retain(|file| !news.contains(file));
    for found in &mut found {
        // Nothing is lost by what was imported before.
        if known.contains(&found.primary.span.file) {
            *found = found.clone().exceptional();
        }
    }
    let found = findings::by_place(found, &sources);
    let failed = found.iter().any(|found| found.severity() == Severity::Error);
    let outcome = ImportOutcome { args, destination, rows, others: gathered.others, found };
    outcome.print(&sources, streams)?;
    Ok(if failed { ExitStatus::Findings } else { ExitStatus::Done })
}

/// The format, if the first word names one, and the paths.
fn split<'a>(
    paths: &'a [Utf8PathBuf],
    settings: &Settings,
) -> Result<(Option<Format>, Vec<&'a Utf8Path>), Error> {
    let all: Vec<&Utf8Path> = paths.iter().map(Utf8PathBuf::as_path).collect();
    let [first, rest @ ..] = &all[..] else { return Ok((None, all)) };
    match Format::from_name(first.as_str()) {
        Some(format) if !rest.is_empty() => Ok((Some(format), rest.to_vec())),
        Some(_) if !files::is_there(&settings.cwd.join(first)) => Err(Error::usage(
            format!("`{first}` is a format, and no path follows it"),
            format!("name files or folders, such as `faber import {first} .`"),
        )),
        None if !rest.is_empty() && !files::is_there(&settings.cwd.join(first)) => {
            let known = Format::ALL.iter().map(|(name, _)| *name);
            Err(Error::unknown("format", first.as_str(), known))
        }
        _ => Ok((None, all)),
    }
}

/// Finds the workspace around `into`, or around the current directory; if there is none, it will be
/// created there.
fn destination(into: Option<&Utf8Path>, settings: &Settings) -> Result<Destination, Error> {
    let folder = match into {
        Some(into) => lexical(&settings.cwd.join(into)),
        None => settings.start.clone(),
    };
    if files::is_there(&folder) && !foreign::is_folder(&folder) {
        return Err(Error::usage(format!("`{folder}` is not a folder"), "name one with `--into`"));
    }
    let there = foreign::existing(&folder);
    match (root::find(&there), into) {
        (Ok(root), into) => {
            // A missing path is relative to the part that exists.
            let rest = folder.strip_prefix(shared(&folder, &there)).unwrap_or(Utf8Path::new(""));
            let place = there.join(rest);
            let place = into.and_then(|_| place.strip_prefix(&root).ok()).unwrap_or("".into());
            let into = Utf8PathBuf::from(place.as_str().trim_end_matches('/').replace('\\', "/"));
            Ok(Destination { root, into, is_new: false })
        }
        (Err(Error::NoWorkspace { .. }), _) => {
            if let Ok(around) = root::find(&settings.start) {
                // A link of that workspace does not choose where another is created.
                Writer::new(&around).entry(&folder.join(".faber"))?;
            }
            Ok(Destination { root: folder, into: Utf8PathBuf::new(), is_new: true })
        }
        (Err(error), _) => Err(error),
    }
}

/// The part of `folder` that exists and resolves to `there`.
fn shared(folder: &Utf8Path, there: &Utf8Path) -> Utf8PathBuf {
    let exists = folder.ancestors().find(|above| foreign::existing(above) == there);
    exists.unwrap_or(folder).to_owned()
}

/// Removes prompts of existing roles from `files`: they have more information than an export of
/// them.
fn keep_roles(files: &mut Vec<PlannedImport>, root: &Utf8Path, found: &mut Vec<Diagnostic>) {
    files.retain(|planned| {
        let Ok(below) = planned.path.strip_prefix("roles") else { return true };
        let homes = ["roles", ".faber/roles"].map(|home| Utf8Path::new(home).join(below));
        let there = homes.iter().find(|path| files::is_there(&root.join(path)));
        if let Some(path) = there {
            let at = Span::start_of(planned.source);
            found.push(
                import_duplicate::RULE.at(at, format!("`{path}` is there and stays as it is")),
            );
        }
        there.is_none()
    });
}

/// What a workspace needs before `faber assemble` works: its configuration and, unless one comes
/// with the import, a role.
fn scaffold(writer: &Writer, has_role: bool, dry_run: bool) -> Result<Vec<FileData>, Error> {
    let mut rows = Vec::new();
    for (path, text) in template::below("workspaces/minimal") {
        let path = match path.strip_prefix("roles/") {
            Some(_) if has_role => continue,
            // A repository may have an unrelated `roles` folder.
            Some(role) => format!(".faber/roles/{role}"),
            None if path.starts_with(".faber/") => path.to_owned(),
            None => continue,
        };
        if !dry_run {
            writer.create(path.as_str().into(), text)?;
        }
        rows.push(FileData { path, id: None, source: None, state: State::Created });
    }
    Ok(rows)
}

/// Creates a file, unless something is there.
fn write(
    planned: &PlannedImport,
    writer: &Writer,
    root: &Utf8Path,
    dry_run: bool,
    found: &mut Vec<Diagnostic>,
) -> State {
    let path = root.join(&planned.path);
    let mut refuse = |why: &str, help: &str| {
        let at = Span::start_of(planned.source);
        let found_now = import_conflict::RULE.at(at, format!("`{}` {why}", planned.path));
        found.push(found_now.help(help));
        State::Refused
    };
    // Links within the workspace are deliberate.
    let leaves = writer.entry(&planned.path).is_err().then_some("is reached through a link");
    let obstacle = foreign::obstacle(root, &planned.path);
    if let Some(why) = leaves.or(obstacle.filter(|why| *why != "is reached through a link")) {
        return refuse(why, "import into another folder with `--into DIR`");
    }
    if !files::is_there(&path) {
        let created = match &planned.content {
            _ if dry_run => Ok(()),
            PlannedContent::Text(text) => writer.create(&planned.path, text),
            PlannedContent::CopyOf(from) => writer.copy(from, &planned.path),
        };
        match created {
            // Another process was faster.
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => {
                found.push(unwritten(Span::start_of(planned.source), &planned.path, &error));
                return State::Refused;
            }
            Ok(()) => return State::Created,
        }
    }
    let same = match &planned.content {
        PlannedContent::Text(text) => {
            Files::new(root).read(&planned.path).is_ok_and(|old| old == *text)
        }
        PlannedContent::CopyOf(from) => {
            foreign::hash(from).is_some_and(|it| Some(it) == foreign::hash(&path))
        }
    };
    if same {
        return State::Unchanged;
    }
    if planned.managed {
        let note = format!(
            "`{}` already exists with different content; not overwritten by the exported part",
            planned.path
        );
        found.push(import_kept::RULE.at(Span::start_of(planned.source), note));
        return State::Kept;
    }
    refuse(
        "already exists with different content; not overwritten",
        "remove or rename it, or import into another folder with `--into DIR`",
    )
}

struct ImportOutcome<'a> {
    args: &'a Import,
    destination: Destination,
    rows: Vec<FileData>,
    /// The number of Markdown files of unknown format.
    others: usize,
    found: Vec<Diagnostic>,
}

impl ImportOutcome<'_> {
    fn print(self, sources: &SourceMap, streams: &mut Streams<'_>) -> Result<(), Error> {
        if self.args.format == DataFormat::Json {
            let findings = self.found.iter().map(|found| json::finding(found, sources)).collect();
            return streams.print_json(&ImportData {
                schema: "faber.import/1",
                dry_run: self.args.dry_run,
                files: self.rows,
                findings,
            });
        }
        for row in self.rows.iter().filter(|row| row.state == State::Created) {
            streams.print(&format!("{}\n", Visible(row.path.as_str())))?;
        }
        streams.say_lines(&self.found, sources);
        streams.note(&self.summary());
        Ok(())
    }

    fn summary(&self) -> String {
        let count = |state: State| {
            self.rows.iter().filter(|row| row.source.is_some() && row.state == state).count()
        };
        let (created, unchanged) = (count(State::Created), count(State::Unchanged));
        let verb = if self.args.dry_run { "would be imported" } else { "imported" };
        let mut said = vec![format!("{} {verb}", counted(created, "file"))];
        if unchanged > 0 {
            said.push(format!("{unchanged} unchanged"));
        }
        let kept = count(State::Kept);
        if kept > 0 {
            said.push(format!("{kept} kept"));
        }
        let refused = count(State::Refused);
        if refused > 0 {
            said.push(format!("{refused} not overwritten"));
        }
        let lost = self.found.iter().filter(|it| it.severity() == Severity::Warning).count();
        if lost > 0 {
            said.push(format!("{lost} {}", if lost == 1 { "loss" } else { "losses" }));
        }
        let mut text = said.join(", ") + "\n";
        if self.others > 0 {
            let others = counted(self.others, "other Markdown file");
            let them = if self.others == 1 { "it" } else { "them" };
            text = format!(
                "{text}{others} of no known format; name {them} with the format to import {them} too\n"
            );
        }
        if self.destination.is_new && !self.args.dry_run {
            text += "\nnext: faber assemble --request \"Explain this repository\"\n";
        }
        text
    }
}
