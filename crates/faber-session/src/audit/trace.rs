use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entry::{AuditEntry, Contexts, TokenSplit};
use super::principal_name;
use crate::settings::Settings;
use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Loaded;
use faber_core::budget::level::Level;
use faber_core::select::reason::ReasonKind;
use faber_core::source::SourceMap;

const HASH: usize = "blake3:".len() + 16;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerTrace {
    pub results: Vec<String>,
    pub hashes: Vec<String>,
    pub shortened: Vec<String>,
    pub saved: u64,
    pub tokens: u64,
    pub relevance: Option<f64>,
    pub contexts: Option<Contexts>,
    pub split: Option<TokenSplit>,
}

impl AnswerTrace {
    pub fn of_tokens(tokens: usize) -> Self {
        Self { tokens: number(tokens), ..Self::default() }
    }

    pub fn add(&mut self, id: &str, hash: &str, is_shortened: bool) {
        self.results.push(id.to_owned());
        self.hashes.push(hash.chars().take(HASH).collect());
        if is_shortened {
            self.shortened.push(id.to_owned());
        }
    }

    pub fn saves_from(&mut self, full: usize) {
        self.saved = number(full).saturating_sub(self.tokens);
    }

    pub fn of_assembly(assembly: &Assembly, sources: &SourceMap) -> Self {
        let (bundle, figures) = (&assembly.bundle, &assembly.bundle.figures);
        let mut trace = Self {
            saved: number(figures.summary.efficiency_saved),
            contexts: Some(called_for(&bundle.loaded)),
            split: Some(TokenSplit {
                limit: number(figures.summary.limit),
                context: number(figures.context.total),
                history: number(figures.conversation.history),
                history_full: figures.history.as_ref().map_or(0, |it| number(it.full_tokens)),
                message: number(figures.conversation.message),
            }),
            ..Self::of_tokens(figures.summary.total_used)
        };
        for loaded in &bundle.loaded {
            let hash = assembly.catalog.contexts[&loaded.id].content_hash(sources);
            trace.add(&loaded.id.to_string(), &hash, loaded.level != Level::Detailed);
        }
        trace
    }

    pub fn into_entry(self, settings: &Settings, begun: Duration) -> AuditEntry {
        let took = (settings.clocks.elapsed)().saturating_sub(begun);
        let now = (settings.clocks.now)().timestamp();
        let Self { results, hashes, shortened, saved, tokens, relevance, contexts, split } = self;
        AuditEntry {
            time: now.checked_sub(took).unwrap_or(now),
            principal: settings.principal.as_ref().and_then(principal_name),
            milliseconds: took.as_secs_f64() * 1000.0,
            results,
            hashes,
            shortened,
            saved,
            tokens,
            relevance,
            contexts,
            split,
            ..AuditEntry::default()
        }
    }
}

pub fn arguments<const N: usize>(arguments: [(&str, Value); N]) -> Value {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let arguments = arguments.into_iter().filter(|(_, value)| !is_empty(value));
    Value::Object(arguments.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn called_for(loaded: &[Loaded]) -> Contexts {
    let always = [ReasonKind::Always, ReasonKind::Platform, ReasonKind::Custom];
    let is_called_for =
        |loaded: &&Loaded| loaded.reasons.iter().any(|reason| !always.contains(&reason.kind));
    Contexts {
        loaded: loaded.iter().map(|loaded| number(loaded.tokens)).sum(),
        used: loaded.iter().filter(is_called_for).map(|loaded| number(loaded.tokens)).sum(),
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
