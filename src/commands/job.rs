//! Assembly requests of a command line.

use camino::Utf8PathBuf;

use crate::cli::args::{AssemblyArgs, BundleFormat};
use faber_core::assemble::Input;
use faber_core::error::Error;
use faber_core::escape::Visible;
use faber_core::parse::agent::is_role_name;
use faber_core::render::body::Vendor;
use faber_core::render::style::Style;
use faber_core::tokens;
use faber_output::streams::{self, Streams};
use faber_session::job::AssembleRequest;
use faber_session::session::Session;
use faber_session::settings::Settings;

pub(crate) fn settings(ask: &AssemblyArgs, settings: &Settings) -> Result<Settings, Error> {
    let mut settings = settings.clone();
    settings.strict = ask.strict;
    settings.allow_insecure = ask.allow_insecure;
    if let Some(encoding) = &ask.encoding {
        tokens::encoding(encoding)?;
        settings.overrides.push(("tokenizer.encoding", encoding.clone(), "--encoding".to_owned()));
        settings.overrides.push(("tokenizer.model", String::new(), "--encoding".to_owned()));
    }
    Ok(settings)
}

pub(crate) fn suggest_request(error: Error) -> Error {
    let is_request = |name: &str, help: &str| {
        if name.trim().is_empty() {
            return false;
        }
        let is_close = help.starts_with("did you mean");
        let is_name = name.starts_with('@') || name.contains('/') || is_role_name(name);
        name.contains(char::is_whitespace) || !(is_close || is_name)
    };
    match error {
        Error::Unknown { what: what @ ("role" | "context"), name, help }
            if is_request(&name, &help) =>
        {
            let help = format!("to make a request, write `--request \"{name}\"`");
            Error::Unknown { what, name, help }
        }
        other => suggest_view(other),
    }
}

/// The same for contexts that do not exist and those that the user may not see.
pub(crate) fn suggest_view(error: Error) -> Error {
    match error {
        Error::Unknown { what: "context", name, help } if !help.starts_with("did you mean") => {
            let help = format!("{help}; others may need `--team NAME` or `--as USER:GROUP`");
            Error::Unknown { what: "context", name, help }
        }
        other => other,
    }
}

pub(crate) fn suggest_role(error: Error, ask: &AssemblyArgs, session: &Session) -> Error {
    let role = ask.changed.as_ref().filter(|name| session.workspace().role_names().contains(name));
    match (error, role) {
        (Error::Usage { message, .. }, Some(role))
            if message.starts_with("unknown git revision") =>
        {
            let message = format!("`{role}` is a role, not a git revision");
            Error::usage(message, "put the role before `--changed`, or write `--changed=HEAD`")
        }
        (error, _) => error,
    }
}

/// Empty unless an argument is `-`. Notes empty arguments and input.
pub(crate) fn standard_input(
    ask: &AssemblyArgs,
    streams: &mut Streams<'_>,
) -> Result<String, Error> {
    for (flag, text) in [("--request", &ask.request), ("--error", &ask.error)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            streams.note(&format!("note: `{flag}` is empty\n"));
        }
    }
    let texts = [ask.request.as_deref(), ask.error.as_deref()].into_iter().flatten();
    let files = ask.inputs.iter().chain(&ask.history);
    let wanted = texts.chain(files.map(|path| path.as_str()));
    match wanted.filter(|text| *text == "-").count() {
        0 => Ok(String::new()),
        1 => {
            let is_history = ask.history.as_ref().is_some_and(|path| path == "-");
            let text = if is_history { streams.read_input()? } else { streams.read_log()? };
            if text.trim().is_empty() {
                streams.note("note: standard input is empty\n");
            }
            Ok(text)
        }
        _ => Err(Error::usage(
            "standard input can be read only once",
            "use `-` for one of `--request`, `--error`, `--input` and `--history`",
        )),
    }
}

pub(crate) fn input_notes(asked: &[Utf8PathBuf], read: &[Input]) -> String {
    let is_missing =
        |path: &&Utf8PathBuf| *path != "-" && read.iter().all(|input| input.name != path.as_str());
    let missing = asked.iter().filter(is_missing);
    let missing = missing
        .map(|path| format!("note: input `{}` is empty; left out\n", Visible(path.as_str())));
    let replaced = read.iter().map(|input| streams::replaced(&input.name, input.replaced));
    missing.chain(replaced).collect()
}

pub(crate) fn request(
    role: Option<&str>,
    ask: &AssemblyArgs,
    format: BundleFormat,
    mut stdin: String,
) -> AssembleRequest {
    let mut text = |text: &Option<String>| match text.as_deref() {
        Some("-") => Some(std::mem::take(&mut stdin)),
        _ => text.clone(),
    };
    let (request, error) = (text(&ask.request), text(&ask.error));
    let (style, body) = match format {
        BundleFormat::Markdown | BundleFormat::Json => (Style::Markdown, None),
        BundleFormat::Xml => (Style::Xml, None),
        BundleFormat::Text => (Style::Text, None),
        BundleFormat::Anthropic => (Style::Markdown, Some(Vendor::Anthropic)),
        BundleFormat::Openai => (Style::Markdown, Some(Vendor::OpenAi)),
    };
    AssembleRequest {
        role: role.map(str::to_owned),
        platform: ask.view.platform.clone(),
        request,
        error,
        files: ask.files.clone(),
        changed: ask.changed.clone(),
        inputs: ask.inputs.clone(),
        history: ask.history.clone(),
        with: ask.with.clone(),
        without: ask.without.clone(),
        task: ask.task.clone(),
        flow: ask.flow.clone(),
        budget: ask.budget,
        model: ask.model.clone(),
        order: ask.order,
        parts: ask.parts.clone(),
        keep_directives: ask.keep_directives,
        style,
        body,
        stdin,
        ..AssembleRequest::default()
    }
}
