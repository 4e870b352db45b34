//! `faber assemble`.

use std::fmt::Write;
use std::mem::ManuallyDrop;

use base64::prelude::{BASE64_STANDARD, Engine};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::cli::args::{Assemble, BundleFormat, DataFormat};
use crate::commands::command_log::{self, CommandCall, RunningCommand};
use crate::commands::{job, output};
use faber_core::assemble::{Advice, Assembly, InstructionKind, Job};
use faber_core::config::{Amount, AuditConfig};
use faber_core::diagnostic::Severity;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_lint::validate::Linter;
use faber_lint::validate::policy::Policy;
use faber_output::streams::{self, ExitStatus, Streams, is_stdout};
use faber_output::table::{figure, folded};
use faber_output::text::unified_diff;
use faber_output::{emit, json, report};
use faber_session::audit::AnswerTrace;
use faber_session::discover::atomic::Writer;
use faber_session::discover::clipboard;
use faber_session::discover::files::{Files, is_file, path_exists, real_file, real_place};
use faber_session::discover::snapshot::Recorder;
use faber_session::history::{self, ArchiveRequest};
use faber_session::job::AssembleRequest;
use faber_session::session::{Assembled, Session, Workspace};
use faber_session::settings::{Settings, Verbosity};

pub(crate) fn run(args: &Assemble, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = &settings(args, streams.settings);
    let streams = &mut output::with_settings(streams, settings);
    refuse_contradictions(args, settings)?;
    let settings = job::settings(&args.ask, settings)?;
    let request = request(args, &settings, job::standard_input(&args.ask, streams)?);
    // Freeing it would only take time.
    let session = ManuallyDrop::new(Session::open(&settings)?);
    let command = RunningCommand::begin("assemble", &settings);
    let outcome = cached(args, &session, &request, streams);
    let mut outcome = outcome.map_err(|error| job::suggest_role(error, &args.ask, &session))?;
    let logged = outcome.logged.take();
    let writer = Writer::new(session.root());
    let mut write = |path: &Utf8Path, text: &str| writer.replace(path, text);
    let mut target = OutputTarget { recorder: Recorder::default(), write: &mut write };
    let status = deliver(args, &session, &outcome, streams, &mut target)?;
    if let Some((config, call)) = logged {
        command.log(&session, config, streams, || call);
    }
    Ok(status)
}

/// Notes would break a JSON report on standard error.
fn settings(args: &Assemble, settings: &Settings) -> Settings {
    let verbosity = if reports_json(args) { Verbosity::Quiet } else { settings.verbosity };
    Settings { verbosity, ..settings.clone() }
}

pub(super) fn refuse_contradictions(args: &Assemble, settings: &Settings) -> Result<(), Error> {
    let prints_report = args.report_file.as_deref().is_some_and(is_stdout);
    if prints_report && !args.copy && args.output.as_deref().is_none_or(is_stdout) {
        return Err(Error::usage(
            "the bundle and the report would both be on standard output",
            "write one of them to a file",
        ));
    }
    let place = |path: &Utf8PathBuf| real_file(&real_place(path));
    if let [bundle, report] = &*outputs(args, settings)
        && place(bundle) == place(report)
    {
        return Err(Error::usage(
            "`--output` and `--report-file` name the same file",
            "one would overwrite the other; use two files",
        ));
    }
    if args.check.as_ref().is_some_and(|path| path == "-") {
        return Err(Error::usage(
            "`--check` does not read standard input",
            "pass the file to compare with",
        ));
    }
    Ok(())
}

pub(super) struct OutputTarget<'a> {
    pub(super) recorder: Recorder,
    pub(super) write: &'a mut dyn FnMut(&Utf8Path, &str) -> Result<(), Error>,
}

/// Without the cache of results.
pub(super) fn uncached(
    args: &Assemble,
    session: &Session,
    stdin: &str,
    streams: &mut Streams<'_>,
    target: &mut OutputTarget<'_>,
) -> Result<ExitStatus, Error> {
    let settings = job::settings(&args.ask, &settings(args, session.settings()))?;
    let request = request(args, &settings, stdin.to_owned());
    let session = session.with_settings(settings);
    let assembled = session.assemble(&request)?;
    let (outcome, _) = outcome(args, &session, &request, assembled, streams)?;
    deliver(args, &session, &outcome, streams, target)
}

fn request(args: &Assemble, settings: &Settings, stdin: String) -> AssembleRequest {
    let role = args.role.as_ref().or(args.role_option.as_ref());
    let request = job::request(role.map(String::as_str), &args.ask, args.format, stdin);
    let is_quiet = settings.verbosity == Verbosity::Quiet;
    AssembleRequest { advice: if is_quiet { Advice::None } else { Advice::Budget }, ..request }
}

pub(super) fn outputs(args: &Assemble, settings: &Settings) -> Vec<Utf8PathBuf> {
    let output = args.output.as_ref().filter(|path| !is_stdout(path));
    let report = args.report_file.as_ref().filter(|path| !is_stderr(path) && !is_stdout(path));
    output.into_iter().chain(report).map(|path| settings.cwd.join(path)).collect()
}

fn deliver(
    args: &Assemble,
    session: &Session,
    outcome: &AssembleOutcome,
    streams: &mut Streams<'_>,
    target: &mut OutputTarget<'_>,
) -> Result<ExitStatus, Error> {
    let settings = session.settings();
    if !reports_json(args) {
        streams.eprint(&outcome.said);
        if let Some(path) = args.ask.error.as_ref().filter(|text| is_file_name(text, settings)) {
            let path = Visible(path);
            streams.note(&format!(
                "`{path}` is used as the text of the error; `--error - < {path}` reads the file\n"
            ));
        }
    }
    if let Some(report) = &outcome.report {
        match args.report_file.as_ref().filter(|path| !is_stderr(path)) {
            Some(path) if is_stdout(path) => streams.print(report)?,
            Some(path) => (target.write)(&settings.cwd.join(path), report)?,
            None => streams.eprint(report),
        }
    }
    if args.archive {
        let files = Files::new(session.root());
        let archived = history::archive(&files, &outcome.archive, outcome.user.as_deref())?;
        if let Some(message) = archived {
            streams.note(&message);
        }
    }
    if let Some(path) = &args.check {
        let files = Files::new(&settings.cwd).recorded_in(target.recorder.clone());
        let place = settings.cwd.join(path);
        let old = match files.read_input(&place) {
            Err(_) if !path_exists(&place) => {
                if !reports_json(args) {
                    let path = Visible(path.as_str());
                    streams.eprint(&format!("`{path}` does not exist; write it with `--output`\n"));
                }
                return Ok(ExitStatus::Findings);
            }
            old => old?,
        };
        // A checkout may have other line ends.
        let is_unix = !outcome.bundle.contains("\r\n");
        let old = if is_unix { old.replace("\r\n", "\n") } else { old };
        if old == outcome.bundle {
            return Ok(ExitStatus::Done);
        }
        streams.print(&unified_diff(&old, &outcome.bundle, path.as_str(), "assembled now"))?;
        if !reports_json(args) {
            streams.eprint(&format!("`{path}` is out of date\n"));
        }
        return Ok(ExitStatus::Findings);
    }
    if args.copy {
        copy(outcome, streams)?;
        return Ok(ExitStatus::Done);
    }
    match &args.output {
        Some(path) if !is_stdout(path) => {
            (target.write)(&settings.cwd.join(path), &outcome.bundle)?;
        }
        _ => {
            let bundle = streams.shown(&outcome.bundle);
            streams.print_unmasked(&bundle)?;
        }
    }
    Ok(ExitStatus::Done)
}

fn is_file_name(text: &str, settings: &Settings) -> bool {
    let is_path = !text.is_empty() && text.len() < 256 && !text.contains(['\n', '\0']);
    is_path && is_file(&settings.cwd.join(text))
}

/// Over SSH the clipboard is the terminal's, set by an escape sequence (OSC 52).
fn copy(outcome: &AssembleOutcome, streams: &mut Streams<'_>) -> Result<(), Error> {
    let settings = streams.settings;
    let is_set = |name: &str| settings.var(name).is_some();
    let program = if is_set("SSH_TTY") { None } else { clipboard::copy(&outcome.bundle, is_set) };
    let by = match program {
        Some(program) => format!("by `{program}`"),
        None if settings.stdout_width.is_some() => {
            let text = BASE64_STANDARD.encode(&outcome.bundle);
            streams.print_unmasked(&format!("\u{1b}]52;c;{text}\u{7}"))?;
            "of the terminal, if it allows programs to write to it (OSC 52)".to_owned()
        }
        None => {
            return Err(Error::usage(
                "no clipboard found",
                "install `wl-copy`, `xclip` or `xsel`, or write the bundle to a file with `--output`",
            ));
        }
    };
    let tokens = figure(outcome.tokens);
    let note = format!("{tokens} tokens copied to the clipboard {by}\n");
    streams.note(&folded(&note, settings.stdout_width));
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct AssembleOutcome {
    bundle: String,
    tokens: usize,
    report: Option<String>,
    said: String,
    archive: ArchiveRequest,
    user: Option<String>,
    logged: Option<(AuditConfig, CommandCall)>,
}

fn cached(
    args: &Assemble,
    session: &Session,
    request: &AssembleRequest,
    streams: &mut Streams<'_>,
) -> Result<AssembleOutcome, Error> {
    let outputs = outputs(args, session.settings());
    let key = (request, args.format, report_format(args), args.archive, outputs);
    let Some(cache) = session.run_cache("assemble", &key) else {
        let assembled = session.assemble(request)?;
        return last_outcome(args, session, request, assembled, streams);
    };
    if let Some(outcome) = cache.get() {
        return Ok(outcome);
    }
    // These mostly decide which files are read.
    let session = session.reading_kept(&(&request.role, &request.platform));
    let assembled = session.assemble(request)?;
    rayon::in_place_scope(|scope| {
        scope.spawn(|_| session.caches().save());
        let outcome = last_outcome(args, &session, request, assembled, streams)?;
        cache.put(session.files().recorder(), &outcome);
        Ok(outcome)
    })
}

fn last_outcome(
    args: &Assemble,
    session: &Session,
    request: &AssembleRequest,
    assembled: Assembled,
    streams: &mut Streams<'_>,
) -> Result<AssembleOutcome, Error> {
    let (outcome, assembled) = outcome(args, session, request, assembled, streams)?;
    std::mem::forget(assembled);
    Ok(outcome)
}

fn outcome(
    args: &Assemble,
    session: &Session,
    request: &AssembleRequest,
    Assembled { workspace, result }: Assembled,
    streams: &mut Streams<'_>,
) -> Result<(AssembleOutcome, (Workspace, Assembly)), Error> {
    let mut said = Vec::new();
    let settings = streams.settings;
    Streams { err: &mut said, ..output::with_settings(streams, settings) }
        .eprint_assembly_findings(&result, &workspace);
    let mut said = String::from_utf8(said).expect("findings are text");
    let assembly = result.inspect_err(|_| streams.eprint(&said)).map_err(job::suggest_request)?;
    for path in outputs(args, session.settings()) {
        output::refuse_source(&path, &workspace, session)?;
    }
    if session.settings().strict {
        refuse_errors(session, streams)?;
    }
    let is_quiet = session.settings().verbosity == Verbosity::Quiet;
    if !is_quiet {
        if let Some(shortfall) = &assembly.shortfall {
            let _ = writeln!(said, "note: {shortfall}");
        }
        for unmet in &assembly.unmet {
            let _ = writeln!(said, "note: {unmet}");
        }
        said.push_str(&job::input_notes(&request.inputs, &assembly.job.inputs));
    }
    let bundle = product(args, &assembly, &workspace).inspect_err(|_| streams.eprint(&said))?;
    if bundle.is_empty() && !is_quiet {
        let parts = request.parts.iter().map(|part| format!("no {}", part.name()));
        let parts = parts.collect::<Vec<_>>().join(", ");
        let colon = if parts.is_empty() { "" } else { ": " };
        let _ = writeln!(said, "note: the bundle is empty{colon}{parts}");
    }
    let report = report_format(args).map(|format| match format {
        DataFormat::Human => report::human(&assembly, args.archive),
        DataFormat::Json => streams::json(&json::report(&assembly.bundle.figures)),
    });
    let messages = assembly.job.history.iter().filter(|_| args.archive);
    let archive = ArchiveRequest {
        messages: messages.map(|message| message.raw.clone()).collect(),
        omitted: assembly.bundle.archivable.clone(),
    };
    let user = workspace.principal().user;
    let tokens = assembly.bundle.figures.summary.total_used;
    let config = workspace.config.audit;
    let logged = command_log::is_wanted(config)
        .then(|| (config, call(&assembly, &workspace, request.budget)));
    let outcome = AssembleOutcome { bundle, tokens, report, said, archive, user, logged };
    Ok((outcome, (workspace, assembly)))
}

fn refuse_errors(session: &Session, streams: &mut Streams<'_>) -> Result<(), Error> {
    let linter = Linter::open(session, Policy::default());
    let mut errors = linter.check().found;
    errors.retain(|found| found.severity() == Severity::Error);
    if errors.is_empty() {
        return Ok(());
    }
    streams.eprint(&emit::findings(&errors, &linter.workspace.sources, session.settings()));
    let help = Some("run `faber validate`, or leave out `--strict`".to_owned());
    Err(Error::Findings { found: errors, places: String::new(), help })
}

fn call(assembly: &Assembly, workspace: &Workspace, budget: Option<Amount>) -> CommandCall {
    let Job { request, instruction, .. } = &assembly.job;
    let task = instruction.as_ref().filter(|(kind, _)| *kind == InstructionKind::Task);
    let budget = budget.and_then(|budget| match budget {
        Amount::Tokens(tokens) => Some(tokens),
        Amount::Percent(_) => None,
    });
    let arguments = [
        ("role", assembly.role.clone().into()),
        ("request", request.text.clone().into()),
        ("error", request.error.clone().into()),
        ("files", request.files.clone().into()),
        ("with", request.with.clone().into()),
        ("without", request.without.clone().into()),
        ("task", task.map(|(_, name)| name.clone()).into()),
        ("budget", budget.into()),
    ];
    CommandCall::new(arguments, AnswerTrace::of_assembly(assembly, &workspace.sources))
}

fn product(args: &Assemble, assembly: &Assembly, workspace: &Workspace) -> Result<String, Error> {
    Ok(match (args.format, assembly.job.body) {
        (_, Some(vendor)) => streams::json(&assembly.bundle.request_body(vendor)?),
        (BundleFormat::Json, _) => {
            streams::json(&json::bundle(assembly, &workspace.sources, &workspace.findings()))
        }
        _ => assembly.bundle.text(),
    })
}

fn report_format(args: &Assemble) -> Option<DataFormat> {
    match (args.report, &args.report_file) {
        (Some(format), _) => Some(format),
        (None, Some(path)) if path.extension() == Some("json") => Some(DataFormat::Json),
        (None, Some(_)) => Some(DataFormat::Human),
        (None, None) => None,
    }
}

fn reports_json(args: &Assemble) -> bool {
    args.report_file.as_deref().is_none_or(is_stderr)
        && report_format(args) == Some(DataFormat::Json)
}

fn is_stderr(path: &Utf8Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].contains(&path.as_str())
}
