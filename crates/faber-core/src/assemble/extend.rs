//! Gives unused room to cut contexts.

use crate::assemble::builder::{BundleBuilder, BundleDraft, tokens};
use crate::assemble::item::BundleItem;
use crate::assemble::offers::focused_value;
use crate::assemble::reader::SelectionFilter;
use crate::budget::level::Level;
use crate::budget::pack::Offer;
use crate::render::block::BundleBlockKind;
use crate::select::relevance::Passages;

impl BundleBuilder<'_> {
    pub(super) fn extend_cut(
        &self,
        draft: &mut BundleDraft,
        items: &mut [BundleItem<'_>],
        passages: &Passages,
    ) {
        let is_short = |at: &usize| {
            let item = &items[*at];
            let is_open = !item.stable && item.candidate.truncatable;
            // Summaries by author or command are complete, parts are not.
            let has_summary = self.config.budget.summarizer.is_some()
                || item.offered.renderer.context().front.fields.summary.is_some();
            let is_cut = |level| match level {
                Level::Focused | Level::Essence => true,
                Level::Summary => !has_summary,
                _ => false,
            };
            is_open && draft.taken[*at].is_some_and(|taken| is_cut(taken.level))
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
        let limits = [item.offered.cap(), draft.max_tokens[at]];
        let room = limits.into_iter().flatten().fold(taken.tokens + free, usize::min);
        let renderer = &item.offered.renderer;
        let Some((form, share)) = renderer.filled(room, passages) else { return };
        let value = focused_value(share);
        // A small part lacks rules that a summary has; for files, other parts follow.
        let is_poorer = taken.level == Level::Summary
            && self.job.reader.wanted != SelectionFilter::ForFiles
            && 2 * form.tokens < item.offered.full().tokens;
        if form.tokens <= taken.tokens || value <= taken.value || is_poorer {
            return;
        }
        let is_own = |kind: &BundleBlockKind| matches!(kind, BundleBlockKind::Context(id) if *id == item.selected.id);
        let Some(place) = draft.blocks.iter().position(|block| is_own(&block.kind)) else { return };
        let mut block = draft.blocks[place].clone();
        block.tokens = form.tokens;
        if !draft.is_outline {
            block.lines = renderer.lines(&form);
        }
        if self.replace_blocks(draft, place..place + 1, vec![block]).is_err() {
            return;
        }
        let (level, tokens) = (form.level, form.tokens);
        draft.taken[at] = Some(Offer { form: item.offered.forms.len(), level, tokens, value });
        item.offered.forms.push((form, value));
    }
}
