//! Selected contexts on their way into a bundle: in the stable part, after it, or excluded.

use std::collections::BTreeSet;

use crate::assemble::compose::{BundleBuilder, Draft};
use crate::assemble::ladder::Stage;
use crate::assemble::offers::{self, Rendition};
use crate::budget::pack::Candidate;
use crate::category::Category;
use crate::config::{Config, Order};
use crate::document::ContextId;
use crate::layer::LayerKind;
use crate::select::reason::ReasonKind;
use crate::select::selection::{BundleGroup, Selected, Selection, emission_key};

/// Which text wins where organization and base disagree.
const PRECEDENCE: &str =
    "Where these texts and those of the project or role conflict, these take precedence.";

pub(super) struct BundleItem<'a> {
    pub(super) selected: Selected,
    /// As packed: in the stable part without what depends on the request.
    pub(super) placed: Selected,
    /// Whether it is in the stable part.
    pub(super) stable: bool,
    /// Whether it does not depend on the request.
    pub(super) lasting: bool,
    /// Whether it is excluded because its heading does not fit.
    pub(super) barred: bool,
    pub(super) relevance: f64,
    pub(super) offered: Rendition<'a>,
    pub(super) candidate: Candidate,
}

impl BundleItem<'_> {
    /// Whether it is required only because the request pins it.
    fn is_pin(&self) -> bool {
        let required = self.offered.renderer.context().front.fields.required;
        self.selected.has(ReasonKind::Pinned) && !required
    }

    /// Whether it is not required.
    fn is_optional(&self) -> bool {
        !self.candidate.must && !self.is_pin()
    }

    /// Places it in the stable part if it does not depend on the request, else after it.
    fn place(&mut self, stable: bool, config: &Config) {
        let lasting = self.selected.stable_part(self.offered.renderer.context());
        let lasting = lasting.filter(|_| stable);
        self.stable = lasting.is_some();
        self.placed = lasting.unwrap_or_else(|| self.selected.clone());
        self.weigh(config);
    }

    /// Updates the input of packing. The stable part does not depend on the request.
    pub(super) fn weigh(&mut self, config: &Config) {
        let relevance = if self.stable { 0.0 } else { self.relevance };
        self.candidate = offers::candidate(&self.placed, &self.offered, relevance, config);
    }

    /// Whether the request, the error text, the prompt, a task or the platform names it.
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
        })
    }

    /// Whether it loads with every request, but not for its platform.
    pub(super) fn always_loads(&self) -> bool {
        self.placed.has(ReasonKind::Always) || self.placed.has(ReasonKind::Custom)
    }
}

impl<'a> BundleBuilder<'a> {
    /// The selected contexts in bundle order.
    pub(super) fn items(&self, selection: &Selection) -> Vec<BundleItem<'a>> {
        let whole =
            offers::whole(&selection.selected, self.contexts, |context| self.renderer(context));
        let items = selection.selected.iter().zip(whole).map(|(selected, offered)| {
            let lasting = selected.stable_part(offered.renderer.context());
            let is_lasting = lasting.is_some();
            let stable = is_lasting && self.has_stable_part();
            let placed = lasting.filter(|_| stable).unwrap_or_else(|| selected.clone());
            let relevance = selection.relevance(&selected.id);
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

    /// Moves pinned contexts that `draft` leaves out of the stable part after it: pins must not
    /// change the stable part but are always included. Returns whether any moved. Each moves at
    /// most once, unless [`Self::make_room`] puts it back, which happens once.
    pub(super) fn move_pins(&self, items: &mut [BundleItem<'_>], draft: &Draft) -> bool {
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

    /// Makes room for required contexts that do not fit. Returns whether anything changed.
    ///
    /// First excludes optional contexts, because their headings take room, and puts all pins back
    /// into the stable part: there a pin may be truncated to the room left, while after it one of
    /// its own forms has to fit. Then moves pins after the stable part and removes its headings.
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

    /// Whether the part that does not depend on the request is packed first and alone.
    pub(super) fn has_stable_part(&self) -> bool {
        self.job.order.unwrap_or(self.config.order) == Order::Cache
    }
}

/// The line below the heading of the organization, if the project or role has a text on the same
/// subject. In the stable part only contexts of that part count.
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

/// Whether two contexts may contradict each other: both are standards, or their names have a word
/// in common.
fn is_same_subject(a: &ContextId, b: &ContextId) -> bool {
    let words = |id: &ContextId| -> BTreeSet<String> {
        id.name.split(['-', '_', '/', '.']).map(str::to_lowercase).collect()
    };
    a.category == b.category
        && (a.category == Category::Standard || !words(a).is_disjoint(&words(b)))
}

/// Restricts the forms of items to those of a rung.
pub(super) fn bind(items: &mut [BundleItem<'_>], rung: Stage) {
    for item in items.iter_mut().filter(|item| !item.barred) {
        rung.bind(&mut item.candidate);
    }
}

/// Sorts items into bundle order, stable ones first.
fn in_order(items: &mut [BundleItem<'_>]) {
    items.sort_by_cached_key(|item| {
        (!item.stable, emission_key(&item.placed, item.offered.renderer.context()))
    });
}
