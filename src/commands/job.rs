//! What an assembly is asked to do, read from the command line.

use std::collections::BTreeSet;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::cli::args::{Ask, Format, OrderArg};
use faber_core::assemble::more::More;
use faber_core::assemble::parts::Parts;
use faber_core::assemble::shortfall::Advice;
use faber_core::assemble::{Assembly, Input, Job};
use faber_core::config::Order;
use faber_core::conversation::message::Message;
use faber_core::conversation::{stream, turn};
use faber_core::error::Error;
use faber_core::render::body::Vendor;
use faber_core::render::style::Style;
use faber_core::select::choose::Request;
use faber_output::streams::Streams;
use faber_session::discover::files::MAX_FILE_BYTES;
use faber_session::discover::git;
use faber_session::settings::{Settings, Verbosity};
use faber_session::workspace::Workspace;

/// What was typed for an assembly.
pub struct Asked<'a> {
    /// The role.
    pub role: Option<&'a str>,
    /// What decides what the bundle has.
    pub ask: &'a Ask,
    /// The form of the bundle.
    pub format: Format,
}

/// The settings with what the options of an assembly add to them.
pub fn settings(ask: &Ask, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.strict = ask.strict;
    if let Some(encoding) = &ask.encoding {
        settings.overrides.push(("tokenizer.encoding", encoding.clone(), "--encoding".to_owned()));
        settings.overrides.push(("tokenizer.model", String::new(), "--encoding".to_owned()));
    }
    settings
}

/// Assembles, and says what was found in the files that the bundle uses.
///
/// # Errors
///
/// As [`assemble`](faber_session::workspace::assemble::assemble).
pub fn assemble(
    job: Job,
    workspace: &mut Workspace,
    settings: &Settings,
    streams: &mut Streams<'_>,
) -> Result<Assembly, Error> {
    let assembled = faber_session::workspace::assemble::assemble(workspace, settings, job);
    match &assembled {
        Ok(assembly) => streams.say_findings_about(&assembly.files(), workspace, settings),
        Err(Error::Findings { .. }) => streams.say_findings(workspace, settings),
        Err(_) => streams.say_findings_about(&BTreeSet::new(), workspace, settings),
    }
    if settings.verbosity == Verbosity::Quiet && matches!(assembled, Err(Error::Findings { .. })) {
        streams.say_errors(workspace, settings);
    }
    assembled
}

/// What is on standard input when `-` stands for it somewhere; else nothing.
///
/// # Errors
///
/// [`Error::Usage`] when it is wanted twice, and what reading can fail with.
pub fn standard_input(ask: &Ask, streams: &mut Streams<'_>) -> Result<String, Error> {
    let texts = [ask.request.as_deref(), ask.error.as_deref()].into_iter().flatten();
    let files = ask.inputs.iter().chain(&ask.history);
    let wanted = texts.chain(files.map(|path| path.as_str()));
    match wanted.filter(|text| *text == "-").count() {
        0 => Ok(String::new()),
        1 => streams.read_input(),
        _ => Err(Error::usage(
            "standard input can be read only once",
            "use `-` for one of `--request`, `--error`, `--input` and `--history`",
        )),
    }
}

/// Reads what is to be assembled: texts, inputs and the names of files. `typed` is what stands on
/// standard input.
///
/// # Errors
///
/// What reading can fail with.
pub fn read(
    asked: &Asked<'_>,
    workspace: &Workspace,
    settings: &Settings,
    typed: &str,
) -> Result<Job, Error> {
    let args = asked.ask;
    let text = |text: &Option<String>| match text.as_deref() {
        Some("-") => typed.to_owned(),
        Some(text) => text.to_owned(),
        None => String::new(),
    };
    let (mut request, error) = (text(&args.request), text(&args.error));
    let mut history = match &args.history {
        Some(path) => history(path, workspace, settings, typed)?,
        None => Vec::new(),
    };
    let mut newest_asks = false;
    if request.trim().is_empty()
        && let Some(asked) = turn::asked(&mut history)
    {
        (request, newest_asks) = (asked, true);
    }
    let mut inputs = Vec::new();
    for path in &args.inputs {
        inputs.push(if path == "-" {
            Input { name: "standard input".to_owned(), text: typed.to_owned() }
        } else {
            let text = workspace.files.read_input(&settings.cwd.join(path))?;
            Input { name: path.to_string(), text }
        });
    }
    let style = match asked.format {
        Format::Markdown | Format::Json | Format::Anthropic | Format::Openai => Style::Markdown,
        Format::Xml => Style::Xml,
        Format::Text => Style::Text,
    };
    let body = match asked.format {
        Format::Anthropic => Some(Vendor::Anthropic),
        Format::Openai => Some(Vendor::OpenAi),
        _ => None,
    };
    let task = args.task.clone().map(|name| ("tasks", name));
    let flow = args.flow.clone().map(|name| ("flows", name));
    Ok(Job {
        role: asked.role.map(str::to_owned),
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
        history,
        newest_asks,
        body,
        // The body declares no tool.
        more: if body.is_some() { More::Nothing } else { More::default() },
        parts: Parts::new(&args.parts),
        weigh: false,
        advice: Advice::None,
        order: args.order.map(|order| match order {
            OrderArg::Sequence => Order::Sequence,
            OrderArg::Cache => Order::Cache,
        }),
    })
}

/// The messages of a file, or of standard input.
fn history(
    path: &Utf8Path,
    workspace: &Workspace,
    settings: &Settings,
    typed: &str,
) -> Result<Vec<Message>, Error> {
    if path != "-" {
        let text = workspace.files.read_input(&settings.cwd.join(path))?;
        return stream::read(path.as_str(), &text);
    }
    if typed.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::usage(
            "the conversation on standard input has more than 8 MiB",
            "leave older messages out",
        ));
    }
    stream::read("standard input", typed)
}

/// The files that globs match: as typed, and as seen from the workspace root.
fn files_at_hand(
    args: &Ask,
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
        workspace.files.journal().elusive();
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
