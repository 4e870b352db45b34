use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Tool, typed};
use crate::serve::answer::{self, AnswerBudget, SourceLabel, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_output::text::counted;
use faber_tools::query::expand::{self, ExpandRequest, Include};
use faber_tools::search::answer::Lookup;
use faber_tools::search::found::Source;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "get_context_details",
    title: "Get the texts of contexts",
    description: "Returns the full texts of several ids, in their order, up to max_tokens: the second step after list_contexts or search_context. Use it once you know which ids you \
        need.",
    input: input::<GetContextDetailsArgs>,
    output: output::<GetContextDetailsOutput>,
    run,
};

const KNOWN: &str = "search_context and list_contexts return ids";
const NAMED: usize = 5;
const MAX_IDS: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetContextDetailsArgs {
    /// Ids, such as `standard/security`, at most 50
    #[schemars(length(min = 1, max = 50))]
    ids: Vec<String>,
    /// Default: 8000
    #[schemars(range(min = 200, max = 20000))]
    max_tokens: Option<usize>,
    /// The role of the caller
    role: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GetContextDetailsOutput {
    total: usize,
    has_more: bool,
    message: String,
    contexts: Vec<Detail>,
    omitted: Vec<String>,
    unknown: Vec<Unknown>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Detail {
    #[serde(flatten)]
    label: SourceLabel,
    content: String,
    truncated: bool,
    source: Source,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Unknown {
    id: String,
    help: String,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let mut args: GetContextDetailsArgs = typed(&TOOL, arguments)?;
    let mut seen = std::collections::BTreeSet::new();
    args.ids.retain(|id| seen.insert(id.clone()));
    if args.ids.is_empty() || args.ids.len() > MAX_IDS {
        let help = format!("name 1 to {MAX_IDS}; list_contexts returns them");
        return Err(Error::usage(format!("`ids` has {} ids", args.ids.len()), help));
    }
    let lookup = Lookup::Ids(&args.ids);
    state.ask_shared(lookup, args.role.as_ref(), Scope::All, |library| answer(library, &args))
}

fn answer(index: &SearchIndex, args: &GetContextDetailsArgs) -> Result<ToolAnswer, Error> {
    let counter = &index.counter();
    let mut room = AnswerBudget::new(args.max_tokens, counter)?;
    let (mut contexts, mut omitted, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    let mut texts = Vec::new();
    for id in &args.ids {
        let expand = ExpandRequest {
            id: id.clone(),
            scope: Scope::All,
            include: vec![Include::Detail],
            max_tokens: None,
        };
        let mut data = match expand::data(index, &expand) {
            Ok(data) => data,
            Err(Error::Unknown { help, .. }) => {
                let is_close = help.starts_with("did you mean");
                let help = if is_close { help } else { KNOWN.to_owned() };
                unknown.push(Unknown { id: answer::short(id), help });
                continue;
            }
            Err(other) => return Err(other),
        };
        let content = data.content.take().unwrap_or_default();
        data.source.title = answer::short(&data.source.title);
        let is_full = contexts.iter().any(|detail: &Detail| detail.truncated);
        let fitted = fitted(id, &content, &data.source, &mut room);
        match fitted.filter(|_| !is_full) {
            Some((label, content, text, truncated)) => {
                contexts.push(Detail { label, content, truncated, source: data.source });
                texts.push(text);
            }
            None => omitted.push(id.clone()),
        }
    }
    if contexts.is_empty() && omitted.is_empty() {
        let Unknown { id, help } = unknown.swap_remove(0);
        let all: Vec<String> = args.ids.iter().take(NAMED).map(|id| answer::short(id)).collect();
        let name = if args.ids.len() == 1 { id } else { all.join("`, `") };
        return Err(Error::Unknown { what: "id", name, help });
    }
    if contexts.is_empty() && unknown.is_empty() {
        let first = answer::short(&omitted[0]);
        let message = format!("`max_tokens` is too small for any of `{first}`");
        return Err(Error::usage(message, "ask with more `max_tokens`"));
    }
    let message = message(&contexts, &omitted, &unknown);
    let has_more = !omitted.is_empty() || contexts.iter().any(|detail| detail.truncated);
    let text = std::iter::once(message.clone()).chain(texts).collect::<Vec<_>>().join("\n\n");
    let output = GetContextDetailsOutput {
        total: args.ids.len(),
        has_more,
        message,
        contexts,
        omitted,
        unknown,
    };
    let given = output.contexts.iter();
    let given = given.map(|it| (&*it.label.id, &*it.label.content_hash, it.truncated));
    Ok(ToolAnswer::new(text, &output, counter).with_texts(given))
}

fn fitted(
    id: &str,
    content: &str,
    source: &Source,
    room: &mut AnswerBudget,
) -> Option<(SourceLabel, String, String, bool)> {
    let label = |text: &str| SourceLabel::new(id, source.layer, text).from_file(&source.files);
    let mut facts = vec![("title", source.title.clone())];
    facts.extend(source.pack.iter().map(|pack| ("pack", pack.clone())));
    let whole = label(content);
    let text = whole.wrap(&facts, content);
    if room.take(&text) {
        return Some((whole, content.to_owned(), text, false));
    }
    facts.push(("cut", "yes".to_owned()));
    let kept = room.cut(content, &whole.wrap(&facts, "\n"))?;
    let label = label(&kept);
    let text = label.wrap(&facts, &kept);
    room.take(&text).then_some((label, kept, text, true))
}

fn message(contexts: &[Detail], omitted: &[String], unknown: &[Unknown]) -> String {
    let mut parts = vec![counted(contexts.len(), "context") + "."];
    if let Some(cut) = contexts.iter().find(|detail| detail.truncated) {
        parts.push(format!(
            "`{}` is cut: ask for it alone with more max_tokens, or for a section of it.",
            cut.label.id
        ));
    }
    if let Some(first) = omitted.first() {
        let others = match omitted.len() - 1 {
            0 => String::new(),
            1 => " and another".to_owned(),
            others => format!(" and {others} others"),
        };
        parts.push(format!("No room for `{first}`{others}: ask for these again."));
    }
    for one in unknown.iter().take(NAMED) {
        let end = if one.help.ends_with('?') { "" } else { "." };
        parts.push(format!("Unknown id `{}`; {}{end}", one.id, one.help));
    }
    parts.join(" ")
}
