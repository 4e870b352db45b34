//! Packs contexts and the blocks around them into a draft.

use crate::assemble::builder::{BundleBuilder, BundleDraft, Scaffold, tokens};
use crate::assemble::item::BundleItem;
use crate::assemble::listing::Listing;
use crate::assemble::offers::{self, Rendition, focused_value};
use crate::assemble::preselect;
use crate::assemble::reader::SelectionFilter;
use crate::assemble::share::{self, Shares};
use crate::budget::level::Level;
use crate::budget::pack::{self, Infeasible, Offer};
use crate::config::Packing;
use crate::render::block::{BundleBlock, BundleBlockKind};
use crate::render::catalog::CatalogEntry;
use crate::select::relevance::Passages;

const CATALOG: usize = 1000;

/// In tokens; `available` includes the catalog.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) available: usize,
    pub(super) catalog: usize,
}

struct Packed {
    taken: Vec<Option<Offer>>,
    max_tokens: Vec<Option<usize>>,
    available: usize,
}

impl BundleBuilder<'_> {
    pub(super) fn offer(
        &self,
        items: &mut [BundleItem<'_>],
        fixed: &Scaffold,
        listing: &Listing<'_>,
    ) {
        let cache = items.iter().any(|item| item.stable);
        let fits = !cache && self.fits_whole(items, fixed, listing);
        self.shorten(items, !fits, &listing.selection.passages);
    }

    pub(super) fn shorten(&self, items: &mut [BundleItem<'_>], all: bool, passages: &Passages) {
        let threshold = self.config.selection.threshold;
        let limit = tokens(self.limits.limit);
        let open = items.iter().filter(|item| !item.stable && !item.barred).collect::<Vec<_>>();
        let shares = Shares::new(&open, limit, &self.config.selection);
        let max_tokens = |item: &BundleItem<'_>| {
            if self.job.trace {
                return usize::MAX;
            }
            let shares = shares.filter(|_| item.offered.cap.is_none());
            shares.and_then(|shares| shares.max_tokens(item)).unwrap_or(limit)
        };
        let focused = |item: &BundleItem<'_>| {
            let is_relevant = !item.stable && item.relevance >= threshold;
            is_relevant.then(|| max_tokens(item))
        };
        let mut offered: Vec<(&mut Rendition<'_>, Option<usize>)> = items
            .iter_mut()
            .map(|item| (focused(item), item))
            .map(|(most, item)| (&mut item.offered, most))
            .collect();
        offers::shorten(&mut offered, all, passages, tokens(self.config.budget.min_useful));
        for item in items {
            item.weigh(self.config);
        }
    }

    pub(super) fn fits_whole(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        listing: &Listing<'_>,
    ) -> bool {
        let full: usize = items.iter().map(|item| item.offered.full().tokens).sum();
        let room = self.room(listing, tokens(self.limits.limit).saturating_sub(fixed.tokens()));
        full + room.catalog <= room.available
    }

    pub(super) fn room(&self, listing: &Listing<'_>, available: usize) -> Room {
        let figure = tokens(self.limits.sections.catalog).min(available / 8);
        let catalog = self.catalog(&[], listing, figure);
        Room { available, catalog: catalog.map_or(0, |(block, _)| block.tokens) }
    }

    pub(super) fn pack(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        listing: &Listing<'_>,
        allowed: usize,
    ) -> Result<BundleDraft, Infeasible> {
        let needed: usize = items.iter().map(|item| item.candidate.least()).sum();
        let available = allowed.checked_sub(fixed.tokens()).ok_or(Infeasible { needed })?;
        let room = self.room(listing, available);
        let draft = |packed: Packed| self.draft(items, fixed, listing, packed);
        let first = draft(self.packed(items, fixed, room, &[])?);
        let is_catalog = |block: &BundleBlock| block.kind == BundleBlockKind::Catalog;
        if room.catalog == 0 || first.blocks.iter().any(is_catalog) {
            return Ok(first);
        }
        let more = self.packed(items, fixed, Room { catalog: 0, ..room }, &first.taken);
        Ok(more.map_or(first, draft))
    }

    fn packed(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        room: Room,
        floor: &[Option<Offer>],
    ) -> Result<Packed, Infeasible> {
        let available = room.available;
        let (stable, rest) = items.split_at(items.partition_point(|item| item.stable));
        let mut packed = Packed { taken: Vec::new(), max_tokens: Vec::new(), available };
        if !stable.is_empty() {
            // Independent of the request.
            let owed: usize = rest.iter().map(|item| item.candidate.least()).sum();
            let most = available.saturating_sub(owed);
            let least: usize = stable.iter().map(|item| item.candidate.least()).sum();
            let available = self.stable_room(fixed, most).max(least).min(most);
            self.decide(stable, Room { available, catalog: 0 }, &[], &mut packed)?;
        }
        let used: usize = packed.taken.iter().flatten().map(|offer| offer.tokens).sum();
        let floor = floor.get(stable.len()..).unwrap_or_default();
        let room = Room { available: available - used, ..room };
        self.decide(rest, room, floor, &mut packed)?;
        Ok(packed)
    }

    fn decide(
        &self,
        items: &[BundleItem<'_>],
        room: Room,
        floor: &[Option<Offer>],
        packed: &mut Packed,
    ) -> Result<(), Infeasible> {
        let mut open: Vec<&BundleItem<'_>> = items.iter().filter(|item| !item.barred).collect();
        let needed: usize = open.iter().map(|item| item.candidate.least()).sum();
        let left = room.available.checked_sub(needed).ok_or(Infeasible { needed })?;
        let available = room.available - room.catalog.min(left);
        let shares = Shares::new(&open, available, &self.config.selection);
        let max_tokens = |item: &BundleItem<'_>| shares.and_then(|shares| shares.max_tokens(item));
        let mut candidates = Vec::new();
        let floor = (0..).map(|at| floor.get(at).copied().flatten());
        let mut floor = items.iter().zip(floor).filter(|(item, _)| !item.barred);
        open.retain(|item| {
            let mut candidate = item.candidate.clone();
            let is_candidate = share::limit(&mut candidate, max_tokens(item));
            if let Some((_, Some(least))) = floor.next() {
                candidate.must = true;
                candidate.offers.retain(|offer| offer.value >= least.value);
            }
            candidates.extend(is_candidate.then_some(candidate));
            is_candidate
        });
        let always = tokens(self.config.budget.always.of(available as u64));
        preselect::preselect(&open, &mut candidates, available, always);
        let decided = match self.config.budget.packing {
            Packing::Optimal => pack::optimal(&candidates, available)?,
            Packing::Greedy => pack::greedy(&candidates, available)?,
        };
        let mut decided = open.into_iter().zip(decided).peekable();
        for item in items {
            let own = decided.next_if(|(open, _)| std::ptr::eq(*open, item));
            packed.taken.push(own.and_then(|(_, offer)| offer));
            packed.max_tokens.push(max_tokens(item));
        }
        Ok(())
    }

    fn draft(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        listing: &Listing<'_>,
        Packed { taken, max_tokens, available }: Packed,
    ) -> BundleDraft {
        let used: usize = taken.iter().flatten().map(|offer| offer.tokens).sum();
        let mut dropped: Vec<&BundleItem<'_>> =
            items.iter().zip(&taken).filter(|(_, it)| it.is_none()).map(|(item, _)| item).collect();
        let worth = |item: &BundleItem<'_>| item.candidate.utility(&item.candidate.offers[0]);
        dropped.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let mut entries: Vec<CatalogEntry> =
            dropped.iter().map(|item| self.entry(&item.selected.id)).collect();
        let left = available.saturating_sub(used);
        let figure = tokens(self.limits.sections.catalog);
        let figure = match self.config.budget.sections.catalog {
            Some(_) => figure,
            None if self.job.catalog_fills_room => left,
            None => figure.max(CATALOG),
        };
        let catalog = self.catalog(&entries, listing, figure.min(left));
        entries.extend(listing.entries.iter().cloned());
        let mut blocks = Vec::from_iter(fixed.prompt.clone());
        let mut stable_blocks = blocks.len();
        let stable_items = items.partition_point(|item| item.stable);
        let is_outline = self.measures_outlines(fixed);
        let mut group = None;
        for (at, (item, offer)) in items.iter().zip(&taken).enumerate() {
            if at == stable_items {
                blocks.extend(fixed.instruction.clone());
            }
            let Some(offer) = offer else { continue };
            let rendering = &item.offered.forms[offer.form].0;
            let renderer = &item.offered.renderer;
            let unbroken = stable_blocks == blocks.len();
            let frame = (item.stable, item.placed.group);
            if group.replace(frame) != Some(frame) {
                blocks.extend(fixed.frames.get(&frame).cloned());
            }
            blocks.push(BundleBlock {
                kind: BundleBlockKind::Context(item.selected.id.clone()),
                section: item.candidate.section,
                lines: if is_outline { renderer.outline() } else { renderer.lines(rendering) },
                tokens: rendering.tokens,
            });
            let whole = item.lasting && rendering.level == Level::Detailed;
            if unbroken && (item.stable || whole) {
                stable_blocks = blocks.len();
            }
        }
        if stable_items == items.len() {
            blocks.extend(fixed.instruction.clone());
        }
        let shown = catalog.as_ref().map_or(0, |(_, shown)| *shown);
        blocks.extend(catalog.map(|(block, _)| block));
        let history_at = blocks.len();
        blocks.extend(fixed.history.blocks.iter().cloned());
        blocks.extend(fixed.material.iter().chain(&fixed.request).cloned());
        BundleDraft {
            blocks,
            is_outline,
            stable_blocks,
            history_at,
            taken,
            max_tokens,
            entries,
            shown,
            total: 0,
        }
    }

    pub(super) fn extend_cut(
        &self,
        draft: &mut BundleDraft,
        items: &mut [BundleItem<'_>],
        passages: &Passages,
    ) {
        let is_short = |at: &usize| {
            let item = &items[*at];
            let is_open = !item.stable && item.candidate.truncatable;
            let has_summary = self.config.budget.summarizer.is_some()
                || item.offered.renderer.context.front.fields.summary.is_some();
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
        let limits = [item.offered.cap, draft.max_tokens[at]];
        let room = limits.into_iter().flatten().fold(taken.tokens + free, usize::min);
        let renderer = &item.offered.renderer;
        let Some((form, share)) = renderer.filled(room, passages) else { return };
        let value = focused_value(share);
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
