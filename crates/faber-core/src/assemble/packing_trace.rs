//! Decisions of packing, for `explain`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::assemble::item::BundleItem;
use crate::assemble::share;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Offer;
use crate::context_id::ContextId;
use crate::select::reason::Reason;

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
