//! The order in which contexts and conversation are shortened.

use crate::assemble::builder::{BOUNDARY_RETRIES, BundleBuilder, BundleDraft, Scaffold, tokens};
use crate::assemble::figures::{HistoryFigures, Recovery, Step};
use crate::assemble::history::{HistoryBlock, HistoryFit};
use crate::assemble::item::BundleItem;
use crate::assemble::listing::Listing;
use crate::assemble::preselect;
use crate::budget::level::{Level, Section};
use crate::budget::pack::Candidate;
use crate::conversation::choose::Trigger;
use crate::conversation::form::Form;

#[derive(Clone, Debug, Default)]
pub(super) struct DegradationPlan {
    pub(super) fired: Vec<Trigger>,
    pub(super) stages: Vec<Stage>,
}

impl BundleBuilder<'_> {
    pub(super) fn degradation_plan(
        &self,
        scaffold: &Scaffold,
        items: &[BundleItem<'_>],
    ) -> DegradationPlan {
        let Some(history) = &self.history else {
            return DegradationPlan { fired: Vec::new(), stages: vec![Stage::Packed] };
        };
        let contexts: usize = items.iter().map(|item| item.offered.full().tokens).sum();
        let input = scaffold.tokens() + contexts + history.tokens();
        let fired = self.config.conversation.fired(self.total(), input);
        let is_over = input > tokens(self.limits.limit);
        let is_long = history.tokens() > tokens(self.limits.history);
        let mut stages = Vec::new();
        if is_over && is_long && fired.is_empty() && !self.has_stable_part() {
            stages.extend([Stage::Related, Stage::Summary]);
        }
        stages.extend([Stage::Packed, Stage::Minimal]);
        if history.gives_way() {
            stages.extend([Stage::Loose, Stage::Bare]);
        }
        DegradationPlan { fired, stages }
    }

    fn total(&self) -> u64 {
        self.limits.total.min(self.window.unwrap_or(u64::MAX))
    }

    /// Shrinks the conversation in `fixed`; returns how to extend it.
    pub(super) fn make_history_fit<'t>(
        &self,
        fixed: &mut Scaffold,
        items: &[BundleItem<'_>],
        listing: &Listing<'_>,
        attempt: Attempt<'t>,
    ) -> Attempt<'t> {
        let stages: &[Stage] = match attempt.stage {
            Stage::Packed => &[Stage::Packed, Stage::Loose],
            Stage::Loose => &[Stage::Loose],
            Stage::Related | Stage::Summary | Stage::Minimal | Stage::Bare => return attempt,
        };
        let (required, first) = preselect::first_tokens(items);
        let contexts = required + first;
        let catalog = self.room(listing, contexts + contexts / 7).catalog;
        let material = fixed.material_tokens();
        let others = fixed.tokens() - fixed.history.tokens() - material + self.counter.frame();
        let owed = others + contexts + catalog + material.min(first + catalog);
        let room = tokens(self.limits.limit).checked_sub(owed);
        let Some(room) = room.filter(|room| first > 0 && fixed.history.tokens() > *room) else {
            return attempt;
        };
        for &stage in stages {
            let attempt = Attempt { stage, ..attempt };
            let less = self.history_block(stage.history_fit(room), attempt.fired);
            if less.tokens() <= room {
                fixed.history = less;
                return attempt;
            }
        }
        attempt
    }

    pub(super) fn is_last(&self, stage: Stage) -> bool {
        match &self.history {
            Some(history) if history.gives_way() => stage == Stage::Bare,
            Some(_) => stage == Stage::Minimal,
            None => true,
        }
    }

    pub(super) fn extend_history(
        &self,
        draft: &mut BundleDraft,
        history_block: &mut HistoryBlock,
        Attempt { stage, fired }: Attempt<'_>,
    ) {
        let is_loose = match stage {
            Stage::Packed => false,
            Stage::Loose | Stage::Bare => true,
            Stage::Related | Stage::Summary | Stage::Minimal => return,
        };
        let mut room = history_block.tokens() + (tokens(self.limits.limit) - draft.total);
        for _ in 0..BOUNDARY_RETRIES {
            if history_block.is_whole() || room <= history_block.tokens() {
                break;
            }
            let more = self.history_block(HistoryFit { room: Some(room), is_loose }, fired);
            if more.summary.is_none() && more.tokens() <= history_block.tokens() {
                break;
            }
            let place = draft.history_at..draft.history_at + history_block.blocks.len();
            match self.replace_blocks(draft, place, more.blocks.clone()) {
                Ok(()) => {
                    *history_block = more;
                    break;
                }
                Err(excess) => room = room.saturating_sub(excess),
            }
        }
    }

    pub(super) fn history_figures(
        &self,
        history_block: &HistoryBlock,
        fired: &[Trigger],
    ) -> Option<HistoryFigures> {
        let history = self.history.as_ref()?;
        let forms = history.messages(history_block, self.job.history.len());
        let count = |wanted: fn(&Form) -> bool| forms.iter().filter(|form| wanted(form)).count();
        let whole = count(|form| *form == Form::Whole);
        let left_out = count(|form| *form == Form::Left);
        Some(HistoryFigures {
            messages: forms.len(),
            whole,
            shortened: forms.len() - whole - left_out,
            left_out,
            full_tokens: history.tokens(),
            triggers: fired.to_vec(),
            archivable: archivable(&forms, fired).len(),
            summary: history_block.summary.clone(),
        })
    }

    pub(super) fn archivable(&self, history_block: &HistoryBlock, fired: &[Trigger]) -> Vec<usize> {
        let Some(history) = &self.history else { return Vec::new() };
        archivable(&history.messages(history_block, self.job.history.len()), fired)
    }
}

fn archivable(forms: &[Form], fired: &[Trigger]) -> Vec<usize> {
    if !fired.contains(&Trigger::Archive) && !forms.contains(&Form::Left) {
        return Vec::new();
    }
    let not_whole = forms.iter().enumerate().filter(|(_, form)| **form != Form::Whole);
    not_whole.map(|(at, _)| at).collect()
}

pub(super) fn recovery(
    contexts: [(usize, usize); 2],
    history: &HistoryFigures,
    history_tokens: usize,
    stage: Stage,
) -> Vec<Recovery> {
    let [(related, of_related), (others, of_others)] = contexts;
    let plural = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    let changed = history.shortened + history.left_out;
    let given_way = |count, what| format!("{} shortened or left out", plural(count, what));
    let HistoryFigures { shortened, left_out, .. } = history;
    let messages = plural(changed, "message");
    let in_part = format!("{messages} not in full: {shortened} shortened, {left_out} left out");
    let of_history = history.full_tokens.saturating_sub(history_tokens);
    let minimal = "only the required part of the conversation is there".to_owned();
    let steps = [
        (Step::Related, related, of_related, given_way(related, "related context")),
        (Step::Location, others, of_others, given_way(others, "context")),
        (Step::History, changed, of_history, in_part),
        (Step::Minimal, usize::from(stage == Stage::Minimal), 0, minimal),
    ];
    let done = steps.into_iter().filter(|(_, count, ..)| *count > 0);
    done.map(|(step, _, tokens_saved, detail)| Recovery { step, detail, tokens_saved }).collect()
}

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
        let room = match self {
            Self::Related | Self::Summary => return HistoryFit::ALL,
            Self::Packed | Self::Loose => Some(room),
            Self::Minimal | Self::Bare => None,
        };
        HistoryFit { room, is_loose: matches!(self, Self::Loose | Self::Bare) }
    }

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
        if kept.is_empty() {
            kept.extend(candidate.offers.first().copied());
        }
        candidate.offers = kept;
        candidate.must = true;
    }
}
