//! What packing decided on, kept for whoever explains it.

use crate::assemble::items::Item;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Offer;
use crate::document::ContextId;
use crate::select::reason::Reason;

/// A selected context as packing saw it.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// The context.
    pub id: ContextId,
    /// Why it was selected; who was dropped in the end is told of here alone.
    pub reasons: Vec<Reason>,
    /// The section whose budget it takes.
    pub section: Section,
    /// Its priority; 1 is highest.
    pub priority: i64,
    /// The weight of its strongest reason.
    pub weight: f64,
    /// Whether the bundle must have it.
    pub must: bool,
    /// The tokens that it may take at most, by its own word.
    pub cap: Option<usize>,
    /// The tokens that all of it takes.
    pub full_tokens: usize,
    /// How much it has to do with the request, at least what its reasons stand for.
    pub relevance: f64,
    /// What the form that was taken is worth; 0 when none was.
    pub utility: f64,
    /// Everything that it could have been, the most valuable first.
    pub forms: Vec<Form>,
}

/// One form of a context.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The level.
    pub level: Level,
    /// Its tokens.
    pub tokens: usize,
    /// What it is worth.
    pub utility: f64,
    /// Whether packing may take it: what must be whole may not be less, and nothing may be over its
    /// own cap.
    pub allowed: bool,
    /// Whether it was taken.
    pub taken: bool,
}

/// Tells of one item, and of the form that it takes.
pub(super) fn weigh(item: &Item<'_>, taken: Option<Offer>) -> Weighed {
    let candidate = &item.candidate;
    let form = |offer: Offer| Form {
        level: offer.level,
        tokens: offer.tokens,
        utility: candidate.utility(&offer),
        allowed: candidate.allowed().any(|allowed| *allowed == offer),
        taken: taken == Some(offer),
    };
    Weighed {
        id: item.selected.id.clone(),
        reasons: item.selected.reasons.clone(),
        section: candidate.section,
        priority: candidate.priority,
        weight: candidate.weight,
        must: candidate.must,
        cap: item.offered.cap(),
        full_tokens: item.offered.full().tokens,
        relevance: candidate.relevance,
        utility: taken.map_or(0.0, |offer| candidate.utility(&offer)),
        forms: item.offered.all().into_iter().map(form).collect(),
    }
}
