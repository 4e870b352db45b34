//! The order in which contexts and conversation are shortened.

use crate::assemble::builder::{BOUNDARY_RETRIES, BundleBuilder, BundleDraft, Scaffold, tokens};
use crate::assemble::figures::{HistoryFigures, Recovery, Step};
use crate::assemble::history_block::{HistoryBlock, HistoryFit};
use crate::assemble::item::BundleItem;
use crate::assemble::listing::Listing;
use crate::assemble::preselect;
use crate::assemble::stage::{Attempt, Stage};
use crate::conversation::form::Form;
use crate::conversation::trigger::Trigger;

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

    pub(super) fn history_block_at(&self, Attempt { stage, fired }: Attempt<'_>) -> HistoryBlock {
        let own = tokens(self.limits.history.min(self.limits.limit));
        self.history_block(stage.history_fit(own), fired)
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
        let fit = match stage {
            Stage::Packed => HistoryFit::Within,
            Stage::Loose | Stage::Bare => HistoryFit::Loosely,
            Stage::Related | Stage::Summary | Stage::Minimal => return,
        };
        let mut room = history_block.tokens() + (tokens(self.limits.limit) - draft.total);
        for _ in 0..BOUNDARY_RETRIES {
            if history_block.is_whole() || room <= history_block.tokens() {
                break;
            }
            let more = self.history_block(fit(room), fired);
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

/// `contexts`: numbers of shortened related and other contexts, tokens saved.
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
    let mut steps = vec![
        (Step::Related, related, of_related, plural(related, "related context")),
        (Step::Location, others, of_others, plural(others, "context")),
        (
            Step::History,
            changed,
            history.full_tokens.saturating_sub(history_tokens),
            plural(changed, "message"),
        ),
    ];
    if stage == Stage::Minimal {
        let required = "only the required part of the conversation".to_owned();
        steps.push((Step::Minimal, 1, 0, required));
    }
    let done = steps.into_iter().filter(|(_, count, ..)| *count > 0);
    done.map(|(step, _, tokens_saved, what)| {
        let detail = match step {
            Step::Related | Step::Location => format!("{what} shortened or left out"),
            Step::History => format!(
                "{what} not in full: {} shortened, {} left out",
                history.shortened, history.left_out
            ),
            Step::Minimal => format!("{what} is there"),
        };
        Recovery { step, detail, tokens_saved }
    })
    .collect()
}
