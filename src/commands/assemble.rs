//! `faber assemble`.

use camino::Utf8Path;

use crate::assemble::Assembly;
use crate::cli::args::{Assemble, Format, ReportFormat};
use crate::commands::job::{self, Asked};
use crate::commands::{ExitStatus, Streams};
use crate::discover::{atomic, files};
use crate::error::Error;
use crate::render::block::bundle_text;
use crate::render::{json, report};
use crate::settings::Settings;
use crate::workspace::Workspace;

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
    if args.output.is_some() && args.output == args.report_file {
        return Err(Error::usage(
            "`--output` and `--report-file` name the same file",
            "one of the two would be lost; name two files",
        ));
    }
    let settings = job::settings(&args.ask, settings);
    let mut workspace = Workspace::open(&settings)?;
    let asked = Asked { role: args.role.as_deref(), ask: &args.ask, format: args.format };
    let job = job::read(&asked, &workspace, &settings, streams)?;
    let assembly = job::assemble(job, &mut workspace, &settings, streams)?;
    let text = product(args, &assembly, &workspace);
    write_report(args, &assembly, &settings, streams)?;
    if let Some(path) = &args.check {
        return check(&settings.cwd.join(path), path, &text, streams);
    }
    match &args.output {
        Some(path) if !is_stdout(path) => atomic::replace(&settings.cwd.join(path), &text)?,
        _ => streams.print(&text)?,
    }
    Ok(ExitStatus::Done)
}

/// Compares what would be printed with what a file has.
fn check(
    path: &Utf8Path,
    shown: &Utf8Path,
    text: &str,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let old = files::read_input(path)?;
    if old == text {
        return Ok(ExitStatus::Done);
    }
    let changes = similar::TextDiff::from_lines(old.as_str(), text);
    let unified = changes
        .unified_diff()
        .context_radius(3)
        .header(shown.as_str(), "assembled now")
        .to_string();
    streams.print(&unified)?;
    streams.say(&format!("`{shown}` is not what would be assembled\n"));
    Ok(ExitStatus::Findings)
}

fn product(args: &Assemble, assembly: &Assembly, workspace: &Workspace) -> String {
    if args.format == Format::Json {
        let data = json::bundle(assembly, workspace);
        let text = serde_json::to_string_pretty(&data).expect("the data format has text keys only");
        return format!("{text}\n");
    }
    bundle_text(&assembly.bundle.blocks)
}

fn write_report(
    args: &Assemble,
    assembly: &Assembly,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<(), Error> {
    let format = match (args.report, &args.report_file) {
        (Some(format), _) => format,
        (None, Some(path)) if path.extension() == Some("json") => ReportFormat::Json,
        (None, Some(_)) => ReportFormat::Human,
        (None, None) => return Ok(()),
    };
    let text = match format {
        ReportFormat::Human => report::human(assembly),
        ReportFormat::Json => {
            let text = serde_json::to_string_pretty(&assembly.bundle.figures);
            text.expect("the data format has text keys only") + "\n"
        }
    };
    if let Some(path) = args.report_file.as_ref().filter(|path| !is_stderr(path)) {
        return atomic::replace(&settings.cwd.join(path), &text);
    }
    streams.say(&text);
    Ok(())
}

/// Whether a path is a name of standard output, which may stand in the middle of a file.
fn is_stdout(path: &Utf8Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(&path.as_str())
}

/// Whether a path is a name of standard error.
fn is_stderr(path: &Utf8Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].contains(&path.as_str())
}
