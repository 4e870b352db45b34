//! The decisions of packing, recorded for `explain`.

use crate::assemble::item::BundleItem;
use crate::assemble::share;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Offer;
use crate::context_id::ContextId;
use crate::select::reason::Reason;

#[derive(Clone, Debug)]
pub struct PackingTrace {
    pub id: ContextId,
    /// The only record for dropped contexts.
    pub reasons: Vec<Reason>,
    pub section: Section,
    /// 1 is highest.
    pub priority: i64,
    pub weight: f64,
    pub must: bool,
    pub full_tokens: usize,
    pub relevance: f64,
    /// The token limit of contexts that are only similar to the request.
    pub max_tokens: Option<usize>,
    /// 0 without a form.
    pub utility: f64,
    pub forms: Vec<WeighedForm>,
}

#[derive(Clone, Copy, Debug)]
pub struct WeighedForm {
    pub level: Level,
    pub tokens: usize,
    /// From 0 to 1, the full text.
    pub value: f64,
    pub utility: f64,
    /// Whether `truncatable`, `max_tokens` and the limit allow it.
    pub allowed: bool,
    pub taken: bool,
}

pub(super) fn trace(
    item: &BundleItem<'_>,
    taken: Option<Offer>,
    max_tokens: Option<usize>,
) -> PackingTrace {
    let mut candidate = item.candidate.clone();
    let is_candidate = share::limit(&mut candidate, max_tokens);
    let form = |offer: Offer| WeighedForm {
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
        must: candidate.must,
        full_tokens: item.offered.full().tokens,
        relevance: candidate.relevance,
        max_tokens,
        utility: taken.map_or(0.0, |offer| candidate.utility(&offer)),
        forms: item.offered.all().into_iter().map(form).collect(),
    }
}
