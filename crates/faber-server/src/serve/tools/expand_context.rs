use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Tool, typed};
use crate::serve::answer::{self, SourceLabel, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::error::Error;
use faber_tools::query::expand::{self, ExpandData, ExpandRequest, Include, IndexTexts};
use faber_tools::search::answer::Lookup;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "expand_context",
    title: "Get the full text of an id",
    description: "Returns the full text of an id from search_context, get_context, list_contexts or the catalog of a prompt, and on request its sources, contradictions and related contexts. Use it for one id; get_context_details takes several. Ids are not paths.",
    input: input::<ExpandContextArgs>,
    output: output::<ExpandData>,
    run,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExpandContextArgs {
    /// An id, such as `standard/security` or `standard/security#data-protection`
    #[schemars(length(min = 1))]
    id: String,
    /// What to return; default: its text
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    include: Vec<Include>,
    /// Default: 8000
    #[schemars(range(min = 200, max = 20000))]
    max_tokens: Option<usize>,
    /// The role of the caller
    role: Option<String>,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: ExpandContextArgs = typed(&TOOL, arguments)?;
    let max_tokens = answer::max_tokens("max_tokens", args.max_tokens, answer::MAX_TOKENS)?;
    let include =
        if args.include.is_empty() { vec![Include::Detail] } else { args.include.clone() };
    let expand = |limit: usize| ExpandRequest {
        id: args.id.clone(),
        scope: Scope::All,
        include: include.clone(),
        max_tokens: Some(u64::try_from(limit).unwrap_or(u64::MAX)),
    };
    let lookup = Lookup::Ids(std::slice::from_ref(&args.id));
    state.ask_shared(lookup, args.role.as_ref(), Scope::All, |library| {
        let counter = &library.counter();
        let mut room = max_tokens;
        loop {
            let mut data = expand::data(library, &expand(room))?;
            data.source.title = answer::short(&data.source.title);
            let text = render(library, &data, &include);
            let total = counter.count(&text);
            if total <= max_tokens || room == 0 {
                let content = data.content.as_deref().unwrap_or_default();
                let label = SourceLabel::new(&data.id, data.source.layer, content);
                let shown = (&*data.id, &*label.content_hash, data.truncated);
                return Ok(ToolAnswer::new(text, &data, counter).with_texts([shown]));
            }
            room = room.saturating_sub(total - max_tokens);
        }
    })
}

fn render(index: &SearchIndex, data: &ExpandData, include: &[Include]) -> String {
    let texts = IndexTexts { index };
    let mut parts = Vec::new();
    if let Some(content) = &data.content {
        let label = SourceLabel::new(&data.id, data.source.layer, content);
        let label = label.from_file(&data.source.files);
        let facts = [
            ("title", data.source.title.clone()),
            ("confidence", format!("{:.2}", data.confidence)),
        ];
        parts.push(label.wrap(&facts, content));
    }
    let wrapped = |id: &str, role: &str, text: &str| {
        let layer = texts.item(id).and_then(|(_, item)| item.layers.last().copied());
        SourceLabel::new(id, layer, text).wrap(&[("as", role.to_owned())], text)
    };
    for one in data.derivation.iter().flatten() {
        parts.push(format!("Derived from {}", answer::quoted(&one.source)));
    }
    for one in data.contradictions.iter().flatten() {
        parts.push(wrapped(&one.id, "contradiction", &one.essence));
    }
    for one in data.related.iter().flatten() {
        parts.push(wrapped(&one.id, "related", &one.essence));
    }
    for one in data.evidence.iter().flatten() {
        match &one.id {
            Some(id) => parts.push(wrapped(id, "evidence", &one.content)),
            None => parts.push(format!("Evidence: {}", answer::quoted(&one.content))),
        }
    }
    if data.truncated {
        let cut = "Something was cut: ask with more max_tokens, or for a section of it.";
        parts.push(cut.to_owned());
    }
    if parts.is_empty() {
        let missing: Vec<&str> = include.iter().map(|what| kind(*what)).collect();
        parts.push(format!("{} has no {}.", answer::quoted(&data.id), missing.join(" and no ")));
    }
    parts.join("\n\n")
}

fn kind(include: Include) -> &'static str {
    match include {
        Include::Detail => "text",
        Include::Derivation => "sources",
        Include::Evidence => "texts of sources",
        Include::Contradictions => "contradictions",
        Include::Related => "related contexts",
    }
}
