//! Limits contexts that are only similar to the request: each takes room from others. Their share
//! grows from none at `selection.threshold` to all of the room at relevance 1.

use crate::assemble::item::BundleItem;
use crate::budget::level::Level;
use crate::budget::pack::Candidate;
use crate::select::reason::ReasonKind;

#[derive(Clone, Copy)]
pub(super) struct Shares {
    available: usize,
    threshold: f64,
    /// Highest relevance of contexts that do not always load.
    best: f64,
}

impl Shares {
    /// `None` if all `items` fit in full.
    pub(super) fn new(items: &[&BundleItem<'_>], available: usize, threshold: f64) -> Option<Self> {
        let whole: usize = items.iter().map(|item| item.candidate.offers[0].tokens).sum();
        let on_demand = items.iter().filter(|item| !item.always_loads());
        let best = on_demand.map(|item| item.relevance).fold(0.0, f64::max);
        (whole > available).then_some(Self { available, threshold, best })
    }

    /// `None` for the best match, and with a reason other than similarity.
    pub(super) fn max_tokens(&self, item: &BundleItem<'_>) -> Option<usize> {
        let mut reasons = item.placed.reasons.iter();
        let resembles = reasons.all(|reason| reason.kind == ReasonKind::Semantic);
        let is_limited = resembles && !item.candidate.must && item.relevance < self.best;
        is_limited.then(|| share(self.available, item.relevance, self.threshold))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share of the tokens, which are far below 2^52"
)]
fn share(available: usize, relevance: f64, threshold: f64) -> usize {
    let beyond = |relevance: f64| (relevance - threshold).max(0.0);
    let share = beyond(relevance) / beyond(1.0).max(f64::MIN_POSITIVE);
    (share.min(1.0) * available as f64) as usize
}

/// False if no form has the text itself: a summary alone is not worth its tokens.
pub(super) fn limit(candidate: &mut Candidate, max_tokens: Option<usize>) -> bool {
    let Some(max_tokens) = max_tokens else { return true };
    let fits = candidate
        .allowed()
        .any(|offer| offer.level <= Level::Focused && offer.tokens <= max_tokens);
    if fits {
        candidate.offers.retain(|offer| offer.tokens <= max_tokens);
    }
    fits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_share_grows_with_room_and_relevance(
            (available, more) in (0..100_000_usize, 0..100_000_usize),
            (relevance, higher, threshold) in (0.0..=1.0, 0.0..=1.0, 0.0..=1.0),
        ) {
            let own = share(available, relevance, threshold);
            prop_assert!(own <= available);
            prop_assert!(own <= share(available + more, relevance, threshold));
            prop_assert!(own <= share(available, higher, threshold) || higher < relevance);
            prop_assert!(relevance > threshold || own == 0);
        }
    }

    #[test]
    fn all_of_the_room_belongs_to_the_highest_relevance() {
        assert_eq!(share(1000, 1.0, 0.3), 1000);
        assert_eq!(share(1000, 0.65, 0.3), 500);
        assert_eq!(share(1000, 1.0, 1.0), 0);
    }
}
