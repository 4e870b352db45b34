use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Cursor, Tool, check_question, typed, within};
use crate::serve::answer::{self, AnswerBudget, SourceLabel, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::category::Category;
use faber_core::error::Error;
use faber_tools::search::answer::{self as search, Lookup};
use faber_tools::search::found::{self, Found};
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "search_context",
    title: "Search the knowledge of the team",
    description: "Finds sections of standards, playbooks, guides, tasks, decisions and past conversations \
        by words and meaning. Use it when the prompt lacks a fact, a rule or a how-to that the \
        organization may have written down, not for general knowledge. One search with the words of the \
        question is enough. For an answer within a token budget use get_context, for the full text of a \
        result expand_context.",
    input: input::<SearchContextArgs>,
    output: output::<SearchContextOutput>,
    run,
};

const MAX_LIMIT: usize = 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchContextArgs {
    /// What to look for: words, an identifier or a question
    #[schemars(length(min = 1))]
    query: String,
    /// `space` has the project and all roles, `area` the role, `historical` past conversations and decisions
    #[serde(default)]
    scope: Scope,
    /// Only contexts of this category
    category: Option<Category>,
    /// Maximum results
    #[schemars(range(min = 1, max = 10))]
    limit: Option<usize>,
    /// Only the beginning of each result, by default 200 characters
    #[serde(default)]
    preview: bool,
    /// Search as this role
    role: Option<String>,
    /// `next_cursor` of the previous answer
    cursor: Option<String>,
    /// Default: 8000
    #[schemars(range(min = 200, max = 20000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SearchContextOutput {
    total: usize,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoder: Option<String>,
    results: Vec<SearchHit>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SearchHit {
    #[serde(flatten)]
    found: Found,
    content_hash: String,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: SearchContextArgs = typed(&TOOL, arguments)?;
    check_question("query", &args.query, "say what to look for, in a few words")?;
    let lookup = Lookup::Question { text: &args.query, mode: None, category: args.category };
    state.ask_shared(lookup, args.role.as_ref(), args.scope, |library| answer(library, &args))
}

fn answer(index: &SearchIndex, args: &SearchContextArgs) -> Result<ToolAnswer, Error> {
    let limit = within("limit", args.limit, index.view.search.limit.min(MAX_LIMIT), MAX_LIMIT)?;
    let list = (&args.query, args.category, args.scope, &args.role);
    let start = Cursor::place(args.cursor.as_ref(), &list)?;
    let counter = &index.counter();
    let mut room = AnswerBudget::new(args.max_tokens, counter)?;
    let mode = index.view.search.mode;
    let wanted = search::wanted(index, args.category, args.scope);
    let read = &mut search::ItemTexts::new(index);
    let hits = search::hits(read, &args.query, mode, wanted);
    let mut results = Vec::new();
    let mut texts = Vec::new();
    let mut shortened = false;
    for hit in hits.iter().skip(start).take(limit) {
        let found = search::result(read, hit);
        let (hit, text) = match fitted(found, args.preview, &mut room) {
            Ok(fitted) => fitted,
            Err(text) if results.is_empty() => return Err(answer::too_little(&text, counter)),
            Err(_) => break,
        };
        shortened |= hit.found.content.is_none() && !args.preview;
        results.push(hit);
        texts.push(text);
    }
    let next = start.saturating_add(results.len());
    let has_more = next < hits.len();
    let mut message = message(args, results.len(), hits.len(), has_more, shortened);
    let best = hits.iter().map(|hit| hit.relevance).reduce(f64::max);
    let unknown = index.corpus().unknown(&args.query);
    if let Some(remarks) = found::remarks(best.and_then(found::status), &unknown) {
        message = format!("{remarks} {message}");
    }
    let encoder = index.encoder(mode).map(|encoder| encoder.name().to_owned());
    if let Some(encoder) = encoder.as_deref().filter(|_| !results.is_empty()) {
        message = format!("{message} {}", found::ranked_with(encoder));
    }
    let text = std::iter::once(message.clone()).chain(texts).collect::<Vec<_>>().join("\n\n");
    let next_cursor = has_more.then(|| Cursor::of(next, &list));
    let total = hits.len();
    let output = SearchContextOutput { total, has_more, next_cursor, message, encoder, results };
    let texts = output.results.iter().map(|hit| {
        let is_shortened = hit.found.content.is_none();
        (&*hit.found.id, &*hit.content_hash, is_shortened)
    });
    let scores = output.results.iter().map(|hit| hit.found.relevance_score);
    Ok(ToolAnswer::new(text, &output, counter).with_texts(texts).with_scores(scores))
}

fn fitted(
    mut found: Found,
    preview: bool,
    room: &mut AnswerBudget,
) -> Result<(SearchHit, String), String> {
    let relevance = format!("{:.2}", found.relevance_score);
    let mut facts = vec![("relevance", relevance), ("title", found.source.title.clone())];
    facts.extend(found.source.contributed_by.clone().map(|owner| ("owner", owner)));
    facts.extend(found.source.created_at.clone().map(|date| ("date", date)));
    let content = found.content.take().unwrap_or_default();
    found.source.title = answer::short(&found.source.title);
    let label = SourceLabel::new(&found.id, found.source.layer, &content);
    let label = label.from_file(&found.source.files);
    let content_hash = label.content_hash.clone();
    if !preview {
        let text = label.wrap(&facts, &content);
        if room.take(&text) {
            found.content = Some(content);
            return Ok((SearchHit { found, content_hash }, text));
        }
    }
    let text = label.wrap(&facts, &found.preview);
    if room.take(&text) { Ok((SearchHit { found, content_hash }, text)) } else { Err(text) }
}

fn message(
    args: &SearchContextArgs,
    shown: usize,
    total: usize,
    has_more: bool,
    shortened: bool,
) -> String {
    if total == 0 {
        let elsewhere = if args.scope == Scope::All && args.category.is_none() {
            "try other words, or list_contexts to see what there is"
        } else {
            "try other words, or leave scope and category out"
        };
        return format!("Nothing found; {elsewhere}.");
    }
    let mut message = format!("{shown} of {total} results.");
    if shown == 0 {
        message.push_str(" The cursor is past the end.");
    }
    if args.preview || shortened {
        message.push_str(" expand_context returns the full text of shortened ones.");
    }
    if has_more && shown > 0 {
        message.push_str(" Pass next_cursor as `cursor` for the rest.");
    }
    message
}
