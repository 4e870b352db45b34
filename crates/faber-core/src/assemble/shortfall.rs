//! Texts not in full, and a budget that holds them.

use std::collections::BTreeSet;

use crate::assemble::builder::{BundleBuilder, tokens};
use crate::assemble::bundle::Bundle;
use crate::assemble::figures::{Degraded, MaterialFigures};
use crate::assemble::finish::PackedBundle;
use crate::assemble::item::BundleItem;
use crate::assemble::listing::Listing;
use crate::assemble::resolved::Read;
use crate::assemble::stage::Attempt;
use crate::budget::level::Level;
use crate::budget::pack::Offer;
use crate::context_id::ContextId;
use crate::select::reason::ReasonKind;
use crate::select::selection::{Selected, Selection};

const STEP: usize = 100;
const TRIES: usize = 13;
const NAMED: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    pub shortened: Vec<ContextId>,
    pub left_out: Vec<ContextId>,
    pub selected: usize,
    pub material: Vec<String>,
    pub is_capped: bool,
    /// `None` if the model's window is too small.
    pub sufficient_budget: Option<usize>,
}

pub(crate) fn shortfall(
    builder: &BundleBuilder<'_>,
    read: &Read,
    listing: &Listing<'_>,
    bundle: &Bundle,
) -> Option<Shortfall> {
    let selected = &listing.selection.selected;
    let missing = Missing::of(bundle);
    let is_related = |one: &Selected| one.reasons.iter().all(|it| it.kind == ReasonKind::Related);
    let related: BTreeSet<&ContextId> =
        selected.iter().filter(|one| is_related(one)).map(|one| &one.id).collect();
    if missing.material.is_empty() && missing.contexts.iter().all(|it| related.contains(&it.id)) {
        return None;
    }
    let (shortened, left_out): (Vec<&Degraded>, Vec<_>) =
        missing.contexts.iter().partition(|one| is_included(one.to));
    let ids = |all: Vec<&Degraded>| all.into_iter().map(|one| one.id.clone()).collect();
    Some(Shortfall {
        shortened: ids(shortened),
        left_out: ids(left_out),
        selected: selected.len(),
        material: missing.material.iter().map(|one| one.name.clone()).collect(),
        is_capped: missing.contexts.iter().any(|one| one.over_cap > 0),
        sufficient_budget: sufficient_budget(
            builder,
            read,
            listing,
            bundle.figures.summary.total_used + missing.tokens(),
        ),
    })
}

fn is_included(level: Level) -> bool {
    !matches!(level, Level::Catalog | Level::Dropped)
}

struct Missing<'a> {
    contexts: Vec<&'a Degraded>,
    material: Vec<&'a MaterialFigures>,
}

impl<'a> Missing<'a> {
    fn of(bundle: &'a Bundle) -> Self {
        let degraded = bundle.figures.degraded.iter();
        let material = bundle.figures.material.iter();
        let mut contexts: Vec<&Degraded> = degraded.filter(|one| missing_tokens(one) > 0).collect();
        let relevance = |one: &Degraded| bundle.relevance.get(&one.id).copied().unwrap_or(0.0);
        contexts.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)));
        Self { contexts, material: material.filter(|one| one.tokens < one.full_tokens).collect() }
    }

    fn tokens(&self) -> usize {
        let contexts = self.contexts.iter().map(|one| missing_tokens(one));
        let material = self.material.iter().map(|one| one.full_tokens - one.tokens);
        contexts.chain(material).sum()
    }
}

fn missing_tokens(degraded: &Degraded) -> usize {
    degraded.tokens_saved.saturating_sub(degraded.over_cap)
}

/// Tries growing budgets, as other contexts also use more room.
fn sufficient_budget(
    builder: &BundleBuilder<'_>,
    read: &Read,
    listing: &Listing<'_>,
    least: usize,
) -> Option<usize> {
    let max_budget =
        builder.window.map(|window| tokens(window.saturating_sub(builder.limits.response)));
    let budgets = (0..TRIES).map(|n| (least + least * n * n / 16).next_multiple_of(STEP));
    let mut budgets = budgets.take_while(|budget| max_budget.is_none_or(|most| *budget <= most));
    budgets.find(|budget| {
        let is_complete = |composed: PackedBundle<'_>, _: &Selection, _: Attempt<'_>| {
            let mut taken = composed.items.iter().zip(&composed.draft.taken);
            let is_whole = |(item, taken): (&BundleItem<'_>, &Option<Offer>)| {
                let best = item.candidate.offers[0].value;
                taken.is_some_and(|offer| offer.value >= best)
            };
            let material = builder.material_figures(&composed.draft.blocks);
            taken.all(is_whole) && material.iter().all(|one| one.tokens >= one.full_tokens)
        };
        let other = builder.with_budget(*budget);
        other.try_stages(read, listing, is_complete).is_ok_and(|is_complete| is_complete)
    })
}

impl std::fmt::Display for Shortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        let what = match (self.shortened.len(), self.left_out.len()) {
            (0, 0) => None,
            (_, 0) => Some("shortened"),
            (0, _) => Some("left out"),
            _ => Some("shortened or left out"),
        };
        if let Some(what) = what {
            let all: Vec<&ContextId> = self.left_out.iter().chain(&self.shortened).collect();
            let names: Vec<String> = all.iter().take(NAMED).map(ToString::to_string).collect();
            let more = if all.len() > NAMED { ", …" } else { "" };
            let (count, of, names) = (all.len(), self.selected, names.join(", "));
            parts.push(format!("{count} of {of} selected contexts {what} ({names}{more})"));
        }
        if !self.material.is_empty() {
            parts.push(format!("{} shortened", self.material.join(", ")));
        }
        let count = self.left_out.len() + self.shortened.len() + self.material.len();
        let (subject, object) = if count == 1 { ("it does", "it") } else { ("they do", "them") };
        let extent = match (self.is_capped, count) {
            (false, _) => "in full",
            (true, 1) => "up to its `max_tokens`",
            (true, _) => "in full or up to `max_tokens`",
        };
        parts.push(match self.sufficient_budget {
            Some(budget) => format!("`--budget {budget}` includes {object} {extent}"),
            None => format!("{subject} not fit the model's window {extent}"),
        });
        f.write_str(&parts.join("; "))
    }
}
