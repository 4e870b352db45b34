//! State shared by the steps of composing a bundle.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use foldhash::HashMap;

use crate::assemble::counter::in_tokens;
use crate::assemble::directives::KeptDirectives;
use crate::assemble::history::{History, HistoryBlock};
use crate::assemble::item::{self, BundleItem};
use crate::assemble::job::{BundlePart, Job};
use crate::assemble::listing::{RequestTriggers, ScopeTopics};
use crate::assemble::renderings::{self, Renderer};
use crate::assemble::resolved::Read;
use crate::assemble::token_boundary;
use crate::budget::extract_cache::ExtractCache;
use crate::budget::level::Section;
use crate::budget::pack::Offer;
use crate::config::{Config, Limits, Order};
use crate::context_id::ContextId;
use crate::line::{self, Line};
use crate::numbers::grouped;
use crate::render::block::{BundleBlock, BundleBlockKind, BundleLine, bundle_text, text_of};
use crate::render::body::BodyTexts;
use crate::render::catalog::CatalogEntry;
use crate::render::style::Style;
use crate::resolve::catalog::{Context, ContextSet};
use crate::resolve::view::View;
use crate::select::selection::{BundleGroup, Selection};
use crate::source::SourceMap;
use crate::tokens::Counter;

pub(super) const BOUNDARY_RETRIES: usize = 16;

pub(super) type Answers = BTreeMap<ContextId, String>;

#[derive(Clone)]
pub struct BundleBuilder<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) contexts: &'a ContextSet,
    pub(super) config: &'a Config,
    pub(super) job: &'a Job,
    pub(super) view: &'a View,
    pub(super) extracts: &'a ExtractCache,
    pub(super) counter: Counter,
    pub(super) model: Option<String>,
    pub(super) limits: Limits,
    pub(super) window: Option<u64>,
    pub(super) answers: Answers,
    pub(super) topics: &'a ScopeTopics<'a>,
    pub(super) triggers: Option<&'a RequestTriggers>,
    pub(super) history: Option<Arc<History>>,
    pub(super) materials: Vec<Material<'a>>,
    pub(super) recaps: BTreeMap<String, String>,
    pub(super) prompts: Arc<Mutex<BTreeMap<KeptDirectives, Option<BundleBlock>>>>,
    pub(super) catalog_lines: Arc<Mutex<HashMap<ContextId, (String, usize)>>>,
}

#[derive(Clone, Debug)]
pub(super) struct Material<'a> {
    pub(super) kind: BundleBlockKind,
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) whole: BundleBlock,
}

pub(super) struct Scaffold {
    pub(super) prompt: Option<BundleBlock>,
    pub(super) instruction: Option<BundleBlock>,
    /// True in the stable part.
    pub(super) frames: BTreeMap<(bool, BundleGroup), BundleBlock>,
    pub(super) history: HistoryBlock,
    pub(super) material: Vec<BundleBlock>,
    pub(super) kept_free: usize,
    pub(super) request: Option<BundleBlock>,
}

pub(super) struct OverBudget<'a> {
    pub(super) fixed: Scaffold,
    pub(super) items: Vec<BundleItem<'a>>,
}

pub(super) struct BundleDraft {
    pub(super) blocks: Vec<BundleBlock>,
    /// Contexts have only their first line.
    pub(super) is_outline: bool,
    pub(super) stable_blocks: usize,
    pub(super) history_at: usize,
    pub(super) taken: Vec<Option<Offer>>,
    pub(super) max_tokens: Vec<Option<usize>>,
    /// The first `shown` are in the bundle.
    pub(super) entries: Vec<CatalogEntry>,
    pub(super) shown: usize,
    pub(super) total: usize,
}

impl<'a> BundleBuilder<'a> {
    pub(crate) fn window_note(&self) -> Option<String> {
        let asked = in_tokens(self.job.budget?, self.window).ok()?;
        let (model, limit) = (self.model.as_ref()?, self.limits.limit);
        let note = || {
            let limit = grouped(tokens(limit));
            format!("budget lowered to {limit} tokens: the window of `{model}` leaves no more")
        };
        (asked > limit).then(note)
    }

    pub(super) fn context(&self, id: &ContextId) -> &'a Context {
        &self.contexts.contexts[id]
    }

    pub(super) fn renderer(&self, context: &'a Context) -> Renderer<'a> {
        let answer = self.answers.get(&context.id).cloned();
        let notes = renderings::notes(context, self.config, self.sources);
        let (sources, extracts) = (self.sources, self.extracts);
        let mut renderer = Renderer::new(sources, extracts, &self.counter, self.job.style, context);
        (renderer.notes, renderer.answer, renderer.more) = (notes, answer, self.job.more);
        renderer
    }

    pub(super) fn block(
        &self,
        kind: BundleBlockKind,
        section: Section,
        lines: Vec<BundleLine>,
    ) -> Option<BundleBlock> {
        let tokens = self.counter.count(&text_of(&lines));
        (!lines.is_empty()).then_some(BundleBlock { kind, section, lines, tokens })
    }

    pub(super) fn lines(&self, lines: &[Line]) -> Vec<BundleLine> {
        let lines = line::trimmed(self.sources, lines).iter();
        let line = |line| {
            let BundleLine { text, origin } = BundleLine::of(line, self.sources);
            BundleLine { text: with_ids(text), origin }
        };
        lines.map(line).collect()
    }

    pub(super) fn whole_material(&self) -> Vec<BundleBlock> {
        self.materials.iter().map(|material| material.whole.clone()).collect()
    }

    pub(super) fn measure(&self, draft: &BundleDraft) -> usize {
        let Some(vendor) = self.job.body else {
            return token_boundary::count(&draft.blocks, &self.counter);
        };
        let texts = BodyTexts::of(&draft.blocks, draft.stable_blocks);
        let history = draft.blocks.iter().filter(|block| block.section == Section::History);
        let history: usize = history.map(|block| block.tokens).sum();
        let around = texts.system(vendor).into_iter().chain([texts.message]);
        let around = around.map(|text| self.counter.count(&text)).sum::<usize>();
        self.counter.frame() + history + around
    }

    /// If it does not fit, changes nothing and returns the excess.
    pub(super) fn replace_blocks(
        &self,
        draft: &mut BundleDraft,
        place: Range<usize>,
        blocks: Vec<BundleBlock>,
    ) -> Result<(), usize> {
        let now = place.start..place.start + blocks.len();
        let before: Vec<BundleBlock> = draft.blocks.splice(place, blocks).collect();
        let total = self.measure(draft);
        let limit = tokens(self.limits.limit);
        if total > limit {
            draft.blocks.splice(now, before);
            return Err(total - limit);
        }
        draft.total = total;
        Ok(())
    }

    pub(super) fn measures_outlines(&self, fixed: &Scaffold) -> bool {
        self.job.body.is_none()
            && self.job.style != Style::Text
            && fixed.request.is_some()
            && self.counter.adds_up()
    }

    pub(super) fn has_stable_part(&self) -> bool {
        self.job.order.unwrap_or(self.config.order) == Order::Cache
    }

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

impl BundleDraft {
    pub(super) fn fill(&mut self, items: &[BundleItem<'_>]) {
        if !std::mem::take(&mut self.is_outline) {
            return;
        }
        let taken = items.iter().zip(&self.taken);
        let taken = taken.filter_map(|(item, taken)| taken.map(|offer| (&item.offered, offer)));
        let is_context =
            |block: &&mut BundleBlock| matches!(block.kind, BundleBlockKind::Context(_));
        for (block, (offered, offer)) in self.blocks.iter_mut().filter(is_context).zip(taken) {
            block.lines = offered.renderer.lines(&offered.forms[offer.form].0);
        }
    }

    pub(super) fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }

    pub(super) fn text(&self) -> String {
        bundle_text(&self.blocks)
    }
}

impl Scaffold {
    pub(super) fn with_history(self, history: HistoryBlock) -> Self {
        Self { history, ..self }
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &BundleBlock> {
        let before = self.prompt.iter().chain(&self.instruction);
        let before = before.chain(self.frames.values()).chain(&self.history.blocks);
        before.chain(&self.material).chain(&self.request)
    }

    pub(super) fn material_tokens(&self) -> usize {
        self.material.iter().map(|block| block.tokens).sum()
    }

    pub(super) fn tokens(&self) -> usize {
        self.blocks().map(|block| block.tokens).sum::<usize>() + self.kept_free
    }

    pub(super) fn stable_tokens(&self) -> usize {
        let frames = self.frames.iter().filter(|((stable, _), _)| *stable).map(|(_, block)| block);
        self.prompt.iter().chain(frames).map(|block| block.tokens).sum()
    }
}

pub(super) fn tokens(figure: u64) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}

impl<'a> BundleBuilder<'a> {
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    pub fn text(&self, text: &str) -> usize {
        self.counter.count(text)
    }

    pub fn whole(&self, context: &'a Context) -> usize {
        self.renderer(context).detailed().tokens
    }

    pub fn at_least(&self, read: &Read, selection: &Selection) -> usize {
        let mut items = self.items(selection);
        self.shorten(&mut items, true, &selection.passages);
        self.sum(read, &items, |item| item.candidate.least())
    }

    pub fn at_most(&self, read: &Read, selection: &Selection) -> usize {
        let items = self.items(selection);
        self.sum(read, &items, |item| {
            item.offered.full().tokens.min(item.offered.cap.unwrap_or(usize::MAX))
        })
    }

    fn sum(
        &self,
        read: &Read,
        items: &[BundleItem<'_>],
        tokens: impl Fn(&BundleItem<'_>) -> usize,
    ) -> usize {
        self.fixed(read, items, &KeptDirectives::default()).tokens()
            + items.iter().map(tokens).sum::<usize>()
    }
}

/// Readers of a bundle do not know the role's folder.
fn with_ids(mut text: String) -> String {
    for (folder, kind) in [("/tasks/", "task/"), ("/flows/", "flow/")] {
        let mut from = 0;
        while let Some(at) = text[from..].find(folder).map(|at| from + at) {
            from = at + folder.len();
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            let name = text[from..].split(|c: char| !is_part(c)).next().unwrap_or_default();
            let after = text[from + name.len()..].strip_prefix(".md");
            let is_link = text[..at].ends_with(['(', '`']);
            if is_link && after.is_some_and(|after| after.starts_with([')', '`'])) {
                let (id, end) = (format!("{kind}{name}"), from + name.len() + ".md".len());
                text.replace_range(at..end, &id);
                from = at + id.len();
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_tasks_and_flows_are_ids() {
        let ids = |text: &str| with_ids(text.to_owned());
        assert_eq!(
            ids("- [A](/tasks/a-b.md), `/flows/c.md`: d, [e](/tasks/e.md)"),
            "- [A](task/a-b), `flow/c`: d, [e](task/e)"
        );
        for other in [
            "See /tasks/a.md.",
            "[a](/tasks/a.mdx)",
            "[a](/tasks/a.txt)",
            "(/tasks/",
            "`/tasks/ä/b.md`",
        ] {
            assert_eq!(ids(other), other);
        }
    }
}
