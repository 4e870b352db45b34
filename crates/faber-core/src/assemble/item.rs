//! A selected context on its way into a bundle.

use std::collections::BTreeSet;

use crate::assemble::offers::{self, Rendition};
use crate::budget::pack::Candidate;
use crate::category::Category;
use crate::config::Config;
use crate::context_id::ContextId;
use crate::layer::LayerKind;
use crate::select::reason::ReasonKind;
use crate::select::selection::{BundleGroup, Selected, emission_key};

const PRECEDENCE: &str =
    "Where these texts and those of the project or role conflict, these take precedence.";

pub(super) struct BundleItem<'a> {
    pub(super) selected: Selected,
    /// Without request-dependent reasons in the stable part.
    pub(super) placed: Selected,
    pub(super) stable: bool,
    pub(super) lasting: bool,
    pub(super) barred: bool,
    pub(super) relevance: f64,
    pub(super) offered: Rendition<'a>,
    pub(super) candidate: Candidate,
}

impl BundleItem<'_> {
    pub(super) fn is_pin(&self) -> bool {
        let required = self.offered.renderer.context().front.fields.required;
        self.selected.has(ReasonKind::Pinned) && !required
    }

    pub(super) fn is_optional(&self) -> bool {
        !self.candidate.must && !self.is_pin()
    }

    pub(super) fn place(&mut self, stable: bool, config: &Config) {
        let lasting = self.selected.stable_part(self.offered.renderer.context());
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

    /// Only standards are rules for a file; globs of others say where they are useful.
    pub(super) fn rules_place(&self) -> bool {
        self.is_of_place() && self.placed.id.category == Category::Standard
    }

    /// Related only to contexts that resemble the request: gets what others leave.
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
        matches!(item.offered.renderer.context().base, LayerKind::Project | LayerKind::Role)
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
        (!item.stable, emission_key(&item.placed, item.offered.renderer.context()))
    });
}
