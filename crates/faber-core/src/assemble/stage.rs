//! The stages in which contexts and conversation give way.

use crate::budget::level::{Level, Section};
use crate::budget::pack::Candidate;
use crate::conversation::trigger::Trigger;

/// One stage; each gives up more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Only related contexts are shortened or left out.
    Related,
    /// Other contexts are shortened to at least their summary.
    Summary,
    /// The conversation keeps to its own budget; contexts are packed into the rest.
    Packed,
    /// Only the required turns of the conversation.
    Minimal,
    /// As [`Self::Packed`], and turns that are required only if they fit are shortened too.
    Loose,
    /// Only the turns that are required in any case, and more as far as there is room.
    Bare,
}

/// A stage that is tried, with the triggers that a large input has set off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung<'t> {
    pub(super) stage: Stage,
    pub(super) set_off: &'t [Trigger],
}

impl Stage {
    /// Whether inputs and the error text are shortened. While the conversation is in full, contexts
    /// give way to it, not material.
    pub(super) fn shortens_material(self) -> bool {
        !matches!(self, Self::Related | Self::Summary)
    }

    /// Restricts a candidate to the forms of this stage.
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
