//! Limits contexts that only resemble the request. Their share of the room grows from
//! `selection.threshold` to relevance 1 or, if that is more, from `selection.relative` of the best
//! to the best.

use crate::assemble::item::BundleItem;
use crate::budget::level::Level;
use crate::budget::pack::Candidate;
use crate::config::SelectionConfig;
use crate::select::reason::ReasonKind;

#[derive(Clone, Copy)]
pub(super) struct Shares {
    available: usize,
    threshold: f64,
    relative: f64,
    best: f64,
}

impl Shares {
    pub(super) fn new(
        items: &[&BundleItem<'_>],
        available: usize,
        config: &SelectionConfig,
    ) -> Option<Self> {
        let whole: usize = items.iter().map(|item| item.candidate.offers[0].tokens).sum();
        let on_demand = items.iter().filter(|item| !item.always_loads());
        let best = on_demand.map(|item| item.relevance).fold(0.0, f64::max);
        let SelectionConfig { threshold, relative, .. } = *config;
        (whole > available).then_some(Self { available, threshold, relative, best })
    }

    pub(super) fn max_tokens(&self, item: &BundleItem<'_>) -> Option<usize> {
        let mut reasons = item.placed.reasons.iter();
        let resembles = reasons.all(|reason| reason.kind == ReasonKind::Semantic);
        let is_limited = resembles && !item.candidate.must && item.relevance < self.best;
        is_limited.then(|| self.share(item.relevance))
    }

    /// To the fourth power: most needed texts are nearly as good as the best.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share of the tokens, which are far below 2^52"
    )]
    fn share(&self, relevance: f64) -> usize {
        let along = |value: f64, from: f64| ((value - from) / (1.0 - from)).clamp(0.0, 1.0);
        let closeness = along(relevance / self.best, self.relative).powi(4);
        let share = along(relevance, self.threshold).max(closeness);
        (share * self.available as f64) as usize
    }
}

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

    fn shares(available: usize, threshold: f64, best: f64) -> Shares {
        Shares { available, threshold, relative: 0.6, best }
    }

    proptest! {
        #[test]
        fn a_share_grows_with_room_and_relevance(
            (available, more) in (0..100_000_usize, 0..100_000_usize),
            (relevance, higher, threshold) in (0.0..=1.0, 0.0..=1.0, 0.0..=1.0),
        ) {
            let (relevance, best) = (f64::min(relevance, higher), f64::max(relevance, higher));
            let own = shares(available, threshold, best).share(relevance);
            prop_assert!(own <= available);
            prop_assert!(own <= shares(available + more, threshold, best).share(relevance));
            prop_assert!(own <= shares(available, threshold, best).share(best));
            prop_assert!(own <= shares(available, threshold, relevance).share(relevance));
        }
    }

    #[test]
    fn all_of_the_room_belongs_to_the_highest_relevance() {
        for (best, relevance, tokens) in [
            (1.0, 1.0, 1000),
            (1.0, 0.65, 500),
            (0.4, 0.4, 1000),
            (0.4, 0.39, 772),
            (0.4, 0.36, 316),
            (0.4, 0.32, 62),
            (0.4, 0.2, 0),
        ] {
            assert_eq!(shares(1000, 0.3, best).share(relevance), tokens, "{best} {relevance}");
        }
    }
}
