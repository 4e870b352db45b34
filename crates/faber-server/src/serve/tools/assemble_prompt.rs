use camino::Utf8Path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Tool, typed};
use crate::serve::answer::{self, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::assemble::Assembly;
use faber_core::assemble::reader::FollowUp;
use faber_core::budget::level::Level;
use faber_core::config::Amount;
use faber_core::context_id::ContextId;
use faber_core::conversation::stream;
use faber_core::error::Error;
use faber_core::render::style::Style;
use faber_core::tokens::{Counter, Encoding};
use faber_output::json;
use faber_output::streams::Streams;
use faber_session::audit::AnswerTrace;
use faber_session::job::AssembleRequest;
use faber_session::session::{Assembled, Workspace};
use faber_session::settings::Settings;
use faber_tools::query::expand::IndexTexts;

pub(super) const TOOL: Tool = Tool {
    name: "assemble_prompt",
    title: "Assemble the prompt of a role",
    description: "Returns the prompt of a role for a request: its instructions, and the contexts that the \
        request needs, within a budget. Use it once, when you take on a role or hand a task to another \
        agent. Do not use it to look something up: that is search_context.",
    input: input::<AssemblePromptArgs>,
    output: output::<AssemblePromptOutput>,
    run,
};

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct AssemblePromptArgs {
    /// The role; default: the configured or only one
    role: Option<String>,
    /// The task or question
    request: Option<String>,
    /// Error text, such as a stack trace
    error: Option<String>,
    /// Files of the request, which select contexts; they are not read
    files: Vec<String>,
    /// Ids of contexts to always include
    with: Vec<String>,
    /// Ids of contexts to leave out
    without: Vec<String>,
    /// A task of the role
    task: Option<String>,
    /// Earlier messages, as in the Anthropic and OpenAI APIs: `role` and `content`. Without `request` the last one is the request
    history: Vec<Map<String, Value>>,
    /// Maximum tokens of the prompt; default: the configured budget, at most 8000
    #[schemars(range(min = 200, max = 20000))]
    budget: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct AssemblePromptOutput {
    role: String,
    platform: Option<String>,
    prompt: String,
    tokens: usize,
    limit: usize,
    contexts: Vec<LoadedContext>,
    not_loaded: usize,
    digest: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LoadedContext {
    id: String,
    level: Level,
    tokens: usize,
    layer: &'static str,
    content_hash: String,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: AssemblePromptArgs = typed(&TOOL, arguments)?;
    let context_ids = |ids| context_ids(state, args.role.as_ref(), ids);
    let (with, without) = (context_ids(&args.with)?, context_ids(&args.without)?);
    let stdin = messages(&args.history)?;
    let ask = AssembleRequest {
        role: args.role,
        request: args.request,
        error: args.error,
        files: args.files,
        with,
        without,
        task: args.task,
        history: (!stdin.is_empty()).then(|| "-".into()),
        stdin,
        ..AssembleRequest::default()
    };
    let max_tokens = answer::max_tokens("budget", args.budget, answer::MAX_TOKENS)?;
    let in_tokens = |budget| Amount::Tokens(u64::try_from(budget).unwrap_or(u64::MAX));
    let budget = args.budget.map(in_tokens);
    let mut made = assembled(state, &AssembleRequest { budget, ..ask.clone() })?;
    if made.0.bundle.figures.summary.total_used > max_tokens {
        let budget = Some(in_tokens(max_tokens));
        made = assembled(state, &AssembleRequest { budget, ..ask })?;
    }
    let (assembly, workspace) = made;
    let encoding =
        Encoding::from_name(assembly.bundle.figures.encoding).unwrap_or(Encoding::O200kBase);
    let counter = Counter::exact(encoding, workspace.caches.tokens());
    let prompt = assembly.bundle.text();
    let data = json::bundle(&assembly, &workspace.sources, &workspace.findings());
    let contexts: Vec<LoadedContext> = data
        .contexts
        .iter()
        .map(|context| LoadedContext {
            id: context.id.to_string(),
            level: context.level,
            tokens: context.tokens,
            layer: context.layers.last().map_or("", |layer| layer.name()),
            content_hash: context.content_hash.clone(),
        })
        .collect();
    let trace = AnswerTrace::of_assembly(&assembly, &workspace.sources);
    let output = AssemblePromptOutput {
        role: data.role,
        platform: data.platform,
        prompt: prompt.clone(),
        tokens: data.report.summary.total_used,
        limit: data.report.summary.limit,
        contexts,
        not_loaded: data.catalogued.len(),
        digest: data.report.digest,
    };
    let answer = ToolAnswer::new(prompt, &output, &counter);
    let tokens = answer.trace.tokens;
    Ok(ToolAnswer { trace: AnswerTrace { tokens, ..trace }, ..answer })
}

fn messages(history: &[Map<String, Value>]) -> Result<String, Error> {
    let lines: Result<Vec<String>, _> = history.iter().map(serde_json::to_string).collect();
    let text = lines.expect("messages have text keys only").join("\n");
    stream::read("history", &text)?;
    Ok(text)
}

/// No text can close the tags around it.
pub(crate) fn assembled(
    state: &ServerState,
    ask: &AssembleRequest,
) -> Result<(Assembly, Workspace), Error> {
    let ask = AssembleRequest {
        role: state.role_or(ask.role.as_ref()),
        platform: state.platform(),
        style: Style::Xml,
        more: FollowUp::Tools,
        ..ask.clone()
    };
    let session = state.session()?;
    let settings = Settings { strict: false, ..session.settings().clone() };
    if ask.role.is_none() {
        let workspace = session.workspace();
        if let Err(Error::Usage { message, .. }) = workspace.role_name(None)
            && !workspace.role_names().is_empty()
        {
            return Err(Error::usage(message, "pass `role`; list_roles returns them"));
        }
    }
    let (mut out, mut err) = (std::io::sink(), Vec::new());
    let mut streams =
        Streams { out: &mut out, err: &mut err, input: &mut std::io::empty(), settings: &settings };
    let Assembled { workspace, result } = session.with_settings(settings.clone()).assemble(&ask)?;
    streams.eprint_assembly_findings(&result, &workspace);
    let assembly = result.map_err(|error| answer::explained(error, &err))?;
    Ok((assembly, workspace))
}

fn context_ids(
    state: &ServerState,
    role: Option<&String>,
    ids: &[String],
) -> Result<Vec<String>, Error> {
    let is_plain = |id: &String| !id.contains(['#', '~', '@']);
    let library = if ids.iter().all(is_plain) { None } else { Some(state.library_of(role)?) };
    let context = |id: &String| {
        let known =
            library.as_ref().and_then(|index| IndexTexts { index: index.as_ref() }.item(id));
        let id = known.map_or_else(|| id.clone(), |(_, item)| item.id);
        check_id(&id).map(|()| id)
    };
    ids.iter().map(context).collect()
}

fn check_id(id: &str) -> Result<(), Error> {
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..")
            && !name.contains(['/', '\\'])
            && Utf8Path::new(name).extension() != Some("md")
    };
    let known = ContextId::parse(id);
    if known.is_some_and(|id| is_name(&id.name) && id.role.as_deref().is_none_or(is_name)) {
        return Ok(());
    }
    let help = "write it as `category/name`; list_contexts returns them";
    Err(Error::usage(format!("invalid context id `{id}`"), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_have_dots() {
        for (id, is_id) in [
            ("standard/ts.strict", true),
            ("playbook/v1.2", true),
            ("standard/ts.md", false),
            ("standard/..", false),
            ("standard/../x", false),
            ("../x", false),
            ("@role:cook/standard/soup", true),
            ("@role:../standard/soup", false),
            ("@role:cook/../x", false),
        ] {
            assert_eq!(check_id(id).is_ok(), is_id, "{id}");
        }
    }
}
