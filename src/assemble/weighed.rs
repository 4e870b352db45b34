//! What packing decided on, kept for whoever explains it.

use crate::assemble::items::Item;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Decision;
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
    /// What was taken.
    pub taken: Decision,
    /// What that is worth.
    pub utility: f64,
    /// Everything that it could have been, the fullest first.
    pub offers: Vec<Offer>,
}

/// One form of a context.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The level.
    pub level: Level,
    /// Its tokens.
    pub tokens: usize,
    /// What it is worth.
    pub utility: f64,
    /// Whether packing may take it: what must be whole or in the bundle may not be less, and
    /// nothing may be over its own cap.
    pub allowed: bool,
}

/// Tells of one item that became `taken`.
pub(super) fn weigh(item: &Item<'_>, taken: Decision) -> Weighed {
    let candidate = &item.candidate;
    let allowed: Vec<Decision> = candidate.allowed().collect();
    let mut offers: Vec<Offer> = item
        .offered
        .forms()
        .map(|form| Offer {
            level: form.level,
            tokens: form.tokens,
            utility: candidate.utility(form.level),
            allowed: allowed.contains(&form),
        })
        .collect();
    // Greedy packing cuts to measure, so what it took is not among what was offered.
    if taken.level != Level::Dropped && !offers.iter().any(|offer| offer.level == taken.level) {
        let utility = candidate.utility(taken.level);
        let Decision { level, tokens } = taken;
        offers.insert(1, Offer { level, tokens, utility, allowed: true });
    }
    Weighed {
        id: item.selected.id.clone(),
        reasons: item.selected.reasons.clone(),
        section: candidate.section,
        priority: candidate.priority,
        weight: candidate.weight,
        must: candidate.must,
        cap: item.offered.cap(),
        taken,
        utility: candidate.utility(taken.level),
        offers,
    }
}
