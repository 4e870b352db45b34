//! Inputs and error text, in full or without their middle.

use crate::assemble::builder::{
    BOUNDARY_RETRIES, BundleBuilder, BundleDraft, Material, Scaffold, tokens,
};
use crate::assemble::degradation::Stage;
use crate::assemble::figures::MaterialFigures;
use crate::assemble::item::BundleItem;
use crate::assemble::job::BundlePart;
use crate::assemble::listing::Listing;
use crate::budget::level::Section;
use crate::budget::middle;
use crate::render::block::{BundleBlock, BundleBlockKind};

impl<'a> BundleBuilder<'a> {
    pub(super) fn materials(&self) -> Vec<Material<'a>> {
        let job = self.job;
        let inputs = job.inputs.iter().filter(|_| job.parts.has(BundlePart::Input));
        let inputs = inputs.map(|input| (BundleBlockKind::Input, &*input.name, &*input.text));
        let error = Some(&*job.request.error).filter(|text| !text.trim().is_empty());
        let error = error.filter(|_| job.parts.has(BundlePart::Error));
        let error = error
            .map(|text| (BundleBlockKind::Error, "error text", text.trim_matches(['\n', '\r'])));
        let all = inputs.chain(error).filter_map(|(kind, name, text)| {
            let whole = self.material_block(&kind, name, text)?;
            Some(Material { kind, name, text, whole })
        });
        all.collect()
    }

    fn material_block(
        &self,
        kind: &BundleBlockKind,
        name: &str,
        text: &str,
    ) -> Option<BundleBlock> {
        let lines = match kind {
            BundleBlockKind::Error => self.job.style.error(text),
            _ => self.job.style.input(name, text),
        };
        self.block(kind.clone(), Section::Message, lines)
    }

    fn material(&self, mut room: usize) -> Vec<BundleBlock> {
        let mut blocks = self.whole_material();
        let mut by_size: Vec<usize> = (0..blocks.len()).collect();
        by_size.sort_by_key(|&at| blocks[at].tokens);
        for (left, at) in (1..=blocks.len()).rev().zip(by_size) {
            let share = room / left;
            if blocks[at].tokens > share {
                blocks[at] = self.shortened(&self.materials[at], share);
            }
            room = room.saturating_sub(blocks[at].tokens);
        }
        blocks
    }

    fn shortened(
        &self,
        Material { kind, name, text, whole }: &Material<'_>,
        room: usize,
    ) -> BundleBlock {
        let block = |text: &str| self.material_block(kind, name, text);
        let fits = |text: &str| block(text).is_none_or(|block| block.tokens <= room);
        let shorter = block(&middle::without_middle(text, fits));
        shorter.filter(|shorter| shorter.tokens < whole.tokens).unwrap_or_else(|| whole.clone())
    }

    pub(super) fn fit_material(
        &self,
        fixed: &mut Scaffold,
        items: &[BundleItem<'_>],
        listing: &Listing<'_>,
        stage: Stage,
    ) {
        let is_whole = || self.fits_whole(items, fixed, listing);
        if self.materials.is_empty() || !stage.shortens_material() || is_whole() {
            return;
        }
        let open = items.iter().filter(|item| !item.barred);
        let (mut least, mut whole, mut stable_tokens) = ([0; 2], 0, 0);
        for item in open {
            let full = item.offered.full().tokens;
            least[usize::from(item.stable)] += item.candidate.least();
            stable_tokens += if item.stable { full } else { 0 };
            whole += full;
        }
        let stable_tokens = self.stable_room(fixed, stable_tokens).max(least[1]);
        let required = least[0] + stable_tokens;
        let others = fixed.tokens() - fixed.material_tokens();
        let room = tokens(self.limits.limit).saturating_sub(others + required);
        let wanted = whole.saturating_sub(required) + self.room(listing, room).catalog;
        let share = room.saturating_sub(wanted).max(room / 2);
        if fixed.material_tokens() > share {
            fixed.material = self.material(share);
            fixed.kept_free = share.saturating_sub(fixed.material_tokens());
        }
    }

    pub(super) fn shorten_material(&self, fixed: &mut Scaffold, excess: usize) -> bool {
        let (before, kept_free) = (fixed.material_tokens(), std::mem::take(&mut fixed.kept_free));
        if excess > kept_free {
            fixed.material = self.material(before.saturating_sub(excess - kept_free));
        }
        kept_free > 0 || fixed.material_tokens() < before
    }

    pub(super) fn more_material(&self, draft: &mut BundleDraft, fixed: &mut Scaffold) {
        let mut room = fixed.material_tokens() + (tokens(self.limits.limit) - draft.total);
        let at = draft.history_at + fixed.history.blocks.len();
        let place = at..at + fixed.material.len();
        for _ in 0..BOUNDARY_RETRIES {
            let more = self.material(room);
            let grown: usize = more.iter().map(|block| block.tokens).sum();
            if grown <= fixed.material_tokens() {
                break;
            }
            match self.replace_blocks(draft, place.clone(), more.clone()) {
                Ok(()) => {
                    fixed.material = more;
                    break;
                }
                Err(excess) => room = room.saturating_sub(excess),
            }
        }
    }

    pub(super) fn material_figures(&self, blocks: &[BundleBlock]) -> Vec<MaterialFigures> {
        let is_material = |block: &&BundleBlock| {
            matches!(block.kind, BundleBlockKind::Input | BundleBlockKind::Error)
        };
        let shown = blocks.iter().filter(is_material).zip(&self.materials);
        let figures = shown.map(|(block, Material { name, whole, .. })| MaterialFigures {
            name: (*name).to_owned(),
            tokens: block.tokens,
            full_tokens: whole.tokens,
        });
        figures.collect()
    }
}
