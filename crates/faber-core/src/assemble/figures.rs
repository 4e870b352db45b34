//! Figures of one assembly, named as in the data format.

use schemars::JsonSchema;
use serde::Serialize;

use crate::assemble::item::BundleItem;
use crate::assemble::share;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Offer;
use crate::config::SectionLimits;
use crate::context_id::ContextId;
use crate::conversation::choose::Trigger;
use crate::select::reason::Reason;

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    pub encoding: &'static str,
    /// Whether a safety margin is added because the model's tokenizer is not public.
    pub estimated: bool,
    /// Whether the tokenizer is not public and counts come from a reconstruction.
    pub reconstructed: bool,
    pub model: Option<String>,
    /// The safety margin in percent.
    pub margin: u32,
    pub context: ContextTokens,
    pub conversation: ConversationTokens,
    pub response: ResponseTokens,
    pub summary: Summary,
    /// Shares of the sections, for comparison; only that of the catalog is a limit.
    pub sections: SectionLimits,
    /// Contexts that are shortened or left out.
    pub degraded: Vec<Degraded>,
    /// Summaries from the user's command.
    pub summarized: Vec<Summarized>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<MaterialFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryFigures>,
    /// The steps that made a conversation fit.
    pub recovery: Vec<Recovery>,
    /// Tokens at the start of the bundle that do not depend on the request.
    pub stable_prefix_tokens: usize,
    /// Sum of weight times level value over all contexts.
    pub utility: f64,
    pub digest: String,
    /// The date for checking validity.
    pub reference_date: String,
    pub principal: PrincipalFigures,
    pub version: &'static str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContextTokens {
    /// The role's prompt, task and flow.
    pub system: usize,
    /// The user overlay.
    pub profile: usize,
    /// Platform, standards, specialists, custom contexts.
    pub location: usize,
    /// Related contexts.
    pub related: usize,
    pub catalog: usize,
    pub total: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConversationTokens {
    pub history: usize,
    /// The request and its input.
    pub message: usize,
    pub total: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HistoryFigures {
    pub messages: usize,
    pub whole: usize,
    pub shortened: usize,
    pub left_out: usize,
    /// Tokens of all messages in full.
    pub full_tokens: usize,
    /// Triggers that the size of the input has set off.
    pub triggers: Vec<Trigger>,
    /// The number of messages that `--archive` would archive.
    pub archivable: usize,
    /// The summary by the command in `budget.summarizer`, which is an input of the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MaterialFigures {
    /// The name of an input, or `error text`.
    pub name: String,
    /// Its tokens in the bundle, including faber's lines around it.
    pub tokens: usize,
    pub full_tokens: usize,
}

/// A step that made a conversation fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Recovery {
    pub step: Step,
    pub detail: String,
    pub tokens_saved: usize,
}

crate::named_enum! {
    /// The steps that make a conversation fit, in this order.
    pub enum Step {
        Related = "related",
        /// The full text of other contexts.
        Location = "location",
        History = "history",
        /// Everything that is not required.
        Minimal = "minimal",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResponseTokens {
    pub reserved: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Tokens of the bundle, counted as one text.
    pub total_used: usize,
    pub limit: usize,
    /// `total_used` in percent of `limit`, with one decimal.
    pub utilization_percent: f64,
    /// Tokens saved by shortening and leaving out.
    pub efficiency_saved: usize,
}

/// A selected context that is not in the bundle in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Degraded {
    #[schemars(with = "String")]
    pub id: ContextId,
    pub from: Level,
    pub to: Level,
    pub tokens_saved: usize,
    /// Left out at any budget by `max_tokens`.
    #[serde(skip)]
    pub over_cap: usize,
}

/// A summary by the command in `budget.summarizer`, which is an input of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summarized {
    #[schemars(with = "String")]
    pub id: ContextId,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PrincipalFigures {
    pub user: Option<String>,
    pub groups: Vec<String>,
    /// Whether the user's own overlay is used: not with `--no-user` and not in CI.
    pub user_layer: bool,
}

impl ConversationTokens {
    pub fn add(&mut self, section: Section, tokens: usize) {
        match section {
            Section::History => self.history += tokens,
            Section::Message => self.message += tokens,
            _ => return,
        }
        self.total += tokens;
    }
}

impl ContextTokens {
    pub fn add(&mut self, section: Section, tokens: usize) {
        let field = match section {
            Section::System => &mut self.system,
            Section::Profile => &mut self.profile,
            Section::Location => &mut self.location,
            Section::Related => &mut self.related,
            Section::Catalog => &mut self.catalog,
            Section::History | Section::Message => return,
        };
        *field += tokens;
        self.total += tokens;
    }
}

/// The input of packing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PackingTrace {
    #[serde(skip)]
    pub id: ContextId,
    #[serde(skip)]
    pub reasons: Vec<Reason>,
    #[serde(skip)]
    pub full_tokens: usize,
    /// The section whose budget it takes.
    pub section: Section,
    /// Its priority; 1 is highest.
    pub priority: i64,
    /// The weight of its strongest reason.
    pub weight: f64,
    /// Its relevance to the request, at least the minimum of its reasons.
    pub relevance: f64,
    /// Maximum tokens if it only resembles the request and not everything fits; none without this limit.
    #[serde(rename = "most_tokens")]
    pub max_tokens: Option<usize>,
    /// Whether the bundle must have it.
    pub required: bool,
    /// Its part of the utility of the bundle.
    pub utility: f64,
    /// Every possible form, the most valuable first.
    pub offers: Vec<OfferTrace>,
}

/// One form of a context.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct OfferTrace {
    /// The level.
    pub level: Level,
    /// Its exact tokens.
    pub tokens: usize,
    /// The value of the form, from 0 to 1 for the full text.
    pub value: f64,
    /// Its possible part of the utility of the bundle.
    pub utility: f64,
    /// Whether packing could take it.
    pub allowed: bool,
    /// Whether it was taken.
    pub taken: bool,
}

pub(super) fn trace(
    item: &BundleItem<'_>,
    taken: Option<Offer>,
    max_tokens: Option<usize>,
) -> PackingTrace {
    let mut candidate = item.candidate.clone();
    let is_candidate = share::limit(&mut candidate, max_tokens);
    let trace = |offer: Offer| OfferTrace {
        level: offer.level,
        tokens: offer.tokens,
        value: f64::from(offer.value) / 1000.0,
        utility: candidate.utility(&offer),
        allowed: is_candidate && candidate.allowed().any(|allowed| *allowed == offer),
        taken: taken == Some(offer),
    };
    PackingTrace {
        id: item.selected.id.clone(),
        reasons: item.selected.reasons.clone(),
        section: candidate.section,
        priority: candidate.priority,
        weight: candidate.weight,
        required: candidate.must,
        full_tokens: item.offered.full().tokens,
        relevance: candidate.relevance,
        max_tokens,
        utility: taken.map_or(0.0, |offer| candidate.utility(&offer)),
        offers: item.offered.all().into_iter().map(trace).collect(),
    }
}
