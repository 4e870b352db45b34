//! Directives that a bundle fulfils.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use foldhash::HashSet;

use crate::assemble::builder::{BundleBuilder, BundleDraft, tokens};
use crate::assemble::item::BundleItem;
use crate::assemble::job::BundlePart;
use crate::assemble::resolved::Read;
use crate::budget::level::Section;
use crate::context_id::ContextId;
use crate::parse::rules::Need;
use crate::prompt::ResolvedDirective;
use crate::render::block::{BundleBlock, BundleBlockKind};
use crate::select::selection::Selection;

/// Preferred directives may add 1/4 of the limit.
const DIRECTIVES_DIVISOR: usize = 4;

/// Tokens that a new block may save at its boundaries.
const BOUNDARY_TOKENS: usize = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeptDirectives(BTreeSet<usize>);

pub(super) enum DirectiveOutcome {
    Done,
    /// Keep these, of which some need texts.
    Need(KeptDirectives),
    /// Keep these if there is room, as the catalog lacks contexts of theirs.
    Miss(Vec<usize>),
}

impl KeptDirectives {
    pub(super) fn with(&self, more: &[usize]) -> Self {
        Self(self.0.iter().chain(more).copied().collect())
    }
}

struct IncludedContexts<'a> {
    texts: HashSet<&'a ContextId>,
    listed: HashSet<&'a ContextId>,
    instruction: bool,
}

impl IncludedContexts<'_> {
    fn satisfies(&self, ask: &ResolvedDirective) -> bool {
        let is_there = |id: &ContextId| {
            self.texts.contains(id) || (ask.need == Need::Known && self.listed.contains(id))
        };
        (ask.is_instruction && self.instruction)
            || ask.contexts.as_ref().is_some_and(|contexts| contexts.iter().all(is_there))
    }

    fn unsatisfied(&self, read: &Read) -> KeptDirectives {
        let directives = read.prompt.directives().iter().enumerate();
        let undone = directives.filter(|(_, asks)| !asks.iter().all(|ask| self.satisfies(ask)));
        KeptDirectives(undone.map(|(at, _)| at).collect())
    }
}

impl BundleBuilder<'_> {
    pub(super) fn kept(
        &self,
        read: &Read,
        items: &[BundleItem<'_>],
        selection: &Selection,
    ) -> KeptDirectives {
        if read.prompt.directives().is_empty() {
            return KeptDirectives::default();
        }
        let cache = self.has_stable_part();
        let texts = items.iter().filter(|item| !cache || item.lasting);
        let texts = texts.map(|item| &item.selected.id).collect();
        let listed = items.iter().map(|item| &item.selected.id).chain(&selection.catalogued);
        let listed = self.listed(listed);
        IncludedContexts { texts, listed, instruction: !cache }.unsatisfied(read)
    }

    fn listed<'i>(&'i self, listed: impl Iterator<Item = &'i ContextId>) -> HashSet<&'i ContextId> {
        if self.has_stable_part() {
            self.contexts.contexts.keys().collect()
        } else {
            listed.collect()
        }
    }

    pub(super) fn prompt(&self, read: &Read, kept: &KeptDirectives) -> Option<BundleBlock> {
        let render = || {
            let lines = read.prompt.emitted(self.sources, |at| !kept.0.contains(&at));
            let lines = self.job.style.prompt(self.lines(&lines));
            self.block(BundleBlockKind::Prompt, Section::System, lines)
        };
        let mut made = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(kept.clone()).or_insert_with(render).clone()
    }

    pub(super) fn settle(
        &self,
        read: &Read,
        items: &[BundleItem<'_>],
        draft: &mut BundleDraft,
        kept: &KeptDirectives,
    ) -> DirectiveOutcome {
        let loaded = items.iter().zip(&draft.taken).filter(|(_, it)| it.is_some());
        let texts = loaded.map(|(item, _)| &item.selected.id).collect();
        let is_catalog = |block: &BundleBlock| block.kind == BundleBlockKind::Catalog;
        let catalog = draft.blocks.iter().any(is_catalog);
        let listed = draft.entries.iter().take(if catalog { draft.shown } else { 0 });
        let listed = self.listed(listed.map(|entry| &entry.id));
        let instruction = !self.has_stable_part();
        let included = IncludedContexts { texts, listed, instruction };
        let undone = included.unsatisfied(read).0;
        let more: Vec<usize> = undone.difference(&kept.0).copied().collect();
        if more.is_empty() || !self.job.parts.has(BundlePart::Role) {
            return DirectiveOutcome::Done;
        }
        if self.replace_prompt(read, draft, &kept.with(&more)) {
            return DirectiveOutcome::Done;
        }
        let texts: Vec<usize> = more
            .iter()
            .copied()
            .filter(|&at| read.prompt.directives()[at].iter().any(|ask| ask.need == Need::Text))
            .collect();
        if texts.is_empty() {
            DirectiveOutcome::Miss(more)
        } else {
            DirectiveOutcome::Need(kept.with(&texts))
        }
    }

    pub(super) fn preferred(
        &self,
        read: &Read,
        before: &KeptDirectives,
        all: KeptDirectives,
    ) -> Option<KeptDirectives> {
        let size = |kept: &KeptDirectives| self.prompt(read, kept).map_or(0, |block| block.tokens);
        let most = size(before) + tokens(self.limits.limit) / DIRECTIVES_DIVISOR;
        (size(&all) <= most).then_some(all)
    }

    pub(super) fn restore_some(
        &self,
        read: &Read,
        draft: &mut BundleDraft,
        kept: &KeptDirectives,
        more: &[usize],
    ) {
        let mut count = more.len() / 2;
        while count > 0 && !self.replace_prompt(read, draft, &kept.with(&more[..count])) {
            count /= 2;
        }
    }

    fn replace_prompt(&self, read: &Read, draft: &mut BundleDraft, kept: &KeptDirectives) -> bool {
        let Some(prompt) = self.prompt(read, kept) else { return false };
        let has_prompt = draft.blocks.first().is_some_and(|it| it.kind == BundleBlockKind::Prompt);
        let old = if has_prompt { draft.blocks[0].tokens } else { 0 };
        if draft.total.saturating_sub(old) + prompt.tokens
            > tokens(self.limits.limit) + BOUNDARY_TOKENS
        {
            return false;
        }
        let before = (draft.stable_blocks, draft.history_at);
        let added = usize::from(!has_prompt);
        (draft.stable_blocks, draft.history_at) = (before.0 + added, before.1 + added);
        let fits = self.replace_blocks(draft, 0..1 - added, vec![prompt]).is_ok();
        if !fits {
            (draft.stable_blocks, draft.history_at) = before;
        }
        fits
    }
}
