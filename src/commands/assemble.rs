//! `faber assemble`.

use std::fmt::Write;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::cli::args::{Assemble, Format, ReportFormat};
use crate::commands::job::{self, Asked};
use faber_core::assemble::Assembly;
use faber_core::assemble::shortfall::Advice;
use faber_core::error::Error;
use faber_core::render::block::bundle_text;
use faber_output::streams::is_stdout;
use faber_output::streams::{ExitStatus, Streams};
use faber_output::{json, report};
use faber_session::archive;
use faber_session::discover::files::Files;
use faber_session::discover::journal::Journal;
use faber_session::discover::{atomic, root};
use faber_session::memo::{self, Memo};
use faber_session::settings::{Settings, Verbosity};
use faber_session::workspace::Workspace;

/// Runs it.
///
/// # Errors
///
/// What assembling, reading the inputs and writing the outputs can fail with. Nothing is printed
/// on standard output then.
pub fn run(
    args: &Assemble,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    refuse_contradictions(args)?;
    let settings = job::settings(&args.ask, settings);
    let typed = job::standard_input(&args.ask, streams)?;
    let outcome = remembered(args, &settings, &typed, streams)?;
    let mut outlet = Outlet { journal: Journal::default(), write: &mut atomic::replace };
    deliver(args, &settings, &outcome, streams, &mut outlet)
}

/// Refuses what no workspace can make right.
///
/// # Errors
///
/// [`Error::Usage`] says why.
pub(super) fn refuse_contradictions(args: &Assemble) -> Result<(), Error> {
    if args.output.is_some() && args.output == args.report_file {
        return Err(Error::usage(
            "`--output` and `--report-file` name the same file",
            "one of the two would be lost; name two files",
        ));
    }
    Ok(())
}

/// What an assembly has besides its streams.
pub(super) struct Outlet<'a> {
    /// Where it is noted what is seen of the disk.
    pub(super) journal: Journal,
    /// Replaces a file by a text.
    pub(super) write: &'a mut dyn FnMut(&Utf8Path, &str) -> Result<(), Error>,
}

/// Assembles whatever has been assembled before. `typed` is what stands on standard input.
///
/// # Errors
///
/// As [`run`].
pub(super) fn anew(
    args: &Assemble,
    settings: &Settings,
    typed: &str,
    streams: &mut Streams<'_>,
    outlet: &mut Outlet<'_>,
) -> Result<ExitStatus, Error> {
    let settings = job::settings(&args.ask, settings);
    let outcome = outcome(args, &settings, (typed, outlet.journal.clone()), streams)?;
    deliver(args, &settings, &outcome, streams, outlet)
}

/// The files that an assembly writes to.
pub(super) fn outputs(args: &Assemble, settings: &Settings) -> Vec<Utf8PathBuf> {
    let output = args.output.as_ref().filter(|path| !is_stdout(path));
    let report = args.report_file.as_ref().filter(|path| !is_stderr(path));
    output.into_iter().chain(report).map(|path| settings.cwd.join(path)).collect()
}

fn deliver(
    args: &Assemble,
    settings: &Settings,
    outcome: &Outcome,
    streams: &mut Streams<'_>,
    outlet: &mut Outlet<'_>,
) -> Result<ExitStatus, Error> {
    streams.say(&outcome.said);
    if let Some(report) = &outcome.report {
        match args.report_file.as_ref().filter(|path| !is_stderr(path)) {
            Some(path) => (outlet.write)(&settings.cwd.join(path), report)?,
            None => streams.say(report),
        }
    }
    if args.archive {
        let archived =
            archive::write(&Files::new(&root::find(&settings.start)?), &outcome.archive)?;
        if let Some(said) = archived.filter(|_| settings.verbosity > Verbosity::Quiet) {
            streams.say(&said);
        }
    }
    if let Some(path) = &args.check {
        let files = Files::new(&settings.cwd).recorded_in(outlet.journal.clone());
        let old = files.read_input(&settings.cwd.join(path))?;
        return check(&old, path, &outcome.bundle, streams);
    }
    match &args.output {
        Some(path) if !is_stdout(path) => {
            (outlet.write)(&settings.cwd.join(path), &outcome.bundle)?;
        }
        _ => streams.print(&outcome.bundle)?,
    }
    Ok(ExitStatus::Done)
}

/// Everything that an assembly prints.
#[derive(Serialize, Deserialize)]
struct Outcome {
    /// The bundle in its format.
    bundle: String,
    /// The report, when one is wanted.
    report: Option<String>,
    /// What was said of findings.
    said: String,
    /// The past messages to archive, one on each line.
    archive: String,
}

/// What a former run with this outcome would print again, or else what one now does.
fn remembered(
    args: &Assemble,
    settings: &Settings,
    typed: &str,
    streams: &mut Streams<'_>,
) -> Result<Outcome, Error> {
    let root = root::find(&settings.start)?;
    let Some(cache) = memo::cache(&root, settings) else {
        return outcome(args, settings, (typed, Journal::default()), streams);
    };
    let asked = (&args.role, &args.ask, args.format, report_format(args), args.archive, typed);
    let memo = Memo::new(&cache, &root, settings, &asked);
    if let Some(outcome) = memo.recall() {
        return Ok(outcome);
    }
    let journal = Journal::recording();
    let outcome = memo::with_counts(Some(&cache), || {
        outcome(args, settings, (typed, journal.clone()), streams)
    })?;
    memo.remember(&journal, &outcome, &[]);
    Ok(outcome)
}

fn outcome(
    args: &Assemble,
    settings: &Settings,
    (typed, journal): (&str, Journal),
    streams: &mut Streams<'_>,
) -> Result<Outcome, Error> {
    let files = Files::new(&root::find(&settings.start)?).recorded_in(journal);
    let mut workspace = Workspace::open_through(settings, files)?;
    let asked = Asked { role: args.role.as_deref(), ask: &args.ask, format: args.format };
    let mut job = job::read(&asked, &workspace, settings, typed)?;
    if settings.verbosity > Verbosity::Quiet {
        job.advice = Advice::Budget;
    }
    let mut said = Vec::new();
    let mut aside = Streams { out: &mut *streams.out, err: &mut said, input: &mut *streams.input };
    let assembly = job::assemble(job, &mut workspace, settings, &mut aside);
    let mut said = String::from_utf8(said).expect("findings are text");
    let assembly = assembly.inspect_err(|_| streams.say(&said)).map_err(suggest_request)?;
    if let Some(shortfall) = &assembly.shortfall {
        let _ = writeln!(said, "note: {shortfall}");
    }
    let bundle = product(args, &assembly, &workspace).inspect_err(|_| streams.say(&said))?;
    let report = report_format(args).map(|format| report(format, &assembly, args.archive));
    let messages = assembly.bundle.archivable.iter().map(|&at| &assembly.job.history[at]);
    let archive = messages.flat_map(|message| [&*message.raw, "\n"]).collect();
    Ok(Outcome { bundle, report, said, archive })
}

/// A role of several words is most likely a request.
fn suggest_request(error: Error) -> Error {
    match error {
        Error::Unknown { what: "role", name, .. } if name.contains(char::is_whitespace) => {
            let help = format!("to ask for something, write `--request \"{name}\"`");
            Error::Unknown { what: "role", name, help }
        }
        other => other,
    }
}

/// Compares what would be printed with what a file has.
fn check(
    old: &str,
    shown: &Utf8Path,
    text: &str,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    if old == text {
        return Ok(ExitStatus::Done);
    }
    let changes = similar::TextDiff::from_lines(old, text);
    let unified = changes
        .unified_diff()
        .context_radius(3)
        .header(shown.as_str(), "assembled now")
        .to_string();
    streams.print(&unified)?;
    streams.say(&format!("`{shown}` is not what would be assembled\n"));
    Ok(ExitStatus::Findings)
}

fn product(args: &Assemble, assembly: &Assembly, workspace: &Workspace) -> Result<String, Error> {
    let text = match (args.format, assembly.job.body) {
        (_, Some(vendor)) => serde_json::to_string_pretty(&assembly.bundle.request_body(vendor)?),
        (Format::Json, _) => {
            let data = json::bundle(assembly, &workspace.sources, &workspace.findings());
            serde_json::to_string_pretty(&data)
        }
        _ => return Ok(bundle_text(&assembly.bundle.blocks)),
    };
    Ok(text.expect("the data formats have text keys only") + "\n")
}

/// The form of the report that is wanted, if one is.
fn report_format(args: &Assemble) -> Option<ReportFormat> {
    match (args.report, &args.report_file) {
        (Some(format), _) => Some(format),
        (None, Some(path)) if path.extension() == Some("json") => Some(ReportFormat::Json),
        (None, Some(_)) => Some(ReportFormat::Human),
        (None, None) => None,
    }
}

fn report(format: ReportFormat, assembly: &Assembly, archives: bool) -> String {
    match format {
        ReportFormat::Human => report::human(assembly, archives),
        ReportFormat::Json => {
            let text = serde_json::to_string_pretty(&assembly.bundle.figures);
            text.expect("the data format has text keys only") + "\n"
        }
    }
}

/// Whether a path is a name of standard error.
fn is_stderr(path: &Utf8Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].contains(&path.as_str())
}
