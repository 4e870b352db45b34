//! Composes a bundle within its budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::assemble::builder::{
    Answers, BOUNDARY_RETRIES, BundleBuilder, BundleDraft, OverBudget, Scaffold, tokens,
};
use crate::assemble::bundle::{self, Bundle, PackedBundle};
use crate::assemble::counter::{ModelCounter, in_tokens};
use crate::assemble::degradation::{Attempt, DegradationPlan};
use crate::assemble::directives::{DirectiveOutcome, KeptDirectives};
use crate::assemble::history::HistoryFit;
use crate::assemble::item::{self, BundleItem};
use crate::assemble::job::{BundlePart, Job};
use crate::assemble::listing::{Listing, RequestTriggers, ScopeTopics};
use crate::assemble::resolved::Read;
use crate::assemble::{offers, shortfall};
use crate::budget::extract_cache::ExtractCache;
use crate::budget::pack::Offer;
use crate::category::{Category, Load};
use crate::config::{Config, Upfront};
use crate::context_id::ContextId;
use crate::error::Error;
use crate::resolve::catalog::{Context, ContextSet};
use crate::resolve::view::View;
use crate::select::choose::load_of;
use crate::select::reason::{Reason, ReasonKind};
use crate::select::selection::{Selected, Selection, emission_key, group};
use crate::source::SourceMap;
use crate::tokens::TokenCache;

const AT_ONCE: usize = 64;

#[derive(Clone, Copy)]
pub struct BuilderInput<'a> {
    pub job: &'a Job,
    pub view: &'a View,
    pub topics: &'a ScopeTopics<'a>,
    pub tokens: &'a Arc<TokenCache>,
    pub extracts: &'a ExtractCache,
}

struct DirectiveState {
    kept: KeptDirectives,
    fallback: Fallback,
}

/// Preferred directives must not make the bundle fail or shorten contexts.
enum Fallback {
    None,
    Open { kept: KeptDirectives, values: Vec<u32> },
    Used,
}

impl DirectiveState {
    fn accepts(&self, draft: &BundleDraft) -> bool {
        let Fallback::Open { values: before, .. } = &self.fallback else { return true };
        values(draft).zip(before).all(|(value, before)| value >= *before)
    }

    fn fall_back(&mut self) -> bool {
        let Fallback::Open { kept, .. } = &mut self.fallback else { return false };
        self.kept = std::mem::take(kept);
        self.fallback = Fallback::Used;
        true
    }
}

fn values(draft: &BundleDraft) -> impl Iterator<Item = u32> + '_ {
    draft.taken.iter().map(|taken| taken.map_or(0, |offer| offer.value))
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
        let finish =
            |mut composed: PackedBundle<'_>, selection: &Selection, attempt: Attempt<'_>| {
                self.extend_cut(&mut composed.draft, &mut composed.items, &selection.passages);
                bundle::finish(self, composed, selection, attempt)
            };
        self.try_stages(read, listing, finish)
            .map_err(|short| shortfall::too_small(self, &short, would_do))
    }

    pub(super) fn try_stages<T>(
        &self,
        read: &Read,
        listing: &Listing<'_>,
        done: impl Fn(PackedBundle<'_>, &Selection, Attempt<'_>) -> T,
    ) -> Result<T, Box<OverBudget<'a>>> {
        let extended = extended(self, read, listing);
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
            match self.compose(read, listing, items, attempt(stage)) {
                Ok(composed) => return Ok(done(composed, selection, attempt(stage))),
                Err(_) => items = self.items(selection),
            }
        }
        let composed = self.compose(read, listing, items, attempt(last))?;
        Ok(done(composed, selection, attempt(last)))
    }

    /// Contexts that come last join only if that shortens nothing else.
    fn compose(
        &self,
        read: &Read,
        listing: &Listing<'_>,
        mut items: Vec<BundleItem<'a>>,
        attempt: Attempt<'_>,
    ) -> Result<PackedBundle<'a>, Box<OverBudget<'a>>> {
        if !items.iter().any(BundleItem::is_last) {
            return self.compose_stage(read, listing, items, attempt);
        }
        for item in items.iter_mut().filter(|item| item.is_last()) {
            item.barred = true;
        }
        let without = self.compose_stage(read, listing, items, attempt)?;
        let is_whole = |(item, taken): (&BundleItem<'_>, &Option<Offer>)| {
            item.is_last() || taken.is_some_and(|it| it.value >= item.candidate.offers[0].value)
        };
        let is_complete =
            |bundle: &PackedBundle<'_>| bundle.items.iter().zip(&bundle.draft.taken).all(is_whole);
        let others = |bundle: &PackedBundle<'_>| {
            let material = self.material_figures(&bundle.draft.blocks);
            bundle.history.tokens() + material.iter().map(|one| one.tokens).sum::<usize>()
        };
        if is_complete(&without)
            && let Ok(with) =
                self.compose_stage(read, listing, self.items(listing.selection), attempt)
            && is_complete(&with)
            && others(&with) >= others(&without)
        {
            return Ok(with);
        }
        Ok(without)
    }

    fn offer_in_stage<'t>(
        &self,
        fixed: &mut Scaffold,
        items: &mut [BundleItem<'_>],
        listing: &Listing<'_>,
        attempt: Attempt<'t>,
    ) -> Attempt<'t> {
        self.offer(items, fixed, listing);
        item::bind(items, attempt.stage);
        self.make_history_fit(fixed, items, listing, attempt)
    }

    /// Keeps unfulfilled directives without room in `draft`; false if there are none.
    fn keep_more(
        &self,
        read: &Read,
        items: &[BundleItem<'_>],
        draft: &mut BundleDraft,
        directives: &mut DirectiveState,
    ) -> bool {
        let DirectiveState { kept, fallback } = directives;
        let more = match self.settle(read, items, draft, kept) {
            DirectiveOutcome::Done => return false,
            DirectiveOutcome::Need(more) => {
                *kept = more;
                return true;
            }
            DirectiveOutcome::Miss(more) => more,
        };
        let before = match fallback {
            Fallback::None => Some(&*kept),
            Fallback::Open { kept, .. } => Some(&*kept),
            Fallback::Used => None,
        };
        let all = before.and_then(|before| self.preferred(read, before, kept.with(&more)));
        let Some(all) = all else {
            self.restore_some(read, draft, kept, &more);
            return false;
        };
        let before = std::mem::replace(kept, all);
        if matches!(fallback, Fallback::None) {
            *fallback = Fallback::Open { kept: before, values: values(draft).collect() };
        }
        true
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
        let kept = self.kept(read, &items, selection);
        let own = tokens(self.limits.history.min(self.limits.limit));
        let history_block = self.history_block(stage.history_fit(own), attempt.fired);
        let mut fixed = self.fixed(read, &items, &kept).with_history(history_block);
        let attempt = self.offer_in_stage(&mut fixed, &mut items, listing, attempt);
        let history_block = fixed.history.clone();
        let around = |items: &[BundleItem<'_>], kept: &KeptDirectives| {
            let mut fixed = self.fixed(read, items, kept).with_history(history_block.clone());
            self.fit_material(&mut fixed, items, listing, stage);
            fixed
        };
        self.fit_material(&mut fixed, &items, listing, stage);
        let room = limit.saturating_sub(self.counter.frame());
        let (mut allowed, mut retries) = (room, 0);
        let mut directives = DirectiveState { kept, fallback: Fallback::None };
        loop {
            let packed = self.pack(&items, &fixed, listing, allowed).ok();
            let Some(mut draft) = packed.filter(|draft| directives.accepts(draft)) else {
                if directives.fall_back() {
                    (fixed, allowed, retries) = (around(&items, &directives.kept), room, 0);
                    continue;
                }
                let least: usize = items.iter().map(|item| item.candidate.least()).sum();
                let excess = (fixed.tokens() + least).saturating_sub(allowed).max(1);
                if stage.shortens_material() && self.shorten_material(&mut fixed, excess) {
                    (allowed, retries) = (room, 0);
                    continue;
                }
                if self.is_last(stage) && self.make_room(&mut items) {
                    (fixed, allowed, retries) = (around(&items, &directives.kept), room, 0);
                    continue;
                }
                return Err(Box::new(OverBudget { fixed, items }));
            };
            if self.move_pins(&mut items, &draft) {
                fixed = around(&items, &directives.kept);
                continue;
            }
            draft.total = self.measure(&draft);
            if draft.total <= limit {
                if self.keep_more(read, &items, &mut draft, &mut directives) {
                    self.shorten(&mut items, true, &selection.passages);
                    item::bind(&mut items, stage);
                    (fixed, allowed, retries) = (around(&items, &directives.kept), room, 0);
                    continue;
                }
                self.more_material(&mut draft, &mut fixed);
                self.extend_history(&mut draft, &mut fixed.history, attempt);
                if self.job.trace {
                    self.shorten(&mut items, true, &selection.passages);
                }
                return Ok(PackedBundle { draft, items, history: fixed.history });
            }
            self.shorten(&mut items, true, &selection.passages);
            item::bind(&mut items, stage);
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

fn extended(builder: &BundleBuilder<'_>, read: &Read, listing: &Listing<'_>) -> Option<Selection> {
    if builder.config.selection.upfront != Upfront::Auto {
        return None;
    }
    let everything = with_everything(builder, listing.selection);
    let limit = builder.config.selection.hybrid_threshold.min(builder.limits.limit);
    if !is_within(builder, &everything, tokens(limit)) {
        return None;
    }
    let items = builder.items(&everything);
    let kept = builder.kept(read, &items, &everything);
    let fixed = builder
        .fixed(read, &items, &kept)
        .with_history(builder.history_block(HistoryFit::ALL, &[]));
    let fits = builder.fits_whole(&items, &fixed, &builder.listing(&everything));
    fits.then_some(everything)
}

fn is_eligible(context: &Context) -> bool {
    let by_load =
        matches!(load_of(context), Load::OnDemand | Load::Keyword | Load::Error | Load::Files);
    by_load && context.id.category != Category::Platform
}

fn with_everything(builder: &BundleBuilder<'_>, selection: &Selection) -> Selection {
    let (more, catalogued): (Vec<ContextId>, Vec<ContextId>) =
        selection.catalogued.iter().cloned().partition(|id| is_eligible(builder.context(id)));
    let reason = Reason::new(ReasonKind::Always, "selection.upfront: auto");
    let reasons = vec![Reason { stable: false, ..reason }];
    let mut selected = selection.selected.clone();
    selected.extend(more.into_iter().map(|id| {
        let group = group(builder.context(&id), &reasons);
        Selected { id, reasons: reasons.clone(), group }
    }));
    selected.sort_by_cached_key(|one| emission_key(one, builder.context(&one.id)));
    Selection { selected, catalogued, suggested: Vec::new(), ..selection.clone() }
}

fn is_within(builder: &BundleBuilder<'_>, selection: &Selection, limit: usize) -> bool {
    let mut total: usize = 0;
    selection.selected.chunks(AT_ONCE).all(|chunk| {
        let whole = offers::whole(chunk, builder.contexts, |context| builder.renderer(context));
        total += whole.iter().map(|offered| offered.full().tokens).sum::<usize>();
        total <= limit
    })
}
