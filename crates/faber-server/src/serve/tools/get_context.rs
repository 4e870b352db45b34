use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schemas::{input, output};
use super::tool::{Tool, check_question, typed, within};
use crate::serve::answer::{self, MAX_ANSWER_TOKENS, MIN_ANSWER_TOKENS, SourceLabel, ToolAnswer};
use crate::serve::state::ServerState;
use faber_core::config::{Abstraction, Purpose};
use faber_core::error::Error;
use faber_tools::query::answer::{self as query, QueryRequest};
use faber_tools::query::data::QueryData;
use faber_tools::query::expand::IndexTexts;
use faber_tools::query::markdown as section;
use faber_tools::search::answer::Lookup;
use faber_tools::search::found;
use faber_tools::search::index::SearchIndex;
use faber_tools::search::scope::Scope;

pub(super) const TOOL: Tool = Tool {
    name: "get_context",
    title: "Get passages about a topic",
    description: "Returns the most useful passages about a topic for a purpose, within a number of tokens. Use it before you decide or write something that rules may apply to. To read one known context use expand_context, to browse list_contexts.",
    input: input::<GetContextArgs>,
    output: output::<GetContextOutput>,
    run,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetContextArgs {
    /// The question
    #[schemars(length(min = 1))]
    topic: String,
    /// `answer` a question, `verify` a claim, `explore` a topic, `decide` between options, `create` something new
    purpose: Option<Purpose>,
    /// Usually 2000
    #[schemars(range(min = 200, max = 20000))]
    max_tokens: Option<usize>,
    /// Stop when the answer has this many tokens
    #[schemars(range(min = 1))]
    target_tokens: Option<usize>,
    /// The level of detail
    abstraction: Option<Abstraction>,
    /// As in `search_context`
    #[serde(default)]
    scope: Scope,
    /// Include the sources of each passage
    #[serde(default)]
    include_derivations: bool,
    /// Include contradictions of each passage
    #[serde(default)]
    include_contradictions: bool,
    /// Search as this role
    role: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GetContextOutput {
    #[serde(flatten)]
    data: QueryData,
    sources: Vec<SourceLabel>,
}

fn run(state: &ServerState, arguments: &Map<String, Value>) -> Result<ToolAnswer, Error> {
    let args: GetContextArgs = typed(&TOOL, arguments)?;
    check_question("topic", &args.topic, "say what you want to know")?;
    within("target_tokens", args.target_tokens, MAX_ANSWER_TOKENS, MAX_ANSWER_TOKENS)?;
    let session = state.session()?;
    let query = |limit: usize| QueryRequest {
        purpose: args.purpose,
        max_tokens: Some(limit),
        target_tokens: args.target_tokens.map(|target| target.min(limit)),
        abstraction: args.abstraction,
        derivations: args.include_derivations,
        contradictions: args.include_contradictions,
        scope: args.scope,
    };
    let lookup = Lookup::Question { text: &args.topic, mode: None, category: None };
    state.ask_shared(lookup, args.role.as_ref(), args.scope, |library| {
        let counter = &library.counter();
        let usual = library.view.query.max_tokens.clamp(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS);
        let max_tokens = answer::max_tokens("max_tokens", args.max_tokens, usual)?;
        let mut room = max_tokens;
        loop {
            let data = query::answer(library, &query(room), &args.topic, session.settings())?;
            let is_empty = data.beliefs.is_empty();
            let (text, mut output) = render(library, data);
            let total = counter.count(&text);
            output.data.total_tokens = total;
            if total <= max_tokens || is_empty {
                let beliefs = &output.data.beliefs;
                let texts = beliefs.iter().zip(&output.sources).map(|(belief, label)| {
                    (&*belief.id, &*label.content_hash, belief.has_more_detail)
                });
                let scores = beliefs.iter().map(|belief| belief.relevance_score);
                let answer = ToolAnswer::new(text, &output, counter);
                return Ok(answer.with_texts(texts).with_scores(scores));
            }
            room = room.saturating_sub(total - max_tokens);
        }
    })
}

fn render(index: &SearchIndex, data: QueryData) -> (String, GetContextOutput) {
    let texts = IndexTexts { index };
    let mut text = head(&data);
    let mut sources = Vec::new();
    for belief in &data.beliefs {
        let layer = texts.item(&belief.id).and_then(|(_, item)| item.layers.last().copied());
        let label = SourceLabel::new(&belief.id, layer, &belief.content);
        let label = label.from_file(&belief.label.files);
        let facts = [
            ("title", belief.label.title.clone()),
            ("level", belief.level.name().to_owned()),
            ("relevance", format!("{:.2}", belief.relevance_score)),
            ("facts", belief.label.facts.clone()),
        ];
        text.push_str("\n\n");
        text.push_str(&label.wrap(&facts, &belief.content));
        for one in belief.derivation.iter().flatten() {
            let _ = write!(text, "\nDerived from {}", answer::quoted(&one.source));
            if let (Some(title), Some(confidence)) = (&one.title, one.confidence) {
                let _ = write!(text, ": {} (confidence {confidence:.2})", answer::quoted(title));
            }
        }
        for one in belief.contradictions.iter().flatten() {
            let (id, title, confidence) = (&one.id, answer::quoted(&one.title), one.confidence);
            let _ = write!(text, "\nContradicted by {id}: {title} (confidence {confidence:.2})");
        }
        sources.push(label);
    }
    (text, GetContextOutput { data, sources })
}

fn head(data: &QueryData) -> String {
    let mut head = section::status(data).map(|status| format!("{status} ")).unwrap_or_default();
    if data.beliefs.is_empty() {
        if !data.truncated {
            head.push_str("Try search_context with other words, or list_contexts.");
        }
        return head.trim_end().to_owned();
    }
    let _ = write!(head, "{}.", section::extent(data));
    if let Some(encoder) = &data.encoder {
        head.push(' ');
        head.push_str(&found::ranked_with(encoder));
    }
    if !data.expandable_ids.is_empty() {
        head.push_str(" expand_context returns the full text of those that are not `detailed`.");
    }
    if data.contradictions_available {
        head.push_str(" Something contradicts one of them: expand_context with `contradictions`.");
    }
    head
}
