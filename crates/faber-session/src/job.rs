use camino::{Utf8Path, Utf8PathBuf};
use faber_core::paths::lexical;
use serde::Serialize;

use crate::diff;
use crate::discover::files::Files;
use crate::discover::git;
use crate::input_text::{DecodedText, without_escapes};
use crate::settings::Settings;
use faber_core::assemble::reader::{FollowUp, Reader};
use faber_core::assemble::{Advice, BundlePart, BundleParts, Input, InstructionKind, Job};
use faber_core::config::{Amount, Order};
use faber_core::conversation::message::Message;
use faber_core::conversation::{stream, turn};
use faber_core::error::Error;
use faber_core::render::body::Vendor;
use faber_core::render::style::Style;
use faber_core::select::request::Request;
use faber_core::workspace::Workspace;
use faber_core::world::{MAX_FILE_BYTES, World as _};

/// The path `-` is `stdin`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AssembleRequest {
    pub role: Option<String>,
    pub platform: Option<String>,
    pub request: Option<String>,
    pub error: Option<String>,
    pub files: Vec<String>,
    pub changed: Option<String>,
    pub inputs: Vec<Utf8PathBuf>,
    pub history: Option<Utf8PathBuf>,
    pub with: Vec<String>,
    pub without: Vec<String>,
    pub task: Option<String>,
    pub flow: Option<String>,
    pub budget: Option<Amount>,
    pub model: Option<String>,
    pub order: Option<Order>,
    pub parts: Vec<BundlePart>,
    pub catalog_fills_room: bool,
    pub reader: Reader,
    pub keep_directives: bool,
    pub style: Style,
    pub body: Option<Vendor>,
    pub more: FollowUp,
    pub trace: bool,
    pub advice: Advice,
    pub stdin: String,
}

pub(crate) fn read(
    args: &AssembleRequest,
    workspace: &Workspace<Files>,
    settings: &Settings,
) -> Result<Job, Error> {
    let typed = args.stdin.as_str();
    let text = |text: &Option<String>| {
        text.as_deref().map(without_escapes).unwrap_or_default().into_owned()
    };
    let (mut request, error) = (text(&args.request), text(&args.error));
    let mut history = match &args.history {
        Some(path) => history(path, workspace, typed)?,
        None => Vec::new(),
    };
    let mut is_newest_message = false;
    if request.trim().is_empty()
        && let Some(newest) = turn::take_request(&mut history)
    {
        (request, is_newest_message) = (newest, true);
    }
    let mut inputs = Vec::new();
    let is_empty = |path: &Utf8PathBuf| path == "-" && typed.trim().is_empty();
    for path in args.inputs.iter().filter(|path| !is_empty(path)) {
        let (name, read) = if path == "-" {
            ("standard input", DecodedText { text: typed.to_owned(), replaced: 0 })
        } else {
            (path.as_str(), workspace.files.read_log(path)?)
        };
        let text = without_escapes(&read.text).into_owned();
        if !text.trim().is_empty() {
            inputs.push(Input { name: name.to_owned(), text, replaced: read.replaced });
        }
    }
    let mut full_request = Request::new(request);
    full_request.error = error;
    full_request.files = named_files(&args.files, workspace, settings);
    if let Some(revision) = &args.changed {
        workspace.files.recorder().mark_uncacheable();
        full_request.files.extend(git::changed(workspace.files.root(), revision)?);
        full_request.files = without_repeated(full_request.files);
    }
    let material = inputs.iter().map(|input| diff::changed_lines(&input.text));
    full_request.material = material.collect::<Vec<_>>().join("\n");
    turn::last_text(&history).unwrap_or_default().clone_into(&mut full_request.before);
    for input in &inputs {
        for file in diff_files(input, &workspace.files) {
            if !full_request.files.contains(&file) {
                full_request.inputs.insert(file.clone(), input.name.clone());
                full_request.files.push(file);
            }
        }
    }
    let named = |names: &[String]| {
        names.iter().map(|name| workspace.files.named(name).into_owned()).collect()
    };
    full_request.with = named(&args.with);
    full_request.without = named(&args.without);
    let task = args.task.clone().map(|name| (InstructionKind::Task, name));
    let flow = args.flow.clone().map(|name| (InstructionKind::Flow, name));
    let mut job = Job::new(full_request);
    job.role.clone_from(&args.role);
    job.platform.clone_from(&args.platform);
    job.inputs = inputs;
    job.instruction = task.or(flow);
    job.keep_directives = args.keep_directives;
    job.budget = args.budget;
    job.model.clone_from(&args.model);
    job.style = args.style;
    job.order = args.order;
    job.history = history;
    job.request_is_newest_message = is_newest_message;
    job.body = args.body;
    job.more = if args.body.is_some() { FollowUp::Nothing } else { args.more };
    job.parts = BundleParts::new(&args.parts);
    job.catalog_fills_room = args.catalog_fills_room;
    job.reader.clone_from(&args.reader);
    job.trace = args.trace;
    job.advice = args.advice;
    Ok(job)
}

fn history(
    path: &Utf8Path,
    workspace: &Workspace<Files>,
    typed: &str,
) -> Result<Vec<Message>, Error> {
    if path != "-" {
        let text = workspace.files.read_input(path)?;
        return stream::read(path.as_str(), &text);
    }
    if typed.len() as u64 > MAX_FILE_BYTES {
        let message = "the conversation on standard input has more than 8 MiB";
        return Err(Error::usage(message, "leave older messages out"));
    }
    stream::read("standard input", typed)
}

/// As typed in `settings.cwd`, and from the root of the workspace.
pub fn named_files(
    typed: &[String],
    workspace: &Workspace<Files>,
    settings: &Settings,
) -> Vec<String> {
    let root = workspace.files.root();
    let mut files = Vec::new();
    for typed in typed {
        let typed = typed.replace('\\', "/");
        let typed = typed.trim_start_matches("./").trim_end_matches('/');
        let absolute = lexical(&settings.cwd.join(typed));
        let inner = absolute.strip_prefix(root).ok();
        if inner.is_some_and(|path| path.as_str().is_empty()) {
            continue;
        }
        let end = if inner.is_some_and(|path| workspace.files.is_dir(path)) { "/" } else { "" };
        files.push(format!("{typed}{end}"));
        files.extend(inner.map(|path| format!("{}{end}", path.as_str().replace('\\', "/"))));
    }
    without_repeated(files)
}

fn without_repeated(mut files: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

fn diff_files(input: &Input, workspace: &Files) -> Vec<String> {
    let files = diff::files(&input.text);
    let below = workspace.in_repository();
    let inner = |file: &str| Some(Utf8Path::new(file).strip_prefix(&below).ok()?.to_string());
    // Git writes no `..`.
    let steps_back = |file: &String| file.split('/').any(|part| part == "..");
    let files = files.into_iter().map(|file| inner(&file).unwrap_or(file));
    files.filter(|file| !steps_back(file)).collect()
}
