//! Texts that are not in full, and a budget that holds them.

use std::collections::BTreeSet;

use crate::assemble::builder::{BundleBuilder, OverBudget, Scaffold, tokens};
use crate::assemble::bundle::{Bundle, PackedBundle};
use crate::assemble::degradation::Attempt;
use crate::assemble::figures::{Degraded, MaterialFigures};
use crate::assemble::item::BundleItem;
use crate::assemble::listing::Listing;
use crate::assemble::resolved::Read;
use crate::budget::level::Level;
use crate::budget::pack::Offer;
use crate::context_id::ContextId;
use crate::error::Error;
use crate::numbers::grouped;
use crate::render::block::BundleBlockKind;
use crate::select::reason::ReasonKind;
use crate::select::selection::{Selected, Selection};

const STEP: usize = 100;
const BUDGETS: usize = 13;
const NAMED: usize = 3;
const TRIES: u32 = 20;
/// The budget is too large by at most this part.
const PRECISION: usize = 1000;

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
    let degraded = bundle.figures.degraded.iter();
    let mut missing: Vec<&Degraded> = degraded.filter(|one| missing_tokens(one) > 0).collect();
    let relevance = |one: &Degraded| bundle.relevance.get(&one.id).copied().unwrap_or(0.0);
    missing.sort_by(|a, b| relevance(b).total_cmp(&relevance(a)));
    let material = bundle.figures.material.iter().filter(|one| one.tokens < one.full_tokens);
    let material: Vec<&MaterialFigures> = material.collect();
    let is_related = |one: &Selected| one.reasons.iter().all(|it| it.kind == ReasonKind::Related);
    let related: BTreeSet<&ContextId> =
        selected.iter().filter(|one| is_related(one)).map(|one| &one.id).collect();
    if material.is_empty() && missing.iter().all(|it| related.contains(&it.id)) {
        return None;
    }
    let (shortened, left_out): (Vec<&Degraded>, Vec<_>) =
        missing.iter().partition(|one| is_included(one.to));
    let of_contexts = missing.iter().map(|one| missing_tokens(one));
    let of_material = material.iter().map(|one| one.full_tokens - one.tokens);
    let least = bundle.figures.summary.total_used + of_contexts.chain(of_material).sum::<usize>();
    let ids = |all: Vec<&Degraded>| all.into_iter().map(|one| one.id.clone()).collect();
    Some(Shortfall {
        shortened: ids(shortened),
        left_out: ids(left_out),
        selected: selected.len(),
        material: material.iter().map(|one| one.name.clone()).collect(),
        is_capped: missing.iter().any(|one| one.over_cap > 0),
        sufficient_budget: sufficient_budget(builder, read, listing, least),
    })
}

fn is_included(level: Level) -> bool {
    !matches!(level, Level::Catalog | Level::Dropped)
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
    let budgets = (0..BUDGETS).map(|n| (least + least * n * n / 16).next_multiple_of(STEP));
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

pub(super) fn too_small(
    builder: &BundleBuilder<'_>,
    OverBudget { fixed, items }: &OverBudget<'_>,
    would_do: impl Fn(&usize) -> bool,
) -> Error {
    let limit = tokens(builder.limits.limit);
    let parts = fixed.tokens() + items.iter().map(|item| item.candidate.least()).sum::<usize>();
    // Section limits depend on the budget.
    let least = parts.max(limit + 1);
    let mut tries = (0..TRIES).map(|n| least + (1 << n) - 1);
    let mut needed = tries.find(&would_do).unwrap_or(least + (1 << TRIES));
    let mut low = limit + 1;
    while needed - low > needed / PRECISION {
        let middle = low.midpoint(needed);
        if would_do(&middle) { needed = middle } else { low = middle + 1 }
    }
    let pieces = format!("largest required parts: {}", largest(fixed, items));
    let response = builder.limits.response;
    let window = builder.window.filter(|window| needed > tokens(window.saturating_sub(response)));
    let help = match (window, &builder.model) {
        (Some(window), Some(model)) => format!(
            "{pieces}; the window of `{model}` has {} tokens, of which {} are reserved for the \
             answer: lower `budget.response` or take another model",
            grouped(tokens(window)),
            grouped(tokens(response))
        ),
        _ => format!("{pieces}; raise the budget to at least {needed}"),
    };
    Error::Budget { limit, needed, help }
}

fn largest(fixed: &Scaffold, items: &[BundleItem<'_>]) -> String {
    let mut pieces: Vec<(usize, String)> = Vec::new();
    for block in fixed.blocks() {
        let name = match block.kind {
            BundleBlockKind::Prompt => "the role's prompt",
            BundleBlockKind::Instruction => "the task or flow",
            BundleBlockKind::Input => "an input",
            BundleBlockKind::Error => "the error text",
            BundleBlockKind::Request => "the request",
            BundleBlockKind::Message(_) => "a message that must be kept",
            _ => continue,
        };
        pieces.push((block.tokens, name.to_owned()));
    }
    let required = items.iter().filter(|item| item.candidate.must);
    pieces.extend(required.map(|item| (item.candidate.least(), item.selected.id.to_string())));
    pieces.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names = pieces.iter().take(5).map(|(tokens, name)| format!("{name} ({tokens})"));
    names.collect::<Vec<_>>().join(", ")
}
