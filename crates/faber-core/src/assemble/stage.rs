//! The stages in which contexts and conversation are shortened.

use crate::assemble::history_block::HistoryFit;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Candidate;
use crate::conversation::trigger::Trigger;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Shortens or leaves out related contexts only.
    Related,
    /// Shortens others to their summary at least.
    Summary,
    /// Gives the conversation its own budget, and contexts the rest.
    Packed,
    /// Only required turns.
    Minimal,
    /// Shortens turns required only if they fit.
    Loose,
    /// Only turns required in any case, plus what fits.
    Bare,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt<'t> {
    pub(super) stage: Stage,
    pub(super) fired: &'t [Trigger],
}

impl Stage {
    pub(super) fn history_fit(self, room: usize) -> HistoryFit {
        match self {
            Self::Related | Self::Summary => HistoryFit::All,
            Self::Packed => HistoryFit::Within(room),
            Self::Minimal => HistoryFit::Required,
            Self::Loose => HistoryFit::Loosely(room),
            Self::Bare => HistoryFit::Least,
        }
    }

    /// Contexts give way first while the conversation is in full.
    pub(super) fn shortens_material(self) -> bool {
        !matches!(self, Self::Related | Self::Summary)
    }

    pub(super) fn bind(self, candidate: &mut Candidate) {
        let shortest = match self {
            Self::Related => Level::Detailed,
            Self::Summary => Level::Summary,
            Self::Packed | Self::Minimal | Self::Loose | Self::Bare => return,
        };
        if candidate.section == Section::Related {
            return;
        }
        let mut kept = candidate.offers.clone();
        kept.retain(|offer| offer.level <= shortest);
        // A candidate over its own `max_tokens` has no full text.
        if kept.is_empty() {
            kept.extend(candidate.offers.first().copied());
        }
        candidate.offers = kept;
        candidate.must = true;
    }
}
