//! The conversation before a request, in turns.

use std::sync::OnceLock;

use crate::conversation::form::Form;
use crate::conversation::turn::{Turn, TurnNeed};
use crate::render::block::BundleBlock;

pub(super) type Shorts = Vec<Option<(Turn, usize)>>;

pub(super) struct History {
    pub(super) turns: Vec<Turn>,
    pub(super) whole: Vec<usize>,
    pub(super) needs: Vec<TurnNeed>,
    pub(super) short: [OnceLock<Shorts>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HistoryFit {
    All,
    Within(usize),
    Required,
    /// [`Self::Within`] without [`TurnNeed::IfItFits`].
    Loosely(usize),
    /// [`Self::Required`] without [`TurnNeed::IfItFits`].
    Least,
}

impl HistoryFit {
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

#[derive(Clone, Debug, Default)]
pub(super) struct HistoryBlock {
    pub(super) blocks: Vec<BundleBlock>,
    pub(super) kept: Vec<KeptHistory>,
    pub(super) forms: Vec<Form>,
    pub(super) note: Option<String>,
    pub(super) older: Option<String>,
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
    pub(super) fn gives_way(&self) -> bool {
        self.needs.iter().any(|need| matches!(need, TurnNeed::IfItFits | TurnNeed::Exchange))
    }

    pub(super) fn messages(&self, history_block: &HistoryBlock, count: usize) -> Vec<Form> {
        let mut of: Vec<Option<Form>> = vec![None; count];
        for (turn, form) in self.turns.iter().zip(&history_block.forms) {
            for &at in &turn.of {
                of[at] = match of[at] {
                    None => Some(*form),
                    Some(known) if known == *form => Some(known),
                    Some(_) => Some(Form::Short),
                };
            }
        }
        of.into_iter().map(|form| form.unwrap_or(Form::Whole)).collect()
    }

    pub(super) fn exchange(&self) -> Option<usize> {
        self.needs.iter().position(|need| *need == TurnNeed::Exchange)
    }

    pub(super) fn tokens(&self) -> usize {
        self.whole.iter().sum()
    }
}
