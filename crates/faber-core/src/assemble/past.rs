//! The conversation before a request, in turns, and the part of it that a bundle has.

use std::sync::OnceLock;

use crate::conversation::form::Form;
use crate::conversation::turn::{Turn, TurnNeed};
use crate::render::block::BundleBlock;

/// The short form of each turn, if it has one, with its tokens.
pub(super) type Shorts = Vec<Option<(Turn, usize)>>;

pub(super) struct History {
    pub(super) turns: Vec<Turn>,
    pub(super) whole: Vec<usize>,
    pub(super) needs: Vec<TurnNeed>,
    /// Short forms without and with extracts, computed on demand.
    pub(super) short: [OnceLock<Shorts>; 2],
}

/// How much of the history is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HistoryFit {
    All,
    /// At most this many tokens, and the required turns.
    Within(usize),
    /// The required turns.
    Required,
    /// At most this many tokens, and the required turns even if they do not fit.
    Loosely(usize),
    /// The required turns, even if they do not fit.
    Least,
}

impl HistoryFit {
    /// Whether this extent is required only as long as it fits.
    pub(super) fn is_loose(self) -> bool {
        matches!(self, Self::Loosely(_) | Self::Least)
    }

    pub(super) fn requires(self, need: TurnNeed) -> bool {
        match need {
            TurnNeed::No => false,
            TurnNeed::IfItFits => !self.is_loose(),
            TurnNeed::Exchange | TurnNeed::Always => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeptHistory {
    pub turn: Turn,
    pub form: Form,
    pub tokens: usize,
}

/// The part of the history in a bundle, rendered.
#[derive(Clone, Debug, Default)]
pub(super) struct HistoryBlock {
    pub(super) blocks: Vec<BundleBlock>,
    pub(super) kept: Vec<KeptHistory>,
    /// The form of each turn.
    pub(super) forms: Vec<Form>,
    /// The line before the messages: how many are missing.
    pub(super) note: Option<String>,
    /// The text of all turns that are not in full, for the user's command.
    pub(super) older: Option<String>,
    /// The summary of it by the user's command.
    pub(super) summary: Option<String>,
}

impl HistoryBlock {
    pub(super) fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.forms.iter().all(|form| *form == Form::Whole)
    }
}

impl History {
    /// Whether some of it is required only as long as it fits.
    pub(super) fn gives_way(&self) -> bool {
        self.needs.iter().any(|need| matches!(need, TurnNeed::IfItFits | TurnNeed::Exchange))
    }

    /// The form of each message, from the forms of turns; a message may be part of several.
    pub(super) fn messages(&self, told: &HistoryBlock, count: usize) -> Vec<Form> {
        let mut of: Vec<Option<Form>> = vec![None; count];
        for (turn, form) in self.turns.iter().zip(&told.forms) {
            for &at in &turn.of {
                of[at] = match of[at] {
                    None => Some(*form),
                    Some(known) if known == *form => Some(known),
                    Some(_) => Some(Form::Short),
                };
            }
        }
        // An empty message counts as in full.
        of.into_iter().map(|form| form.unwrap_or(Form::Whole)).collect()
    }

    /// The turn of calls whose results need an answer.
    pub(super) fn exchange(&self) -> Option<usize> {
        self.needs.iter().position(|need| *need == TurnNeed::Exchange)
    }

    pub(super) fn tokens(&self) -> usize {
        self.whole.iter().sum()
    }
}
