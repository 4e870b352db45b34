//! Composes a bundle within its budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::assemble::builder::{
    Answers, BOUNDARY_RETRIES, BundleBuilder, OverBudget, Scaffold, tokens,
};
use crate::assemble::bundle::Bundle;
use crate::assemble::counter::{ModelCounter, in_tokens};
use crate::assemble::degradation::DegradationPlan;
use crate::assemble::directives::{DirectiveOutcome, KeptDirectives};
use crate::assemble::finish::{self, PackedBundle};
use crate::assemble::item::BundleItem;
use crate::assemble::job::Job;
use crate::assemble::listing::{Listing, ScopeTopics};
use crate::assemble::parts::BundlePart;
use crate::assemble::resolved::Read;
use crate::assemble::stage::Attempt;
use crate::assemble::triggers::RequestTriggers;
use crate::assemble::{items, refuse, upfront};
use crate::budget::extract_cache::ExtractCache;
use crate::config::Config;
use crate::error::Error;
use crate::resolve::catalog::ContextSet;
use crate::resolve::view::View;
use crate::select::selection::Selection;
use crate::source::SourceMap;
use crate::tokens::TokenCache;

#[derive(Clone, Copy)]
pub struct BuilderInput<'a> {
    pub job: &'a Job,
    pub view: &'a View,
    pub topics: &'a ScopeTopics<'a>,
    pub tokens: &'a Arc<TokenCache>,
    pub extracts: &'a ExtractCache,
}

impl<'a> BundleBuilder<'a> {
    /// # Errors
    ///
    /// [`Error::Unknown`] for a model or encoding, [`Error::Usage`] for a percentage without a
    /// window.
    pub fn new(
        sources: &'a SourceMap,
        contexts: &'a ContextSet,
        config: &'a Config,
        BuilderInput { job, view, topics, tokens, extracts }: BuilderInput<'a>,
    ) -> Result<Self, Error> {
        let ModelCounter { counter, model, window } =
            ModelCounter::new(config, job.model.as_deref(), tokens)?;
        let budget = job.budget.map(|budget| in_tokens(budget, window)).transpose()?;
        // The answer counts towards the model's window.
        let prompt_limit = window.map_or(u64::MAX, |window| {
            window.saturating_sub(config.budget.limits(Some(window), None).response)
        });
        let mut limits =
            config.budget.limits(window, budget.map(|budget| budget.min(prompt_limit)));
        limits.limit = limits.limit.min(prompt_limit);
        let mut builder = Self {
            sources,
            contexts,
            config,
            job,
            view,
            extracts,
            counter,
            model,
            limits,
            window,
            answers: Answers::new(),
            topics,
            triggers: None,
            history: None,
            materials: Vec::new(),
            recaps: BTreeMap::new(),
            prompts: Arc::default(),
            catalog_lines: Arc::default(),
        };
        if job.parts.has(BundlePart::History) {
            builder.history = builder.read_history(&job.history).map(Arc::new);
        }
        builder.materials = builder.materials();
        Ok(builder)
    }

    #[must_use]
    pub(crate) fn with_triggers(self, triggers: &'a RequestTriggers) -> Self {
        Self { triggers: Some(triggers), ..self }
    }

    pub(super) fn with_budget(&self, budget: usize) -> Self {
        let limits = self.config.budget.limits(self.window, Some(budget as u64));
        Self { limits, ..self.clone() }
    }

    pub(crate) fn run(&self, read: &Read, listing: &Listing<'_>) -> Result<Bundle, Error> {
        let would_do = |budget: &usize| {
            self.with_budget(*budget).try_stages(read, listing, |_, _, _| ()).is_ok()
        };
        let finish = |composed: PackedBundle<'_>, selection: &Selection, attempt: Attempt<'_>| {
            finish::finish(self, composed, selection, attempt)
        };
        self.try_stages(read, listing, finish)
            .map_err(|short| refuse::too_small(self, &short, would_do))
    }

    /// Calls `done` on the first stage that fits, or returns the excess.
    pub(super) fn try_stages<T>(
        &self,
        read: &Read,
        listing: &Listing<'_>,
        done: impl Fn(PackedBundle<'_>, &Selection, Attempt<'_>) -> T,
    ) -> Result<T, Box<OverBudget<'a>>> {
        let extended = upfront::extended(self, read, listing);
        let extended = extended.as_ref().map(|selection| self.listing(selection));
        let listing = extended.as_ref().unwrap_or(listing);
        let selection = listing.selection;
        let mut items = self.items(selection);
        let kept = self.kept(read, &items, selection);
        let DegradationPlan { fired, mut stages } =
            self.degradation_plan(&self.fixed(read, &items, &kept), &items);
        let attempt = |stage| Attempt { stage, fired: &fired };
        let last = stages.pop().expect("there is always a way to try");
        for stage in stages {
            match self.compose_stage(read, listing, items, attempt(stage)) {
                Ok(composed) => return Ok(done(composed, selection, attempt(stage))),
                Err(_) => items = self.items(selection),
            }
        }
        let composed = self.compose_stage(read, listing, items, attempt(last))?;
        Ok(done(composed, selection, attempt(last)))
    }

    fn offer_in_stage<'t>(
        &self,
        fixed: &mut Scaffold,
        items: &mut [BundleItem<'_>],
        listing: &Listing<'_>,
        attempt: Attempt<'t>,
    ) -> Attempt<'t> {
        self.offer(items, fixed, listing);
        items::bind(items, attempt.stage);
        self.make_history_fit(fixed, items, listing, attempt)
    }

    fn compose_stage(
        &self,
        read: &Read,
        listing: &Listing<'_>,
        mut items: Vec<BundleItem<'a>>,
        attempt: Attempt<'_>,
    ) -> Result<PackedBundle<'a>, Box<OverBudget<'a>>> {
        let (stage, selection) = (attempt.stage, listing.selection);
        let limit = tokens(self.limits.limit);
        let mut kept = self.kept(read, &items, selection);
        let history_block = self.history_block_at(attempt);
        let mut fixed = self.fixed(read, &items, &kept).with_history(history_block);
        let attempt = self.offer_in_stage(&mut fixed, &mut items, listing, attempt);
        let history_block = fixed.history.clone();
        let around = |items: &[BundleItem<'_>], kept: &KeptDirectives| {
            self.fixed(read, items, kept).with_history(history_block.clone())
        };
        self.fit_material(&mut fixed, &items, listing, stage);
        // The frame of a message is counted only with the total.
        let room = limit.saturating_sub(self.counter.frame());
        let (mut allowed, mut retries) = (room, 0);
        // Directives that are only preferred must not make the bundle fail.
        let (mut fallback, mut prefers_all) = (None, true);
        loop {
            let Ok(mut draft) = self.pack(&items, &fixed, listing, allowed) else {
                if let Some(before) = fallback.take() {
                    (kept, prefers_all) = (before, false);
                    (fixed, allowed, retries) = (around(&items, &kept), room, 0);
                    self.fit_material(&mut fixed, &items, listing, stage);
                    continue;
                }
                let least: usize = items.iter().map(|item| item.candidate.least()).sum();
                let excess = (fixed.tokens() + least).saturating_sub(allowed).max(1);
                if stage.shortens_material() && self.shorten_material(&mut fixed, excess) {
                    (allowed, retries) = (room, 0);
                    continue;
                }
                if self.is_last(stage) && self.make_room(&mut items) {
                    (fixed, allowed, retries) = (around(&items, &kept), room, 0);
                    self.fit_material(&mut fixed, &items, listing, stage);
                    continue;
                }
                return Err(Box::new(OverBudget { fixed, items }));
            };
            if self.move_pins(&mut items, &draft) {
                fixed = around(&items, &kept);
                self.fit_material(&mut fixed, &items, listing, stage);
                continue;
            }
            draft.total = self.measure(&draft);
            if draft.total <= limit {
                let more = match self.settle(read, &items, &mut draft, &kept) {
                    DirectiveOutcome::Done => None,
                    DirectiveOutcome::Need(more) => Some(more),
                    DirectiveOutcome::Miss(more) => {
                        let before = fallback.as_ref().unwrap_or(&kept);
                        let all = self.preferred(read, before, kept.with(&more));
                        let all = all.filter(|_| prefers_all);
                        if all.is_some() {
                            fallback.get_or_insert_with(|| kept.clone());
                        } else {
                            self.restore_some(read, &mut draft, &kept, &more);
                        }
                        all
                    }
                };
                if let Some(more) = more {
                    kept = more;
                    fixed = around(&items, &kept);
                    continue;
                }
                self.more_material(&mut draft, &mut fixed);
                self.extend_history(&mut draft, &mut fixed.history, attempt);
                self.extend_cut(&mut draft, &mut items, &selection.passages);
                if self.job.trace {
                    self.shorten(&mut items, true, &selection.passages);
                }
                return Ok(PackedBundle { draft, items, history: fixed.history });
            }
            self.shorten(&mut items, true, &selection.passages);
            items::bind(&mut items, stage);
            // Cutting the whole excess could skip a better packing.
            let next = draft.tokens().min(allowed).saturating_sub(1);
            allowed = if retries < BOUNDARY_RETRIES {
                next
            } else {
                next.min(allowed.saturating_sub(draft.total - limit))
            };
            retries += 1;
        }
    }
}
