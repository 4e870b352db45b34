use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Cursor, Tool, typed, within};
use crate::serve::answer::{self, AnswerBudget, SourceLabel, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::category::Category;
use faber_core::error::Error;
use faber_core::tokens;
use faber_tools::query::expand::IndexTexts;
use faber_tools::search::answer::{self as search, Lookup};
use faber_tools::search::index::SearchIndex;
use faber_tools::search::item::SearchItem;
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "list_contexts",
    title: "List contexts",
    description: "Lists contexts with one line each: the first step before get_context_details. Use it to see which contexts exist in a category or a scope before you request texts. To find contexts by content use search_context.",
    input: input::<ListContextsArgs>,
    output: output::<ListContextsOutput>,
    run,
};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListContextsArgs {
    /// Only contexts of this category
    category: Option<Category>,
    /// As in `search_context`
    #[serde(default)]
    scope: Scope,
    /// Default: 50
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// `next_cursor` of the previous answer
    cursor: Option<String>,
    /// List as this role
    role: Option<String>,
    /// Default: 8000
    #[schemars(range(min = 200, max = 20000))]
    max_tokens: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListContextsOutput {
    total: usize,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    message: String,
    contexts: Vec<ListedContext>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedContext {
    #[serde(flatten)]
    label: SourceLabel,
    category: Option<Category>,
    scope: Scope,
    #[serde(skip_serializing_if = "Option::is_none")]
    pack: Option<String>,
    title: String,
    essence: String,
    tokens: usize,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: ListContextsArgs = typed(&TOOL, arguments)?;
    let role = args.role.as_ref();
    state.ask_shared(Lookup::All, role, args.scope, |library| answer(library, &args))
}

fn answer(index: &SearchIndex, args: &ListContextsArgs) -> Result<ToolAnswer, Error> {
    let limit = within("limit", args.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let list = (args.category, args.scope, &args.role);
    let start = Cursor::place(args.cursor.as_ref(), &list)?;
    let counter = &index.counter();
    let mut room = AnswerBudget::new(args.max_tokens, counter)?;
    let items = &index.view.items;
    let wanted = search::wanted(index, args.category, args.scope);
    let is_context = |at: &usize| items.facets(*at).category.is_some() && wanted(at);
    let all: Vec<usize> = (0..items.count()).filter(is_context).collect();
    let mut contexts = Vec::new();
    let mut lines = Vec::new();
    for &at in all.iter().skip(start).take(limit) {
        let (entry, line) = entry(index, &items.get(at), items.facets(at).bytes);
        if !room.take(&line) {
            if contexts.is_empty() {
                return Err(answer::too_little(&line, counter));
            }
            break;
        }
        contexts.push(entry);
        lines.push(line);
    }
    let next = start.saturating_add(contexts.len());
    let has_more = next < all.len();
    let message = message(contexts.len(), all.len(), has_more);
    let text = std::iter::once(message.clone()).chain(lines).collect::<Vec<_>>().join("\n");
    let next_cursor = has_more.then(|| Cursor::of(next, &list));
    let output = ListContextsOutput { total: all.len(), has_more, next_cursor, message, contexts };
    let full: usize = output.contexts.iter().map(|entry| entry.tokens).sum();
    let texts = output.contexts.iter().map(|it| (&*it.label.id, &*it.label.content_hash, true));
    let mut answer = ToolAnswer::new(text, &output, counter).with_texts(texts);
    answer.trace.saves_from(full);
    Ok(answer)
}

fn entry(index: &SearchIndex, item: &SearchItem, bytes: u32) -> (ListedContext, String) {
    let essence = IndexTexts { index }.preview(item);
    let label = SourceLabel::new(&item.id, item.layers.last().copied(), &essence);
    let tokens = tokens::estimate(bytes as usize);
    let mut facts = vec![("tokens", tokens.to_string())];
    facts.extend(item.pack.iter().map(|pack| ("pack", pack.clone())));
    let line = label.wrap_line(&facts, &essence);
    let entry = ListedContext {
        label,
        category: item.category,
        scope: item.scope(index.view.role.is_some()),
        pack: item.pack.clone(),
        title: answer::short(&item.title),
        essence,
        tokens,
    };
    (entry, line)
}

fn message(shown: usize, total: usize, has_more: bool) -> String {
    match (shown, total) {
        (_, 0) => "No contexts found.".to_owned(),
        (0, _) => "The cursor is past the end.".to_owned(),
        _ => {
            let more = if has_more { " Pass next_cursor as `cursor` for the rest." } else { "" };
            format!("{shown} of {total} contexts; get_context_details gives their texts.{more}")
        }
    }
}
