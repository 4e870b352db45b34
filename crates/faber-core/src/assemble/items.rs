//! Places contexts in or after the stable part, or excludes them.

use crate::assemble::builder::{BundleBuilder, BundleDraft};
use crate::assemble::item::{BundleItem, in_order};
use crate::assemble::offers;
use crate::assemble::stage::Stage;
use crate::select::selection::Selection;

impl<'a> BundleBuilder<'a> {
    pub(super) fn items(&self, selection: &Selection) -> Vec<BundleItem<'a>> {
        let whole =
            offers::whole(&selection.selected, self.contexts, |context| self.renderer(context));
        let is_asked = selection.relevance.values().any(|relevance| relevance.score > 0.0);
        let items = selection.selected.iter().zip(whole).map(|(selected, offered)| {
            let lasting = selected.stable_part(offered.renderer.context());
            let is_lasting = lasting.is_some();
            let stable = is_lasting && self.has_stable_part();
            let placed = lasting.filter(|_| stable).unwrap_or_else(|| selected.clone());
            let relevance = if is_asked {
                selection.relevance(&selected.id)
            } else {
                offers::unasked_relevance(offered.renderer.context())
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

    /// Moves pins that `draft` leaves out after the stable part; [`Self::make_room`] moves them
    /// back only once.
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
