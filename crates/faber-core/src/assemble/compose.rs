//! From a selection to the blocks of a bundle that keeps its budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::assemble::directives::{KeptDirectives, Settled};
use crate::assemble::finish::{self, Bundle};
use crate::assemble::history::{History, HistoryBlock};
use crate::assemble::items::{self, BundleItem};
use crate::assemble::ladder::{DegradationPlan, Stage};
use crate::assemble::material::Material;
use crate::assemble::offers::{self, Rendition};
use crate::assemble::parts::BundlePart;
use crate::assemble::refuse;
use crate::assemble::renderings::{self, Renderer};
use crate::assemble::summaries::Answers;
use crate::assemble::{Job, Read, RequestTriggers, hold, listing, upfront};
use crate::budget::extract_cache::ExtractCache;
use crate::budget::level::{Level, Section};
use crate::budget::pack::{self, Candidate, Infeasible, Offer};
use crate::config::{Amount, Config, Limits, Packing};
use crate::conversation::trigger::Trigger;
use crate::document::ContextId;
use crate::error::Error;
use crate::line::{self, Line};
use crate::render::block::{BundleBlock, BundleBlockKind, BundleLine, bundle_text, text_of};
use crate::render::catalog::{CatalogEntry, Scope};
use crate::render::style::Style;
use crate::resolve::catalog::{Catalog, Resolved};
use crate::resolve::view::View;
use crate::select::selection::{BundleGroup, Selection};
use crate::source::SourceMap;
use crate::tokens::{Counter, Encoding, TokenCache};

/// Default minimum of tokens for the catalog.
const CATALOG: usize = 1000;

/// Attempts at the next best packing before the whole excess is taken off. Seams between blocks
/// cost a token or two each.
pub(super) const SEAMS: usize = 16;

/// What composing works with.
#[derive(Clone)]
pub struct BundleBuilder<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) contexts: &'a Catalog,
    pub(super) config: &'a Config,
    pub(super) job: &'a Job,
    pub(super) view: &'a View,
    pub(super) extracts: &'a ExtractCache,
    pub(super) counter: Counter,
    pub(super) model: Option<String>,
    pub(super) limits: Limits,
    /// The context window of the model, if one is named.
    pub(super) window: Option<u64>,
    /// Summaries from the user's command.
    pub(super) answers: Answers,
    /// Topics of each scope.
    pub(super) topics: BTreeMap<Scope, Vec<String>>,
    pub(super) triggers: Option<&'a RequestTriggers>,
    pub(super) past: Option<Arc<History>>,
    pub(super) materials: Vec<Material<'a>>,
    /// Summaries of parts of the conversation, by their text.
    pub(super) recaps: BTreeMap<String, String>,
}

pub(super) struct Scaffold {
    prompt: Option<BundleBlock>,
    instruction: Option<BundleBlock>,
    /// Headings, by whether they are in the stable part.
    frames: BTreeMap<(bool, BundleGroup), BundleBlock>,
    pub(super) told: HistoryBlock,
    pub(super) material: Vec<BundleBlock>,
    /// Tokens reserved for shortened material.
    pub(super) kept_free: usize,
    request: Option<BundleBlock>,
}

/// What a budget was too small for.
pub(super) struct OverBudget<'a> {
    pub(super) fixed: Scaffold,
    pub(super) items: Vec<BundleItem<'a>>,
}

#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) available: usize,
    pub(super) catalog: usize,
}

pub(super) struct Draft {
    pub(super) blocks: Vec<BundleBlock>,
    /// The number of blocks that do not depend on the request.
    pub(super) stable_blocks: usize,
    /// Index of the first block of the conversation.
    pub(super) told_at: usize,
    /// The form of each item; `None` if it is not loaded.
    pub(super) taken: Vec<Option<Offer>>,
    /// All catalog entries, and how many of them are named.
    pub(super) entries: Vec<CatalogEntry>,
    pub(super) shown: usize,
}

/// What a bundle is composed for.
#[derive(Clone, Copy)]
pub struct ComposeInput<'a> {
    /// What it is to have.
    pub job: &'a Job,
    /// For whom, and when.
    pub view: &'a View,
    /// Counts that were made before.
    pub tokens: &'a Arc<TokenCache>,
    /// Extracts that were made before.
    pub extracts: &'a ExtractCache,
}

impl<'a> BundleBuilder<'a> {
    /// Decides model, encoding and limits.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] for a model or an encoding that is not known, [`Error::Usage`] for a budget
    /// that is a share of no window.
    pub fn new(
        sources: &'a SourceMap,
        contexts: &'a Catalog,
        config: &'a Config,
        ComposeInput { job, view, tokens, extracts }: ComposeInput<'a>,
    ) -> Result<Self, Error> {
        let ModelCounter { counter, model, window } =
            ModelCounter::new(config, job.model.as_deref(), tokens)?;
        let budget = job.budget.map(|budget| in_tokens(budget, window)).transpose()?;
        let mut limits = config.limits(window, budget);
        // The answer counts towards the model's window.
        let most = window.map(|window| window.saturating_sub(limits.response));
        limits.limit = limits.limit.min(most.unwrap_or(u64::MAX));
        let (answers, topics) = (Answers::new(), listing::topics(contexts));
        let mut compose = Self {
            sources,
            contexts,
            config,
            job,
            view,
            extracts,
            counter,
            model,
            limits,
            window,
            answers,
            topics,
            triggers: None,
            past: None,
            materials: Vec::new(),
            recaps: BTreeMap::new(),
        };
        if job.parts.has(BundlePart::History) {
            compose.past = compose.past(&job.history).map(Arc::new);
        }
        compose.materials = compose.materials();
        Ok(compose)
    }

    /// Adds triggers to catalog entries.
    #[must_use]
    pub fn with_triggers(self, triggers: &'a RequestTriggers) -> Self {
        Self { triggers: Some(triggers), ..self }
    }

    pub(super) fn context(&self, id: &ContextId) -> &'a Resolved {
        &self.contexts.contexts[id]
    }

    /// The same with another `--budget`, whatever the model's window is.
    pub(super) fn with_budget(&self, budget: usize) -> Self {
        let limits = self.config.limits(self.window, Some(budget as u64));
        Self { limits, ..self.clone() }
    }

    /// Composes.
    ///
    /// # Errors
    ///
    /// [`Error::Budget`] when what is required does not fit.
    pub fn run(&self, read: &Read, selection: Selection) -> Result<Bundle, Error> {
        let asked = selection.clone();
        let short = |short: Box<OverBudget<'_>>| refuse::too_small(self, read, &asked, &short);
        self.attempt(read, selection).map_err(short)
    }

    /// Returns the required blocks that do not fit as the error.
    pub(super) fn attempt(
        &self,
        read: &Read,
        selection: Selection,
    ) -> Result<Bundle, Box<OverBudget<'a>>> {
        let selection = upfront::extended(self, read, selection);
        let mut items = self.items(&selection);
        let kept = self.kept(read, &items, &selection);
        let DegradationPlan { set_off, mut rungs } =
            self.ladder(&self.fixed(read, &items, &kept), &items);
        let last = rungs.pop().expect("there is always a way to try");
        for rung in rungs {
            match self.filled(read, &selection, items, (rung, &set_off)) {
                Ok(bundle) => return Ok(bundle),
                Err(_) => items = self.items(&selection),
            }
        }
        self.filled(read, &selection, items, (last, &set_off))
    }

    /// Returns the required blocks that do not fit as the error.
    fn filled(
        &self,
        read: &Read,
        selection: &Selection,
        mut items: Vec<BundleItem<'a>>,
        (rung, set_off): (Stage, &[Trigger]),
    ) -> Result<Bundle, Box<OverBudget<'a>>> {
        let told = self.told_on(rung, set_off);
        let mut kept = self.kept(read, &items, selection);
        let around = |items: &[BundleItem<'_>], kept: &KeptDirectives| {
            self.fixed(read, items, kept).telling(told.clone())
        };
        let mut fixed = around(&items, &kept);
        let limit = tokens(self.limits.limit);
        self.offer(&mut items, &fixed, selection);
        items::bind(&mut items, rung);
        self.fit_material(&mut fixed, &items, (selection, rung));
        // What is around a message is counted with the whole only.
        let room = limit.saturating_sub(self.counter.frame());
        let (mut allowed, mut seams) = (room, 0);
        loop {
            let Ok(mut draft) = self.pack(&items, &fixed, selection, allowed) else {
                let least: usize = items.iter().map(|item| item.candidate.least()).sum();
                let excess = (fixed.tokens() + least).saturating_sub(allowed).max(1);
                if rung.shortens_material() && self.shorten_material(&mut fixed, excess) {
                    (allowed, seams) = (room, 0);
                    continue;
                }
                // Contexts are kept as long as the conversation can give way.
                if self.is_last(rung) && self.make_room(&mut items) {
                    (fixed, allowed, seams) = (around(&items, &kept), room, 0);
                    self.fit_material(&mut fixed, &items, (selection, rung));
                    continue;
                }
                return Err(Box::new(OverBudget { fixed, items }));
            };
            if self.move_pins(&mut items, &draft) {
                fixed = around(&items, &kept);
                self.fit_material(&mut fixed, &items, (selection, rung));
                continue;
            }
            // Blocks are counted one by one, but seams between them may add tokens. Pack again with
            // that much less.
            let total = self.measure(&draft);
            if total <= limit {
                let total = match self.settle(read, &items, &mut draft, (&kept, total)) {
                    Settled::Done(total) => total,
                    Settled::Again(more) => {
                        kept = more;
                        fixed = around(&items, &kept);
                        continue;
                    }
                };
                let how = (rung, set_off);
                let total = self.more_material(&mut draft, &mut fixed, total);
                let total = self.tell_more(&mut draft, &mut fixed.told, total, how);
                if self.job.weigh {
                    self.shorten(&mut items, true, selection);
                }
                let outcome = (fixed.told, rung, set_off);
                return Ok(finish::finish(self, (draft, total), selection, items, outcome));
            }
            self.shorten(&mut items, true, selection);
            items::bind(&mut items, rung);
            // Tries the next best packing: taking off the whole excess at once might skip a better
            // one, and a larger budget could give a worse result.
            let next = draft.tokens().min(allowed).saturating_sub(1);
            allowed =
                if seams < SEAMS { next } else { next.min(allowed.saturating_sub(total - limit)) };
            seams += 1;
        }
    }

    pub(super) fn renderer(&self, context: &'a Resolved) -> Renderer<'a> {
        let answer = self.answers.get(&context.id).cloned();
        let notes = renderings::notes(context, self.config, self.sources);
        let (sources, extracts) = (self.sources, self.extracts);
        let renderer = Renderer::new(sources, extracts, &self.counter, self.job.style, context);
        renderer.with_notes(notes).with_summary(answer).for_reader(self.job.more)
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
        lines.map(|line| BundleLine::of(line, self.sources)).collect()
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
            let note = items::precedence(items, placed.group, *stable);
            let heading = style.group(placed.group.heading(), note);
            if let Some(block) = self.block(BundleBlockKind::Frame, section, heading) {
                frames.insert((*stable, placed.group), block);
            }
        }
        let request = Some(self.job.request.text.trim()).filter(|text| !text.is_empty());
        let request = request.filter(|_| parts.has(BundlePart::Request)).and_then(|request| {
            // In a body the request is the whole last message, or follows the inputs.
            let style = if self.job.body.is_some() { Style::Text } else { style };
            self.block(BundleBlockKind::Request, Section::Message, style.request(request))
        });
        let prompt = self.prompt(read, kept).filter(|_| parts.has(BundlePart::Role));
        let material = self.whole_material();
        let (told, kept_free) = (HistoryBlock::default(), 0);
        Scaffold { prompt, instruction, frames, told, material, kept_free, request }
    }

    /// Adds shorter renderings, only if not everything fits.
    fn offer(&self, items: &mut [BundleItem<'_>], fixed: &Scaffold, selection: &Selection) {
        let cache = items.iter().any(|item| item.stable);
        let fits = !cache && self.fits_whole(items, fixed, selection);
        self.shorten(items, !fits, selection);
    }

    /// The tokens of the stable part, independent of the request, at most `most`.
    pub(super) fn stable_room(&self, fixed: &Scaffold, most: usize) -> usize {
        tokens(self.limits.stable).saturating_sub(fixed.stable_tokens()).min(most)
    }

    /// Adds shorter renderings of all items, or of those over their own `max_tokens`.
    pub(super) fn shorten(&self, items: &mut [BundleItem<'_>], all: bool, selection: &Selection) {
        // Parts below this relevance have almost no value.
        let least = self.config.selection.threshold;
        let focused = |item: &BundleItem<'_>| !item.stable && item.relevance >= least;
        let mut offered: Vec<(&mut Rendition<'_>, bool)> = items
            .iter_mut()
            .map(|item| (focused(item), item))
            .map(|(focused, item)| (&mut item.offered, focused))
            .collect();
        let min_useful = tokens(self.config.budget.min_useful);
        offers::shorten(&mut offered, all, &selection.passages, min_useful);
        for item in items {
            item.weigh(self.config);
        }
    }

    /// Whether all items fit in full next to the catalog.
    pub(super) fn fits_whole(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        selection: &Selection,
    ) -> bool {
        let full: usize = items.iter().map(|item| item.offered.full().tokens).sum();
        let room = self.room(selection, tokens(self.limits.limit).saturating_sub(fixed.tokens()));
        full + room.catalog <= room.available
    }

    pub(super) fn room(&self, selection: &Selection, available: usize) -> Room {
        let entries = self.entries(selection);
        let figure = tokens(self.limits.sections.catalog).min(available / 8);
        let catalog = self.catalog(&entries, figure);
        Room { available, catalog: catalog.map_or(0, |(block, _)| block.tokens) }
    }

    pub(super) fn pack(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        selection: &Selection,
        allowed: usize,
    ) -> Result<Draft, Infeasible> {
        let needed: usize = items.iter().map(|item| item.candidate.least()).sum();
        let available = allowed.checked_sub(fixed.tokens()).ok_or(Infeasible { needed })?;
        let room = self.room(selection, available);
        let (stable, rest) = items.split_at(items.partition_point(|item| item.stable));
        let mut taken = Vec::new();
        if !stable.is_empty() {
            // The stable part is packed alone, so that it does not depend on the request, unless
            // the request leaves no room for required contexts.
            let owed: usize = rest.iter().map(|item| item.candidate.least()).sum();
            let most = available.saturating_sub(owed);
            // Required contexts may exceed the limit, the same for every request.
            let least: usize = stable.iter().map(|item| item.candidate.least()).sum();
            let available = self.stable_room(fixed, most).max(least).min(most);
            taken = self.decide(stable, Room { available, catalog: 0 })?;
        }
        let used: usize = taken.iter().flatten().map(|offer| offer.tokens).sum();
        taken.extend(self.decide(rest, Room { available: available - used, ..room })?);
        Ok(self.draft(items, fixed, selection, (taken, available)))
    }

    fn decide(
        &self,
        items: &[BundleItem<'_>],
        room: Room,
    ) -> Result<Vec<Option<Offer>>, Infeasible> {
        let open: Vec<&BundleItem<'_>> = items.iter().filter(|item| !item.barred).collect();
        let mut candidates: Vec<Candidate> =
            open.iter().map(|item| item.candidate.clone()).collect();
        let needed: usize = candidates.iter().map(Candidate::least).sum();
        let left = room.available.checked_sub(needed).ok_or(Infeasible { needed })?;
        let available = room.available - room.catalog.min(left);
        let always = tokens(self.config.budget.always.of(available as u64));
        hold::hold(&open, &mut candidates, available, always);
        let decided = match self.config.budget.packing {
            Packing::Optimal => pack::optimal(&candidates, available)?,
            Packing::Greedy => pack::greedy(&candidates, available)?,
        };
        let mut decided = decided.into_iter();
        Ok(items.iter().map(|item| if item.barred { None } else { decided.next()? }).collect())
    }

    fn draft(
        &self,
        items: &[BundleItem<'_>],
        fixed: &Scaffold,
        selection: &Selection,
        (taken, available): (Vec<Option<Offer>>, usize),
    ) -> Draft {
        let used: usize = taken.iter().flatten().map(|offer| offer.tokens).sum();
        // Requested contexts that did not fit come first in the catalog.
        let mut asked: Vec<&BundleItem<'_>> =
            items.iter().zip(&taken).filter(|(_, it)| it.is_none()).map(|(item, _)| item).collect();
        let worth = |item: &BundleItem<'_>| item.candidate.utility(&item.candidate.offers[0]);
        asked.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let mut entries: Vec<CatalogEntry> =
            asked.iter().map(|item| self.entry(&item.selected.id)).collect();
        entries.extend(self.entries(selection));
        let figure = tokens(self.limits.sections.catalog);
        // A configured limit is a maximum; the default is reserved.
        let own = self.config.budget.sections.catalog.is_some();
        let figure = if own { figure } else { figure.max(CATALOG) };
        let catalog = self.catalog(&entries, figure.min(available.saturating_sub(used)));
        let mut blocks = Vec::from_iter(fixed.prompt.clone());
        let mut stable_blocks = blocks.len();
        let stable_items = items.partition_point(|item| item.stable);
        let mut group = None;
        for (at, (item, offer)) in items.iter().zip(&taken).enumerate() {
            if at == stable_items {
                blocks.extend(fixed.instruction.clone());
            }
            let Some(offer) = offer else { continue };
            let rendering = &item.offered.forms[offer.form].0;
            let unbroken = stable_blocks == blocks.len();
            let frame = (item.stable, item.placed.group);
            if group.replace(frame) != Some(frame) {
                blocks.extend(fixed.frames.get(&frame).cloned());
            }
            blocks.push(BundleBlock {
                kind: BundleBlockKind::Context(item.selected.id.clone()),
                section: item.candidate.section,
                lines: rendering.lines.clone(),
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
        let told_at = blocks.len();
        blocks.extend(fixed.told.blocks.iter().cloned());
        blocks.extend(fixed.material.iter().chain(&fixed.request).cloned());
        Draft { blocks, stable_blocks, told_at, taken, entries, shown }
    }
}

impl Draft {
    fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }

    pub(super) fn text(&self) -> String {
        bundle_text(&self.blocks)
    }
}

impl Scaffold {
    pub(super) fn telling(self, told: HistoryBlock) -> Self {
        Self { told, ..self }
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &BundleBlock> {
        let before = self.prompt.iter().chain(&self.instruction);
        let before = before.chain(self.frames.values()).chain(&self.told.blocks);
        before.chain(&self.material).chain(&self.request)
    }

    pub(super) fn material_tokens(&self) -> usize {
        self.material.iter().map(|block| block.tokens).sum()
    }

    pub(super) fn tokens(&self) -> usize {
        self.blocks().map(|block| block.tokens).sum::<usize>() + self.kept_free
    }

    fn stable_tokens(&self) -> usize {
        let frames = self.frames.iter().filter(|((stable, _), _)| *stable).map(|(_, block)| block);
        self.prompt.iter().chain(frames).map(|block| block.tokens).sum()
    }
}

/// Saturating conversion.
pub(super) fn tokens(figure: u64) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}

/// A budget in tokens, for a model with this window.
///
/// # Errors
///
/// [`Error::Usage`] for a share when there is no window that it could be of.
fn in_tokens(budget: Amount, window: Option<u64>) -> Result<u64, Error> {
    match (budget, window) {
        (Amount::Tokens(tokens), _) => Ok(tokens),
        (share @ Amount::Percent(_), Some(window)) => Ok(share.of(window)),
        (Amount::Percent(_), None) => Err(Error::usage(
            "a budget in percent is a share of the model's window, and no model is known",
            "name the model with `--model NAME` or set `tokenizer.model`, or give the budget in tokens",
        )),
    }
}

/// What counts tokens for a model.
#[derive(Clone, Debug)]
pub struct ModelCounter {
    pub counter: Counter,
    /// The name of the model; none when none is named and only an encoding is known.
    pub model: Option<String>,
    /// The window of the model.
    pub window: Option<u64>,
}

impl ModelCounter {
    /// The counter for a model, or else for what the configuration names.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] for a model or an encoding that is not known.
    pub fn new(
        config: &Config,
        model: Option<&str>,
        cache: &Arc<TokenCache>,
    ) -> Result<Self, Error> {
        let configured = || config.model.as_ref().map(|model| model.value.clone());
        let encoding = |name: &str| {
            Encoding::from_name(name).ok_or_else(|| {
                Error::unknown("encoding", name, Encoding::NAMES.iter().map(|(name, _)| *name))
            })
        };
        let Some(name) = model.map(str::to_owned).or_else(configured) else {
            let counter = Counter::exact(encoding(&config.encoding.value)?, cache);
            return Ok(Self { counter, model: None, window: None });
        };
        let Some(model) = config.model(&name) else {
            return Err(Error::unknown("model", &name, config.models.0.keys().map(String::as_str)));
        };
        let margin_percent = model.margin_percent;
        let counter = Counter::exact(encoding(&model.encoding)?, cache);
        let counter = Counter { margin_percent, ..counter };
        Ok(Self { counter, model: Some(name), window: Some(model.window) })
    }
}
