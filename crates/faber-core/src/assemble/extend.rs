//! Gives room that packing leaves to always-loading contexts that are cut to parts.

use crate::assemble::builder::{BundleBuilder, BundleDraft, tokens};
use crate::assemble::item::BundleItem;
use crate::assemble::offers::focused_value;
use crate::budget::level::Level;
use crate::budget::pack::Offer;
use crate::render::block::BundleBlockKind;
use crate::select::relevance::Passages;

impl BundleBuilder<'_> {
    /// The most relevant first.
    pub(super) fn extend_always(
        &self,
        draft: &mut BundleDraft,
        items: &mut [BundleItem<'_>],
        passages: &Passages,
    ) {
        let is_short = |at: &usize| {
            let item = &items[*at];
            let is_open = item.always_loads() && !item.stable && item.candidate.truncatable;
            is_open && draft.taken[*at].is_some_and(|taken| taken.level == Level::Focused)
        };
        let mut short: Vec<usize> = (0..items.len()).filter(is_short).collect();
        short.sort_by(|&a, &b| items[b].relevance.total_cmp(&items[a].relevance).then(a.cmp(&b)));
        for at in short {
            self.extend_item(draft, at, &mut items[at], passages);
        }
    }

    fn extend_item(
        &self,
        draft: &mut BundleDraft,
        at: usize,
        item: &mut BundleItem<'_>,
        passages: &Passages,
    ) {
        let free = tokens(self.limits.limit).saturating_sub(draft.total);
        let Some(taken) = draft.taken[at] else { return };
        if free < tokens(self.config.budget.min_useful) {
            return;
        }
        let room = (taken.tokens + free).min(item.offered.cap().unwrap_or(usize::MAX));
        let renderer = &item.offered.renderer;
        let Some((form, share)) = renderer.filled(room, passages) else { return };
        let value = focused_value(share);
        if form.tokens <= taken.tokens || value <= taken.value {
            return;
        }
        let is_own = |kind: &BundleBlockKind| matches!(kind, BundleBlockKind::Context(id) if *id == item.selected.id);
        let Some(place) = draft.blocks.iter().position(|block| is_own(&block.kind)) else { return };
        let block = &mut draft.blocks[place];
        let before = block.clone();
        block.tokens = form.tokens;
        if !draft.is_outline {
            block.lines = renderer.lines(&form);
        }
        let total = self.measure(draft);
        // Seams may take more than the block.
        if total > tokens(self.limits.limit) {
            draft.blocks[place] = before;
            return;
        }
        let (level, tokens) = (form.level, form.tokens);
        draft.total = total;
        draft.taken[at] = Some(Offer { form: item.offered.forms.len(), level, tokens, value });
        item.offered.forms.push((form, value));
    }
}
