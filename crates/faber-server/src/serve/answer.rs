//! Tool answers within a token budget, with sources.

use serde::Serialize;
use serde_json::Value;

use faber_core::budget::truncate::truncate;
use faber_core::error::Error;
use faber_core::security::redact;
use faber_core::tokens::Counter;
use faber_session::audit::AnswerTrace;
pub use faber_tools::label::{SourceLabel, escape_context_tags, short};

/// Clients cut results at 25 000 tokens, and some count text and data.
pub(crate) const MAX_TOKENS: usize = 8_000;
pub(crate) const MAX_ANSWER_TOKENS: usize = 20_000;
pub(crate) const MIN_ANSWER_TOKENS: usize = 200;
const FRAME: usize = 80;

#[derive(Clone, Debug)]
pub struct ToolAnswer {
    pub text: String,
    pub data: Value,
    pub trace: AnswerTrace,
}

#[derive(Clone, Debug)]
pub struct TextAnswer {
    pub text: String,
    pub trace: AnswerTrace,
}

impl ToolAnswer {
    pub(crate) fn new(text: String, data: &impl Serialize, counter: &Counter) -> Self {
        let data = serde_json::to_value(data).expect("answers have text keys only");
        let trace = AnswerTrace::of_tokens(counter.count(&text));
        Self { text, data, trace }
    }

    #[must_use]
    pub fn neutralized(mut self) -> Self {
        self.text = redact::neutralized(&self.text).into_owned();
        neutralize(&mut self.data);
        self
    }

    #[must_use]
    pub fn with_texts<'a>(
        mut self,
        texts: impl IntoIterator<Item = (&'a str, &'a str, bool)>,
    ) -> Self {
        for (id, hash, is_shortened) in texts {
            self.trace.add(id, hash, is_shortened);
        }
        self
    }

    #[must_use]
    pub(crate) fn with_scores(mut self, scores: impl IntoIterator<Item = f64>) -> Self {
        self.trace.relevance = scores.into_iter().reduce(f64::max);
        self
    }
}

fn neutralize(data: &mut Value) {
    match data {
        Value::String(text) => *text = redact::neutralized(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(neutralize),
        Value::Object(entries) => entries.values_mut().for_each(neutralize),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[derive(Clone, Debug)]
pub(crate) struct AnswerBudget {
    counter: Counter,
    left: usize,
}

impl AnswerBudget {
    pub(crate) fn new(wanted: Option<usize>, counter: &Counter) -> Result<Self, Error> {
        let wanted = max_tokens("max_tokens", wanted, MAX_TOKENS)?;
        Ok(Self { counter: counter.clone(), left: wanted - FRAME })
    }

    pub(crate) fn take(&mut self, text: &str) -> bool {
        let cost = self.counter.count(text);
        let fits = cost <= self.left;
        self.left -= if fits { cost } else { 0 };
        fits
    }

    pub(crate) fn cut(&self, text: &str, around: &str) -> Option<String> {
        let cost = |text: &str| self.counter.count(text);
        let left = self.left.checked_sub(cost(around))?;
        let kept = truncate(text, left, &cost).text();
        (!kept.trim().is_empty()).then_some(kept)
    }
}

pub(crate) fn max_tokens(name: &str, wanted: Option<usize>, usual: usize) -> Result<usize, Error> {
    let wanted = wanted.unwrap_or(usual);
    if (MIN_ANSWER_TOKENS..=MAX_ANSWER_TOKENS).contains(&wanted) {
        return Ok(wanted);
    }
    let help = format!("give a number from {MIN_ANSWER_TOKENS} to {MAX_ANSWER_TOKENS}");
    Err(Error::usage(format!("`{name}` is {wanted}"), help))
}

/// Empty pages would make clients ask forever.
pub(crate) fn too_little(entry: &str, counter: &Counter) -> Error {
    let needed = counter.count(entry) + FRAME;
    let help = format!("ask with `max_tokens` of at least {needed}");
    Error::usage("`max_tokens` is too small for the next entry", help)
}

pub(crate) fn explained(error: Error, printed: &[u8]) -> Error {
    match error {
        Error::Findings { found, places, help } => {
            let printed = String::from_utf8_lossy(printed);
            let printed = redact::neutralized(printed.trim_end());
            let parts = help.into_iter().chain([places.clone(), printed.into_owned()]);
            let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
            Error::Findings { found, places, help: Some(parts.join("\n\n")) }
        }
        Error::Budget { limit, needed, help } if needed > MAX_ANSWER_TOKENS => {
            let parts = help.split("; ").next().unwrap_or_default();
            let help =
                format!("{parts}; shorten them, as the largest budget is {MAX_ANSWER_TOKENS}");
            Error::Budget { limit, needed, help }
        }
        other => other,
    }
}

pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escape_context_tags(&short(text)))
}

/// Without wrapper tags, secrets and hidden characters.
pub fn line(text: &str) -> String {
    escape_context_tags(&redact::neutralized(text))
}
