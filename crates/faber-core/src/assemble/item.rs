//! A selected context on its way into a bundle.

use std::collections::BTreeSet;

use crate::assemble::builder::{BundleBuilder, BundleDraft};
use crate::assemble::degradation::Stage;
use crate::assemble::offers::{self, Rendition};
use crate::budget::pack::Candidate;
use crate::category::Category;
use crate::config::Config;
use crate::context_id::ContextId;
use crate::layer::LayerKind;
use crate::select::reason::ReasonKind;
use crate::select::selection::{BundleGroup, Selected, Selection, emission_key};

const PRECEDENCE: &str =
    "Where these texts and those of the project or role conflict, these take precedence.";

pub(super) struct BundleItem<'a> {
    pub(super) selected: Selected,
    pub(super) placed: Selected,
    pub(super) stable: bool,
    pub(super) lasting: bool,
    pub(super) barred: bool,
    pub(super) relevance: f64,
    pub(super) offered: Rendition<'a>,
    pub(super) candidate: Candidate,
}

impl BundleItem<'_> {
    fn is_pin(&self) -> bool {
        let required = self.offered.renderer.context.front.fields.required;
        self.selected.has(ReasonKind::Pinned) && !required
    }

    pub(super) fn is_optional(&self) -> bool {
        !self.candidate.must && !self.is_pin()
    }

    pub(super) fn place(&mut self, stable: bool, config: &Config) {
        let lasting = self.selected.stable_part(self.offered.renderer.context);
        let lasting = lasting.filter(|_| stable);
        self.stable = lasting.is_some();
        self.placed = lasting.unwrap_or_else(|| self.selected.clone());
        self.weigh(config);
    }

    pub(super) fn weigh(&mut self, config: &Config) {
        let relevance = if self.stable { 0.0 } else { self.relevance };
        self.candidate = offers::candidate(&self.placed, &self.offered, relevance, config);
    }

    pub(super) fn is_named(&self) -> bool {
        self.placed.reasons.iter().any(|reason| {
            matches!(
                reason.kind,
                ReasonKind::Task
                    | ReasonKind::Prompt
                    | ReasonKind::Platform
                    | ReasonKind::Keyword
                    | ReasonKind::Error
            )
        }) || self.is_of_place()
    }

    fn is_of_place(&self) -> bool {
        self.placed.reasons.iter().any(|reason| reason.named_parts > 0)
    }

    pub(super) fn rules_place(&self) -> bool {
        self.is_of_place() && self.placed.id.category == Category::Standard
    }

    pub(super) fn is_last(&self) -> bool {
        self.placed.reasons.iter().all(|reason| reason.is_guess)
    }

    pub(super) fn always_loads(&self) -> bool {
        self.placed.has(ReasonKind::Always) || self.placed.has(ReasonKind::Custom)
    }
}

/// Under the organization's heading, if project or role write about the same subject.
pub(super) fn precedence(
    items: &[BundleItem<'_>],
    group: BundleGroup,
    stable: bool,
) -> Option<&'static str> {
    if group != BundleGroup::Organization {
        return None;
    }
    let taken = || items.iter().filter(|item| !item.barred && (item.stable || !stable));
    let is_base = |item: &&BundleItem<'_>| {
        matches!(item.offered.renderer.context.base, LayerKind::Project | LayerKind::Role)
    };
    let base: Vec<&ContextId> = taken().filter(is_base).map(|item| &item.placed.id).collect();
    let own = taken().filter(|item| item.placed.group == group).map(|item| &item.placed.id);
    let conflict = |own: &ContextId| base.iter().any(|base| is_same_subject(own, base));
    own.into_iter().any(conflict).then_some(PRECEDENCE)
}

fn is_same_subject(a: &ContextId, b: &ContextId) -> bool {
    let words = |id: &ContextId| -> BTreeSet<String> {
        id.name.split(['-', '_', '/', '.']).map(str::to_lowercase).collect()
    };
    a.category == b.category
        && (a.category == Category::Standard || !words(a).is_disjoint(&words(b)))
}

pub(super) fn in_order(items: &mut [BundleItem<'_>]) {
    items.sort_by_cached_key(|item| {
        (!item.stable, emission_key(&item.placed, item.offered.renderer.context))
    });
}

impl<'a> BundleBuilder<'a> {
    pub(super) fn items(&self, selection: &Selection) -> Vec<BundleItem<'a>> {
        let whole =
            offers::whole(&selection.selected, self.contexts, |context| self.renderer(context));
        let is_asked = selection.relevance.values().any(|relevance| relevance.score > 0.0);
        let items = selection.selected.iter().zip(whole).map(|(selected, offered)| {
            let lasting = selected.stable_part(offered.renderer.context);
            let is_lasting = lasting.is_some();
            let stable = is_lasting && self.has_stable_part();
            let placed = lasting.filter(|_| stable).unwrap_or_else(|| selected.clone());
            let relevance = if is_asked {
                selection.relevance(&selected.id)
            } else {
                offers::unasked_relevance(offered.renderer.context)
            };
            let known = if stable { 0.0 } else { relevance };
            let candidate = offers::candidate(&placed, &offered, known, self.config);
            let selected = selected.clone();
            let (lasting, barred) = (is_lasting, false);
            BundleItem { selected, placed, stable, lasting, barred, relevance, offered, candidate }
        });
        let mut items: Vec<BundleItem<'a>> = items.collect();
        in_order(&mut items);
        items
    }

    /// [`Self::make_room`] moves them back only once.
    pub(super) fn move_pins(&self, items: &mut [BundleItem<'_>], draft: &BundleDraft) -> bool {
        let mut moved = false;
        for (item, taken) in items.iter_mut().zip(&draft.taken) {
            if item.stable && item.is_pin() && taken.is_none() {
                item.place(false, self.config);
                moved = true;
            }
        }
        if moved {
            in_order(items);
        }
        moved
    }

    /// Excludes optional contexts and moves pins into the stable part, where they can be truncated;
    /// then moves them after it.
    pub(super) fn make_room(&self, items: &mut [BundleItem<'_>]) -> bool {
        let mut changed = false;
        for item in items.iter_mut().filter(|item| item.is_optional() && !item.barred) {
            (item.barred, changed) = (true, true);
        }
        let stable = changed && self.has_stable_part();
        let mut moved = false;
        for item in items.iter_mut().filter(|item| item.is_pin() && item.stable != stable) {
            item.place(stable, self.config);
            moved = true;
        }
        in_order(items);
        changed || moved
    }
}

pub(super) fn bind(items: &mut [BundleItem<'_>], stage: Stage) {
    for item in items.iter_mut().filter(|item| !item.barred) {
        stage.bind(&mut item.candidate);
    }
}
