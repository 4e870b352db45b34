//! Blocks around the contexts.

use std::collections::BTreeMap;

use crate::assemble::builder::{BundleBuilder, Scaffold, tokens};
use crate::assemble::directives::KeptDirectives;
use crate::assemble::history_block::HistoryBlock;
use crate::assemble::item::{self, BundleItem};
use crate::assemble::parts::BundlePart;
use crate::assemble::resolved::Read;
use crate::budget::level::Section;
use crate::render::block::BundleBlockKind;
use crate::render::style::Style;
use crate::select::selection::BundleGroup;

impl BundleBuilder<'_> {
    pub(super) fn fixed(
        &self,
        read: &Read,
        items: &[BundleItem<'_>],
        kept: &KeptDirectives,
    ) -> Scaffold {
        let (style, parts) = (self.job.style, &self.job.parts);
        let instruction = read.instruction.as_ref().filter(|_| parts.has(BundlePart::Role));
        let instruction = instruction.and_then(|instruction| {
            let path = self.sources.path(instruction.file).as_str();
            let lines = self.lines(&instruction.lines);
            let lines = style.instruction(instruction.what, &instruction.name, path, lines);
            self.block(BundleBlockKind::Instruction, Section::System, lines)
        });
        let mut frames = BTreeMap::new();
        for BundleItem { placed, stable, .. } in items.iter().filter(|item| !item.barred) {
            let related = placed.group == BundleGroup::Related;
            let section = if related { Section::Related } else { Section::Location };
            let note = item::precedence(items, placed.group, *stable);
            let heading = style.group(placed.group.heading(), note);
            if let Some(block) = self.block(BundleBlockKind::Frame, section, heading) {
                frames.insert((*stable, placed.group), block);
            }
        }
        let request = Some(self.job.request.text.trim()).filter(|text| !text.is_empty());
        let request = request.filter(|_| parts.has(BundlePart::Request)).and_then(|request| {
            // In a body the request is a message or follows the inputs.
            let style = if self.job.body.is_some() { Style::Text } else { style };
            self.block(BundleBlockKind::Request, Section::Message, style.request(request))
        });
        let prompt = self.prompt(read, kept).filter(|_| parts.has(BundlePart::Role));
        let material = self.whole_material();
        let (history, kept_free) = (HistoryBlock::default(), 0);
        Scaffold { prompt, instruction, frames, history, material, kept_free, request }
    }

    pub(super) fn stable_room(&self, fixed: &Scaffold, available: usize) -> usize {
        tokens(self.limits.stable).saturating_sub(fixed.stable_tokens()).min(available)
    }
}
