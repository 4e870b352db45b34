//! The decisions of packing, recorded for `explain`.

use crate::assemble::item::BundleItem;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Offer;
use crate::document::ContextId;
use crate::select::reason::Reason;

#[derive(Clone, Debug)]
pub struct PackingTrace {
    pub id: ContextId,
    /// Why it was selected; for contexts that were dropped in the end, this is the only record.
    pub reasons: Vec<Reason>,
    pub section: Section,
    /// 1 is highest.
    pub priority: i64,
    pub weight: f64,
    pub must: bool,
    pub full_tokens: usize,
    /// Its relevance, at least the minimum of its reasons.
    pub relevance: f64,
    /// The utility of the chosen form; 0 without one.
    pub utility: f64,
    pub forms: Vec<WeighedForm>,
}

#[derive(Clone, Copy, Debug)]
pub struct WeighedForm {
    pub level: Level,
    pub tokens: usize,
    pub utility: f64,
    /// Whether packing may choose it, given `truncatable` and `max_tokens`.
    pub allowed: bool,
    pub taken: bool,
}

/// Records one item and its chosen form.
pub(super) fn weigh(item: &BundleItem<'_>, taken: Option<Offer>) -> PackingTrace {
    let candidate = &item.candidate;
    let form = |offer: Offer| WeighedForm {
        level: offer.level,
        tokens: offer.tokens,
        utility: candidate.utility(&offer),
        allowed: candidate.allowed().any(|allowed| *allowed == offer),
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
        utility: taken.map_or(0.0, |offer| candidate.utility(&offer)),
        forms: item.offered.all().into_iter().map(form).collect(),
    }
}
