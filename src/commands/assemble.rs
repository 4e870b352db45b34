//! `faber assemble`.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::assemble::{self, Assembly, Input, Job};
use crate::cli::args::{Assemble, Format, OrderArg, ReportFormat};
use crate::commands::{ExitStatus, Streams};
use crate::config::Order;
use crate::discover::{atomic, files, git};
use crate::error::Error;
use crate::render::block::bundle_lines;
use crate::render::style::Style;
use crate::render::{json, report};
use crate::select::choose::Request;
use crate::settings::{Settings, Verbosity};
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
    let mut settings = settings.clone();
    settings.strict = args.strict;
    if let Some(encoding) = &args.encoding {
        settings.overrides.push(("tokenizer.encoding", encoding.clone(), "--encoding".to_owned()));
        settings.overrides.push(("tokenizer.model", String::new(), "--encoding".to_owned()));
    }
    let mut workspace = Workspace::open(&settings)?;
    let job = job(args, &workspace, &settings, streams)?;
    let assembled = assemble::assemble(&mut workspace, &settings, job);
    streams.say_findings(&workspace, &settings);
    if settings.verbosity == Verbosity::Quiet && matches!(assembled, Err(Error::Findings { .. })) {
        streams.say_errors(&workspace, &settings);
    }
    let assembly = assembled?;
    let text = product(args, &assembly, &workspace);
    write_report(args, &assembly, &settings, streams)?;
    if let Some(path) = &args.check {
        return check(&settings.cwd.join(path), path, &text, streams);
    }
    match &args.output {
        Some(path) => atomic::replace(&settings.cwd.join(path), &text)?,
        None => streams.print(&text)?,
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
    bundle_lines(&assembly.blocks).iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
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
            let text = serde_json::to_string_pretty(&assembly.figures);
            text.expect("the data format has text keys only") + "\n"
        }
    };
    if let Some(path) = &args.report_file {
        return atomic::replace(&settings.cwd.join(path), &text);
    }
    streams.say(&text);
    Ok(())
}

fn job(
    args: &Assemble,
    workspace: &Workspace,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<Job, Error> {
    let dash = |text: &Option<String>| text.as_deref() == Some("-");
    let inputs_from_stdin = args.inputs.iter().filter(|path| path.as_str() == "-").count();
    let readers =
        usize::from(dash(&args.request)) + usize::from(dash(&args.error)) + inputs_from_stdin;
    if readers > 1 {
        return Err(Error::usage(
            "standard input can be read only once",
            "use `-` for one of `--request`, `--error` and `--input`",
        ));
    }
    let mut text = |text: &Option<String>| match text.as_deref() {
        Some("-") => streams.read_input(),
        Some(text) => Ok(text.to_owned()),
        None => Ok(String::new()),
    };
    let request = text(&args.request)?;
    let error = text(&args.error)?;
    let mut inputs = Vec::new();
    for path in &args.inputs {
        inputs.push(if path == "-" {
            Input { name: "standard input".to_owned(), text: streams.read_input()? }
        } else {
            Input { name: path.to_string(), text: files::read_input(&settings.cwd.join(path))? }
        });
    }
    let style = match args.format {
        Format::Markdown | Format::Json => Style::Markdown,
        Format::Xml => Style::Xml,
        Format::Text => Style::Text,
    };
    let task = args.task.clone().map(|name| ("tasks", name));
    let flow = args.flow.clone().map(|name| ("flows", name));
    Ok(Job {
        role: args.role.clone(),
        platform: args.view.platform.clone(),
        request: Request {
            text: request,
            error,
            files: files_at_hand(args, workspace, settings)?,
            with: args.with.clone(),
            without: args.without.clone(),
            loads: Vec::new(),
        },
        inputs,
        instruction: task.or(flow),
        keep_directives: args.keep_directives,
        budget: args.budget,
        model: args.model.clone(),
        style,
        order: args.order.map(|order| match order {
            OrderArg::Sequence => Order::Sequence,
            OrderArg::Cache => Order::Cache,
        }),
    })
}

/// The files that globs match: as typed, and as seen from the workspace root.
fn files_at_hand(
    args: &Assemble,
    workspace: &Workspace,
    settings: &Settings,
) -> Result<Vec<String>, Error> {
    let root = workspace.files.root();
    let mut files = Vec::new();
    for typed in &args.files {
        let typed = typed.replace('\\', "/");
        let typed = typed.trim_start_matches("./");
        let absolute = without_steps_back(&settings.cwd.join(typed));
        files.push(typed.to_owned());
        files.extend(absolute.strip_prefix(root).ok().map(|path| path.as_str().replace('\\', "/")));
    }
    if let Some(revision) = &args.changed {
        files.extend(git::changed(root, revision)?);
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

/// `path` without `.` and `..`. The file need not be there, so links are not followed.
fn without_steps_back(path: &Utf8Path) -> Utf8PathBuf {
    let mut out = Utf8PathBuf::new();
    for component in path.components() {
        match component {
            Utf8Component::ParentDir => {
                out.pop();
            }
            Utf8Component::CurDir => {}
            _ => out.push(component),
        }
    }
    out
}
