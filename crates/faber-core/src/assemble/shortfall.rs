//! What a request brought or selected and its bundle does not have whole, and the budget that would
//! hold it.

use std::collections::BTreeSet;

use crate::assemble::Read;
use crate::assemble::compose::{Compose, tokens};
use crate::assemble::figures::Degraded;
use crate::assemble::finish::Composed;
use crate::assemble::history::Extent;
use crate::budget::level::Level;
use crate::document::ContextId;
use crate::select::reason::ReasonKind;
use crate::select::selection::Selection;

/// Budgets are proposed in steps of so many tokens.
const STEP: usize = 100;
/// How many budgets are tried, each further above the sum of the parts than the last.
const TRIES: u32 = 12;
/// The most names in a message.
const NAMED: usize = 3;

/// What to find out when something does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advice {
    /// Nothing.
    #[default]
    None,
    /// The budget that would hold everything, for which all of it is packed again.
    Budget,
}

/// What a bundle does not have whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// Contexts that the request selected and that are shortened.
    pub shortened: Vec<ContextId>,
    /// Contexts that the request selected and that are left out.
    pub left_out: Vec<ContextId>,
    /// How many contexts the request selected.
    pub selected: usize,
    /// Names of inputs that are shortened, and `error text`.
    pub material: Vec<String>,
    /// The budget that would hold everything; none when the model's window is too small.
    pub holds: Option<usize>,
}

/// What `bundle` does not have whole, of what the request brought or selected.
pub fn shortfall(
    compose: &Compose<'_>,
    read: &Read,
    selection: &Selection,
    bundle: &Composed,
) -> Option<Shortfall> {
    let is_own = |kind| !matches!(kind, ReasonKind::Always | ReasonKind::Related);
    let selected = selection.selected.iter();
    let selected = selected.filter(|one| one.reasons.iter().any(|reason| is_own(reason.kind)));
    let selected: BTreeSet<&ContextId> = selected.map(|one| &one.id).collect();
    let degraded = bundle.figures.degraded.iter();
    let degraded =
        degraded.filter(|one| selected.contains(&one.id) && !is_capped(compose, bundle, one));
    let is_there = |level| !matches!(level, Level::Catalog | Level::Dropped);
    let (shortened, left_out): (Vec<_>, Vec<_>) = degraded.partition(|one| is_there(one.to));
    let ids = |all: Vec<&Degraded>| -> Vec<ContextId> {
        all.into_iter().map(|one| one.id.clone()).collect()
    };
    let material = bundle.figures.material.iter().filter(|one| one.tokens < one.full_tokens);
    let material: Vec<String> = material.map(|one| one.name.clone()).collect();
    if shortened.is_empty() && left_out.is_empty() && material.is_empty() {
        return None;
    }
    Some(Shortfall {
        shortened: ids(shortened),
        left_out: ids(left_out),
        selected: selected.len(),
        material,
        holds: holds(compose, read, selection),
    })
}

/// Whether no budget makes a context whole, as it holds itself down.
fn is_capped(compose: &Compose<'_>, bundle: &Composed, degraded: &Degraded) -> bool {
    let fields = &compose.context(&degraded.id).front.fields;
    let Some(cap) = fields.max_tokens.as_ref().filter(|_| fields.truncatable) else { return false };
    let loaded = bundle.loaded.iter().find(|loaded| loaded.id == degraded.id);
    let full = loaded.map_or(degraded.tokens_saved, |loaded| loaded.full_tokens);
    full as u64 > cap.value
}

/// A budget that holds everything whole, which is tried out: figures of sections follow the budget,
/// and blocks may count more together than one by one.
fn holds(compose: &Compose<'_>, read: &Read, selection: &Selection) -> Option<usize> {
    let items = compose.items(selection);
    let kept = compose.kept(read, &items, selection);
    let fixed = compose.fixed(read, &items, &kept).telling(compose.told(Extent::All, &[]));
    let contexts: usize = items.iter().map(|item| item.offered.full().tokens).sum();
    let parts = fixed.tokens() + contexts;
    let parts = parts + compose.room(selection, parts).catalog;
    let most = compose.window.map(|window| tokens(window.saturating_sub(compose.limits.response)));
    let budgets = (0..TRIES).map(|n| (parts + ((1 << n) - 1) * STEP).next_multiple_of(STEP));
    let mut budgets = budgets.take_while(|budget| most.is_none_or(|most| *budget <= most));
    budgets.find(|budget| {
        let other = compose.with_budget(*budget);
        let bundle = other.and_then(|other| other.run(read, selection.clone()));
        bundle.is_ok_and(|bundle| is_whole(compose, &bundle))
    })
}

fn is_whole(compose: &Compose<'_>, bundle: &Composed) -> bool {
    let figures = &bundle.figures;
    figures.degraded.iter().all(|one| is_capped(compose, bundle, one))
        && figures.material.iter().all(|one| one.tokens == one.full_tokens)
        && figures.history.as_ref().is_none_or(|history| history.whole == history.messages)
}

impl std::fmt::Display for Shortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut said = Vec::new();
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
            said.push(format!("{count} of {of} selected contexts {what} ({names}{more})"));
        }
        if !self.material.is_empty() {
            said.push(format!("{} shortened", self.material.join(", ")));
        }
        said.push(match self.holds {
            Some(budget) => format!("--budget {budget} would hold everything"),
            None => "the model's window cannot hold everything".to_owned(),
        });
        f.write_str(&said.join("; "))
    }
}
