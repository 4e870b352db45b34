//! `faber import`.

pub(super) mod always;
mod apply;
mod companions;
mod data;
mod existing;
mod in_place;
mod insecure;
mod report;
mod requests;

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::cli::args::{DataFormat, Import};
use crate::commands::{output, template};
use faber_core::category::Category;
use faber_core::config::quote;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::findings;
use faber_core::packs::CONFIG;
use faber_core::paths::lexical;
use faber_core::rules::{import_duplicate, import_omitted};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::walk;
use faber_core::world::World;
use faber_output::streams::{ExitStatus, STDOUT, Streams};
use faber_output::{emit, json};
use faber_session::discover::atomic::{Replaced, Writer};
use faber_session::discover::files::{self, Files};
use faber_session::discover::watcher::Watcher;
use faber_session::discover::{foreign, root};
use faber_session::session::Session;
use faber_session::settings::{Settings, Verbosity};
use faber_tools::exchange::format::Format;
use faber_tools::exchange::gather::{self, GatherOptions, Importing, OsDisk, SkippedFiles};
use faber_tools::exchange::import::{self, PlannedImport};
use faber_tools::exchange::record::{ImportRecord, ImportRequest, ImportedFile, RECORD};

pub(crate) use data::ImportData;

use apply::{Applied, Applier, ImportMode, Side};
use data::{FileData, ImportState};
use existing::ExistingContexts;
use requests::Destination;

const ATTEMPTS: usize = 8;

const SWEEP: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &Import, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let outcome = once(args, streams, true)?;
    if !args.watch {
        return Ok(outcome.status);
    }
    let root = root::find(&streams.settings.start)?;
    let watcher = Watcher::start(&root, &outcome.folders, &[]);
    streams.note(&format!("watching the sources of `{root}`; Ctrl-C ends it\n"));
    loop {
        while !watcher.wait(SWEEP) {}
        match once(args, streams, false) {
            Ok(outcome) => watcher.watch_also(&outcome.folders),
            Err(error) if is_closed(&error) => return Err(error),
            Err(error) => streams.eprint(&emit::failure(&error, streams.settings.color_stderr)),
        }
    }
}

fn is_closed(error: &Error) -> bool {
    matches!(error, Error::Io { path, .. } if path == STDOUT)
}

struct ImportOutcome {
    status: ExitStatus,
    folders: Vec<Utf8PathBuf>,
}

/// Runs after the first print only changes and errors.
fn once(args: &Import, streams: &mut Streams<'_>, is_first: bool) -> Result<ImportOutcome, Error> {
    let settings = streams.settings;
    let again = args.paths.is_empty();
    let destination = destination(args.into.as_deref(), settings)?;
    if again && destination.is_new {
        root::find(&settings.start)?;
    }
    let (mut record, _) = read_record(&destination.root)?;
    let requests =
        if again { record.requests() } else { requests::requests(args, &destination, settings)? };
    if requests.is_empty() {
        let message = format!("`{RECORD}` has no imports");
        return Err(Error::usage(message, "name what to import, such as `faber import .`"));
    }
    if again && !args.outside {
        refuse_outside(&requests, &destination.root)?;
    }
    let is_written = !args.dry_run && !args.check && !args.in_place;
    let new_run = || ImportRun {
        args,
        settings,
        writer: Writer::new(&destination.root),
        destination: &destination,
        again,
        sources: SourceMap::default(),
        rows: Vec::new(),
        found: Vec::new(),
        diffs: Vec::new(),
        left: SkippedFiles::default(),
        always: Vec::new(),
        folders: BTreeSet::new(),
        is_record_outdated: false,
    };
    let mut run = new_run();
    let known = record.clone();
    let mut results = Vec::new();
    for request in requests {
        if args.in_place {
            run.in_place(&request, &record)?;
            continue;
        }
        let imported = run.import(&request, &record);
        if is_written && imported.is_err() {
            save(&results, &run.writer, &destination.root)?;
        }
        let files = imported?;
        record.set(request.clone(), files.clone());
        results.push((request, files));
    }
    if is_written && results.len() > 1 && run.differs() {
        // Earlier files may link to later ones.
        let mut run = new_run();
        for (request, files) in &mut results {
            *files = run.import(request, &record)?;
            record.set(request.clone(), files.clone());
        }
    }
    run.is_record_outdated = args.check && record.all_files() != known.all_files();
    if is_written {
        save(&results, &run.writer, &destination.root)?;
    }
    run.found = findings::by_place(std::mem::take(&mut run.found), &run.sources);
    let status = run.status();
    let folders = run.folders.iter().cloned().collect();
    if is_first || run.differs() || status != ExitStatus::Done {
        run.print(streams)?;
    }
    Ok(ImportOutcome { status, folders })
}

fn read_record(root: &Utf8Path) -> Result<(ImportRecord, Option<String>), Error> {
    let path = root.join(RECORD);
    if !files::path_exists(&path) {
        return Ok((ImportRecord::default(), None));
    }
    let text = foreign::content(&path).and_then(|bytes| String::from_utf8(bytes).ok());
    let fail = || Error::usage(format!("cannot read `{RECORD}`"), "check that it is a text file");
    let text = text.ok_or_else(fail)?;
    Ok((ImportRecord::parse(&text)?, Some(text)))
}

/// Another author's record could name private files outside.
fn refuse_outside(requests: &[ImportRequest], root: &Utf8Path) -> Result<(), Error> {
    let mut paths = requests.iter().flat_map(|request| &request.paths);
    let is_outside = |path: &&String| {
        let path = lexical(&root.join(path));
        !path.starts_with(root) || !foreign::existing(&path).starts_with(root)
    };
    let Some(path) = paths.find(is_outside) else { return Ok(()) };
    let message = format!("`{RECORD}` names `{path}`, which is outside of the workspace");
    Err(Error::usage(message, "pass `--outside` to import from there again"))
}

fn save(
    results: &[(ImportRequest, BTreeMap<String, ImportedFile>)],
    writer: &Writer,
    root: &Utf8Path,
) -> Result<(), Error> {
    let path = Utf8Path::new(RECORD);
    for _ in 0..ATTEMPTS {
        let (mut record, before) = read_record(root)?;
        for (request, files) in results {
            record.set(request.clone(), files.clone());
        }
        let text = record.print();
        let is_saved = match before {
            Some(before) if before == text => true,
            None if record.requests().is_empty() => true,
            before => {
                let before = before.as_deref().map(str::as_bytes);
                writer.change(path, before, Some(text.as_bytes()))? == Replaced::Done
            }
        };
        if is_saved {
            return Ok(());
        }
    }
    let message = format!("`{RECORD}` cannot be replaced");
    Err(Error::usage(message, "check its permissions, then run the import again"))
}

fn destination(into: Option<&Utf8Path>, settings: &Settings) -> Result<Destination, Error> {
    let folder = match into {
        Some(into) => lexical(&settings.cwd.join(into)),
        None => settings.start.clone(),
    };
    if files::path_exists(&folder) && !foreign::is_folder(&folder) {
        return Err(Error::usage(
            format!("`{folder}` is not a directory"),
            "pass a directory with `--into`",
        ));
    }
    let there = foreign::existing(&folder);
    match (root::find(&there), into) {
        (Ok(root), into) => {
            let place = foreign::resolved(&folder);
            let is_new = is_unfinished(&root);
            let into = match into.and_then(|_| place.strip_prefix(&root).ok()) {
                Some(place) => {
                    let place: Utf8PathBuf = place.as_str().replace('\\', "/").into();
                    // Nothing would read the imported files.
                    open_at(&root, settings)?.workspace().check_role_folder(&place)?;
                    place
                }
                None => home(&root),
            };
            Ok(Destination { root, into, is_new })
        }
        (Err(Error::NoWorkspace { .. }), _) => {
            if let Ok(around) = root::find(&settings.start) {
                // A link in the surrounding workspace must not redirect the new one.
                Writer::new(&around).entry(&folder.join(".faber"))?;
            }
            let into = home(&folder);
            Ok(Destination { root: folder, into, is_new: true })
        }
        (Err(error), _) => Err(error),
    }
}

/// The configuration is written last.
fn is_unfinished(root: &Utf8Path) -> bool {
    let has = |path: &str| files::path_exists(&root.join(path));
    has(".faber/roles/assistant") && !has(CONFIG) && !has(RECORD)
}

/// `.faber` if `contexts` has another purpose.
pub(super) fn home(root: &Utf8Path) -> Utf8PathBuf {
    let (world, contexts) = (Files::new(root), Utf8Path::new("contexts"));
    let is_taken = !world.names_ending(contexts, "").is_empty() && !walk::is_home(&world, contexts);
    let is_second = !world.is_dir(contexts) && world.is_dir(".faber/contexts".into());
    if is_taken || is_second { ".faber".into() } else { Utf8PathBuf::new() }
}

fn open_at(root: &Utf8Path, settings: &Settings) -> Result<Session, Error> {
    Session::open(&Settings { start: root.to_owned(), ..settings.clone() })
}

/// They have more information than their exports.
fn keep_roles(files: &mut Vec<PlannedImport>, root: &Utf8Path, found: &mut Vec<Diagnostic>) {
    files.retain(|planned| {
        let is_role = planned.id.as_ref().is_some_and(|id| id.starts_with("role/"));
        let Some(below) = below_roles(&planned.path).filter(|_| is_role) else { return true };
        let homes = ["roles", ".faber/roles"].map(|home| Utf8Path::new(home).join(below));
        let there = homes.iter().find(|path| files::path_exists(&root.join(path)));
        if let Some(path) = there {
            let at = Span::start_of(planned.source);
            found.push(
                import_duplicate::RULE.at(at, format!("`{path}` already exists; not changed")),
            );
        }
        there.is_none()
    });
}

fn below_roles(path: &Utf8Path) -> Option<&Utf8Path> {
    ["roles", ".faber/roles"].iter().find_map(|home| path.strip_prefix(home).ok())
}

/// A minimal configuration for `role`; without one, also a role.
fn scaffold(writer: &Writer, role: Option<&str>, dry_run: bool) -> Result<Vec<FileData>, Error> {
    let mut rows = Vec::new();
    for (path, text) in template::below("import").into_iter().rev() {
        let path = match path.strip_prefix("roles/") {
            Some(_) if role.is_some() => continue,
            Some(role) => format!(".faber/roles/{role}"),
            None if path.starts_with(".faber/") => path.to_owned(),
            None => continue,
        };
        let text = role.map_or_else(
            || text.to_owned(),
            |role| text.replace("role: assistant", &format!("role: {}", quote::text(role))),
        );
        let written = if dry_run { Ok(()) } else { writer.create(path.as_str().into(), &text) };
        match written {
            // By a concurrent or interrupted import.
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => continue,
            written => written?,
        }
        rows.push(FileData { path, id: None, source: None, state: ImportState::Created });
    }
    rows.reverse();
    Ok(rows)
}

struct ImportRun<'a> {
    args: &'a Import,
    settings: &'a Settings,
    writer: Writer,
    destination: &'a Destination,
    again: bool,
    sources: SourceMap,
    rows: Vec<FileData>,
    found: Vec<Diagnostic>,
    diffs: Vec<String>,
    left: SkippedFiles,
    always: Vec<String>,
    folders: BTreeSet<Utf8PathBuf>,
    is_record_outdated: bool,
}

impl ImportRun<'_> {
    fn mode(&self) -> ImportMode {
        let args = self.args;
        let conflicts = args.theirs.then_some(Side::Theirs).or(args.ours.then_some(Side::Ours));
        let dry_run = args.dry_run || args.check;
        ImportMode { dry_run, is_update: self.again, prune: args.prune, conflicts }
    }

    fn import(
        &mut self,
        request: &ImportRequest,
        record: &ImportRecord,
    ) -> Result<BTreeMap<String, ImportedFile>, Error> {
        let root = &self.destination.root;
        let format = request.format.as_deref().and_then(Format::from_name);
        let category = request.category.as_deref().and_then(Category::from_name);
        let translations = request.translations;
        let wanted = GatherOptions { format, category, translations, in_place: false };
        let paths: Vec<Utf8PathBuf> =
            request.paths.iter().map(|path| lexical(&root.join(path))).collect();
        let is_left = |path: &&Utf8PathBuf| {
            !self.again || !path.starts_with(root) || files::path_exists(path)
        };
        let paths: Vec<&Utf8Path> = paths.iter().filter(is_left).map(|it| &**it).collect();
        let importing = Importing { root, settings: self.settings };
        let mut found = Vec::new();
        let mut gathered =
            gather::gather(wanted, &paths, importing, &mut self.sources, &mut found)?;
        if gathered.is_empty && !self.again {
            return Err(gather::nothing(format, gathered.left.others.len(), &self.args.paths));
        }
        if !self.again {
            found.extend(gathered.empty.iter().map(|folder| {
                let at = Span::start_of(self.sources.add_placeholder(folder));
                import_omitted::RULE.at(at, "no files to import here")
            }));
        }
        self.left.add(std::mem::take(&mut gathered.left));
        self.folders.extend(paths.iter().map(|path| foreign::existing(path)));
        let sources = gathered.found.iter().map(|found| found.base.join(&found.path));
        self.folders.extend(sources.filter_map(|path| Some(path.parent()?.to_owned())));
        let failed = found.iter().filter(|found| found.severity() == Severity::Error);
        let failed = failed.map(|found| self.sources.path(found.primary.span.file).to_owned());
        let failed: BTreeSet<Utf8PathBuf> = failed.collect();
        let known = record.known(|from| lexical(&root.join(from)));
        let folder = Utf8Path::new(&request.into);
        let existing = ExistingContexts::read(&gathered.found, &self.sources, folder, importing);
        let into = import::Into {
            root,
            folder,
            known: &known,
            existing: &existing.paths,
            is_in_place: false,
        };
        let mut plan = import::plan(&mut self.sources, &gathered.found, into, &OsDisk);
        found.append(&mut plan.found);
        if self.destination.is_new && self.rows.is_empty() {
            let mut roles = plan.files.iter().filter_map(|it| below_roles(&it.path));
            let role = roles.find_map(|path| path.iter().next());
            self.rows.extend(scaffold(&self.writer, role, self.mode().dry_run)?);
        } else {
            keep_roles(&mut plan.files, root, &mut found);
        }
        let mut applier = Applier {
            root,
            cwd: &self.settings.cwd,
            writer: &self.writer,
            record,
            existing: &existing.texts,
            request,
            mode: self.mode(),
            applied: Applied::default(),
        };
        let (news, copied) = applier.files(&plan.files, &self.sources);
        self.always.extend(always::planned(&plan.files));
        applier.gone(record.files(request), &failed)?;
        let mut result = applier.applied;
        let mut known: BTreeSet<FileId> = gathered.found.iter().map(|found| found.file).collect();
        known.retain(|file| !news.contains(file));
        found.append(&mut result.found);
        // Losses of unchanged files were reported before.
        self.found.extend(found.into_iter().map(|found| {
            let is_known = known.contains(&found.primary.span.file);
            if is_known { found.exceptional() } else { found }
        }));
        self.found.extend(insecure::findings(&plan.files, Some(&news), &self.sources, importing));
        let is_first = !self.again;
        let is_new = |path: &Utf8Path| is_first || copied.contains(path);
        self.found.extend(companions::findings(&gathered, is_new, &mut self.sources, importing));
        self.rows.append(&mut result.rows);
        self.diffs.append(&mut result.diffs);
        Ok(result.files)
    }

    fn differs(&self) -> bool {
        let is_change = |state: ImportState| {
            state.is_new() || matches!(state, ImportState::Gone | ImportState::Removed)
        };
        self.is_record_outdated || self.rows.iter().any(|row| is_change(row.state))
    }

    fn status(&self) -> ExitStatus {
        output::written(&self.found, self.args.check && self.differs())
    }

    fn print(self, streams: &mut Streams<'_>) -> Result<(), Error> {
        let dry_run = self.mode().dry_run;
        if self.args.format == DataFormat::Json {
            let found = self.found.iter().map(|found| json::finding(found, &self.sources));
            return streams.print_json(&ImportData {
                schema: "faber.import/1",
                dry_run,
                findings: found.collect(),
                files: self.rows,
            });
        }
        let verbosity = self.settings.verbosity;
        let all = verbosity == Verbosity::Verbose;
        streams.print(&report::files(&self.rows, all))?;
        let least = match verbosity {
            Verbosity::Quiet => Severity::Error,
            // Hints say why nothing was imported.
            Verbosity::Normal if self.rows.iter().any(|row| row.source.is_some()) => {
                Severity::Warning
            }
            _ => Severity::Hint,
        };
        let shown = self.found.iter().filter(|found| found.severity() <= least);
        let shown: Vec<&Diagnostic> = shown.collect();
        streams.eprint(&report::findings(&shown, &self.sources, all));
        streams.note(&report::diffs(&self.diffs, all));
        streams.note(&report::help(&shown));
        streams.note(&report::summary(&self.rows, &self.found, dry_run));
        streams.note(&self.hints());
        Ok(())
    }

    fn always(&self) -> Vec<String> {
        let settings = Settings { start: self.destination.root.clone(), ..self.settings.clone() };
        let own: BTreeSet<&str> = self.rows.iter().map(|row| row.path.as_str()).collect();
        let written = (!self.mode().dry_run)
            .then(|| always::texts(&settings, |path| own.contains(path.as_str())));
        written.flatten().unwrap_or_else(|| self.always.clone())
    }

    fn hints(&self) -> String {
        let mut lines = Vec::new();
        let has_new = self.rows.iter().any(|row| row.state.is_new());
        if self.is_record_outdated && !has_new {
            lines.push(format!("`{RECORD}` is out of date; run `faber import --update`\n"));
        }
        if has_new {
            lines.push(always::note(&self.always(), &self.destination.root, self.settings));
        }
        lines.push(report::left_out(&self.left, self.again, self.settings.verbosity));
        if self.destination.is_new && !self.mode().dry_run {
            lines.push("\nnext: faber assemble --request \"Explain this repository\"\n".to_owned());
        }
        lines.concat()
    }
}
