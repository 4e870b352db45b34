//! From a selection to the blocks of a bundle that keeps its budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::assemble::directives::{Kept, Settled};
use crate::assemble::finish::{self, Composed};
use crate::assemble::history::{Past, Told};
use crate::assemble::items::{self, Item};
use crate::assemble::ladder::{Ladder, Rung};
use crate::assemble::material::Material;
use crate::assemble::offers::{self, Offered};
use crate::assemble::parts::Part;
use crate::assemble::refuse;
use crate::assemble::renderings::Renderer;
use crate::assemble::summaries::Answers;
use crate::assemble::{Job, Read, Triggers, hold, listing, upfront};
use crate::budget::level::{Level, Section};
use crate::budget::pack::{self, Candidate, Infeasible, Offer};
use crate::config::{Amount, Config, Limits, Packing};
use crate::conversation::trigger::Trigger;
use crate::document::ContextId;
use crate::error::Error;
use crate::line::{self, Line};
use crate::render::block::{Block, BlockKind, BundleLine, bundle_text, text_of};
use crate::render::catalog::{Entry, Scope};
use crate::render::style::Style;
use crate::resolve::catalog::{Catalog, Resolved};
use crate::resolve::view::View;
use crate::select::selection::{Group, Selection};
use crate::source::SourceMap;
use crate::tokens::{Counter, Encoding, TokenCache};

/// Tokens that the catalog may take of what is left over, however small its figure is: about what
/// a reader can take in at a glance.
const CATALOG: usize = 1000;

/// How many next best fillings are tried before the whole excess is taken off. A seam is worth a
/// token or two, and there are few that count.
pub(super) const SEAMS: usize = 16;

/// What composing works with.
#[derive(Clone)]
pub struct Compose<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) contexts: &'a Catalog,
    pub(super) config: &'a Config,
    pub(super) job: &'a Job,
    pub(super) view: &'a View,
    pub(super) counter: Counter,
    pub(super) model: Option<String>,
    pub(super) limits: Limits,
    /// The model's window, when a model is named.
    pub(super) window: Option<u64>,
    /// Summaries that the user's command has written.
    pub(super) answers: Answers,
    /// What the contexts of each scope are about.
    pub(super) topics: BTreeMap<Scope, Vec<String>>,
    /// What makes contexts load.
    pub(super) triggers: Option<&'a Triggers>,
    /// What was said before.
    pub(super) past: Option<Arc<Past>>,
    /// What the request brings along.
    pub(super) materials: Vec<Material<'a>>,
    /// What the user's command has made of parts of the conversation, by their text.
    pub(super) recaps: BTreeMap<String, String>,
}

/// The blocks that stand whatever else fits.
pub(super) struct Fixed {
    prompt: Option<Block>,
    instruction: Option<Block>,
    /// Headings, by whether they stand in the stable part.
    frames: BTreeMap<(bool, Group), Block>,
    pub(super) told: Told,
    pub(super) material: Vec<Block>,
    /// Tokens that contexts may not take because shortened material may need them.
    pub(super) kept_free: usize,
    request: Option<Block>,
}

/// What had to be there and did not fit.
pub(super) struct Short<'a> {
    pub(super) fixed: Fixed,
    pub(super) items: Vec<Item<'a>>,
}

/// Tokens for contexts and catalog.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// For both together.
    pub(super) available: usize,
    /// Those that the catalog could use.
    pub(super) catalog: usize,
}

/// One way of filling the budget.
pub(super) struct Draft {
    pub(super) blocks: Vec<Block>,
    /// How many of them no request changes.
    pub(super) stable_blocks: usize,
    /// Where the blocks of the conversation begin.
    pub(super) told_at: usize,
    /// The form of each item; none for what is not loaded.
    pub(super) taken: Vec<Option<Offer>>,
    /// The catalog: all entries, and how many of them it names.
    pub(super) entries: Vec<Entry>,
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
}

impl<'a> Compose<'a> {
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
        ComposeInput { job, view, tokens }: ComposeInput<'a>,
    ) -> Result<Self, Error> {
        let ModelCounter { counter, model, window } =
            ModelCounter::new(config, job.model.as_deref(), tokens)?;
        let budget = job.budget.map(|budget| in_tokens(budget, window)).transpose()?;
        let mut limits = config.limits(window, budget);
        // No model reads more than its window, the answer included.
        let most = window.map(|window| window.saturating_sub(limits.response));
        limits.limit = limits.limit.min(most.unwrap_or(u64::MAX));
        let (answers, topics) = (Answers::new(), listing::topics(contexts));
        let mut compose = Self {
            sources,
            contexts,
            config,
            job,
            view,
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
        if job.parts.has(Part::History) {
            compose.past = compose.past(&job.history).map(Arc::new);
        }
        compose.materials = compose.materials();
        Ok(compose)
    }

    /// The same with catalogs that say what makes contexts load.
    #[must_use]
    pub fn with_triggers(self, triggers: &'a Triggers) -> Self {
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
    pub fn run(&self, read: &Read, selection: Selection) -> Result<Composed, Error> {
        let asked = selection.clone();
        let short = |short: Box<Short<'_>>| refuse::too_small(self, read, &asked, &short);
        self.attempt(read, selection).map_err(short)
    }

    /// Composes, or gives back what there was no room for.
    pub(super) fn attempt(
        &self,
        read: &Read,
        selection: Selection,
    ) -> Result<Composed, Box<Short<'a>>> {
        let selection = upfront::extended(self, read, selection);
        let mut items = self.items(&selection);
        let kept = self.kept(read, &items, &selection);
        let Ladder { set_off, mut rungs } = self.ladder(&self.fixed(read, &items, &kept), &items);
        let last = rungs.pop().expect("there is always a way to try");
        for rung in rungs {
            match self.filled(read, &selection, items, (rung, &set_off)) {
                Ok(bundle) => return Ok(bundle),
                Err(_) => items = self.items(&selection),
            }
        }
        self.filled(read, &selection, items, (last, &set_off))
    }

    /// Composes on one rung of the ladder, or gives back what there was no room for.
    fn filled(
        &self,
        read: &Read,
        selection: &Selection,
        mut items: Vec<Item<'a>>,
        (rung, set_off): (Rung, &[Trigger]),
    ) -> Result<Composed, Box<Short<'a>>> {
        let told = self.told_on(rung, set_off);
        let mut kept = self.kept(read, &items, selection);
        let around =
            |items: &[Item<'_>], kept: &Kept| self.fixed(read, items, kept).telling(told.clone());
        let mut fixed = around(&items, &kept);
        let limit = tokens(self.limits.limit);
        self.offer(&mut items, &fixed, selection);
        items::bind(&mut items, rung);
        self.fit_material(&mut fixed, &items, (selection, rung));
        let (mut allowed, mut seams) = (limit, 0);
        loop {
            let Ok(mut draft) = self.pack(&items, &fixed, selection, allowed) else {
                let least: usize = items.iter().map(|item| item.candidate.least()).sum();
                let excess = (fixed.tokens() + least).saturating_sub(allowed).max(1);
                if rung.shortens_material() && self.shorten_material(&mut fixed, excess) {
                    (allowed, seams) = (limit, 0);
                    continue;
                }
                // As long as something of the conversation may go, contexts need not.
                if self.is_last(rung) && self.make_room(&mut items) {
                    (fixed, allowed, seams) = (around(&items, &kept), limit, 0);
                    self.fit_material(&mut fixed, &items, (selection, rung));
                    continue;
                }
                return Err(Box::new(Short { fixed, items }));
            };
            if self.move_pins(&mut items, &draft) {
                fixed = around(&items, &kept);
                self.fit_material(&mut fixed, &items, (selection, rung));
                continue;
            }
            // Blocks are counted one by one; what counts is the whole, which the seams between
            // blocks may make larger. Then the same again with that much less.
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
            // What seemed to fit whole may have to be shortened after all.
            self.shorten(&mut items, true, selection);
            items::bind(&mut items, rung);
            // The next best filling is looked for: with the excess taken off at once, one that is
            // better might be passed over, and a larger budget come out with less.
            let next = draft.tokens().min(allowed).saturating_sub(1);
            allowed =
                if seams < SEAMS { next } else { next.min(allowed.saturating_sub(total - limit)) };
            seams += 1;
        }
    }

    pub(super) fn renderer(&self, context: &'a Resolved) -> Renderer<'a> {
        let answer = self.answers.get(&context.id).cloned();
        let renderer =
            Renderer::new(self.sources, &self.counter, self.job.style, self.config, context);
        renderer.with_summary(answer).for_reader(self.job.more)
    }

    pub(super) fn block(
        &self,
        kind: BlockKind,
        section: Section,
        lines: Vec<BundleLine>,
    ) -> Option<Block> {
        let tokens = self.counter.count(&text_of(&lines));
        (!lines.is_empty()).then_some(Block { kind, section, lines, tokens })
    }

    pub(super) fn lines(&self, lines: &[Line]) -> Vec<BundleLine> {
        let lines = line::trimmed(self.sources, lines).iter();
        lines.map(|line| BundleLine::of(line, self.sources)).collect()
    }

    pub(super) fn fixed(&self, read: &Read, items: &[Item<'_>], kept: &Kept) -> Fixed {
        let (style, parts) = (self.job.style, &self.job.parts);
        let instruction = read.instruction.as_ref().filter(|_| parts.has(Part::Role));
        let instruction = instruction.and_then(|instruction| {
            let path = self.sources.path(instruction.file).as_str();
            let lines = self.lines(&instruction.lines);
            let lines = style.instruction(instruction.what, &instruction.name, path, lines);
            self.block(BlockKind::Instruction, Section::System, lines)
        });
        let mut frames = BTreeMap::new();
        for Item { placed, stable, .. } in items.iter().filter(|item| !item.barred) {
            let related = placed.group == Group::Related;
            let section = if related { Section::Related } else { Section::Location };
            let note = items::precedence(items, placed.group, *stable);
            let heading = style.group(placed.group.heading(), note);
            if let Some(block) = self.block(BlockKind::Frame, section, heading) {
                frames.insert((*stable, placed.group), block);
            }
        }
        let request = Some(self.job.request.text.trim()).filter(|text| !text.is_empty());
        let request = request.filter(|_| parts.has(Part::Request)).and_then(|request| {
            // In a body the request is all of the last message, or stands behind the inputs.
            let style = if self.job.body.is_some() { Style::Text } else { style };
            self.block(BlockKind::Request, Section::Message, style.request(request))
        });
        let prompt = self.prompt(read, kept).filter(|_| parts.has(Part::Role));
        let material = self.whole_material();
        let (told, kept_free) = (Told::default(), 0);
        Fixed { prompt, instruction, frames, told, material, kept_free, request }
    }

    /// Adds the shorter renderings of what may have to be shortened. When everything fits nothing
    /// has to be, and nothing is computed.
    fn offer(&self, items: &mut [Item<'_>], fixed: &Fixed, selection: &Selection) {
        let cache = items.iter().any(|item| item.stable);
        let fits = !cache && self.fits_whole(items, fixed, selection);
        self.shorten(items, !fits, selection);
    }

    /// The tokens that the stable part may take, whatever is requested, and at most `most`.
    pub(super) fn stable_room(&self, fixed: &Fixed, most: usize) -> usize {
        tokens(self.limits.stable).saturating_sub(fixed.stable_tokens()).min(most)
    }

    /// Adds the shorter renderings of all items, or of those that are over their own cap.
    pub(super) fn shorten(&self, items: &mut [Item<'_>], all: bool, selection: &Selection) {
        // Parts of what the request is hardly about are worth next to nothing.
        let least = self.config.selection.threshold;
        let focused = |item: &Item<'_>| !item.stable && item.relevance >= least;
        let mut offered: Vec<(&mut Offered<'_>, bool)> = items
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

    /// Whether every item whole fits beside the catalog.
    pub(super) fn fits_whole(
        &self,
        items: &[Item<'_>],
        fixed: &Fixed,
        selection: &Selection,
    ) -> bool {
        let full: usize = items.iter().map(|item| item.offered.full().tokens).sum();
        let room = self.room(selection, tokens(self.limits.limit).saturating_sub(fixed.tokens()));
        full + room.catalog <= room.available
    }

    /// The tokens that contexts and catalog may take.
    pub(super) fn room(&self, selection: &Selection, available: usize) -> Room {
        let entries = self.entries(selection);
        let figure = tokens(self.limits.sections.catalog).min(available / 8);
        let catalog = self.catalog(&entries, figure);
        Room { available, catalog: catalog.map_or(0, |(block, _)| block.tokens) }
    }

    pub(super) fn pack(
        &self,
        items: &[Item<'_>],
        fixed: &Fixed,
        selection: &Selection,
        allowed: usize,
    ) -> Result<Draft, Infeasible> {
        let needed: usize = items.iter().map(|item| item.candidate.least()).sum();
        let available = allowed.checked_sub(fixed.tokens()).ok_or(Infeasible { needed })?;
        let room = self.room(selection, available);
        let (stable, rest) = items.split_at(items.partition_point(|item| item.stable));
        let mut taken = Vec::new();
        if !stable.is_empty() {
            // What no request changes is packed alone, so that no request changes it; only a
            // request that leaves no room for it, or for what else is required, does.
            let owed: usize = rest.iter().map(|item| item.candidate.least()).sum();
            let most = available.saturating_sub(owed);
            // What is required there may take more than the figure, with every request alike.
            let least: usize = stable.iter().map(|item| item.candidate.least()).sum();
            let available = self.stable_room(fixed, most).max(least).min(most);
            taken = self.decide(stable, Room { available, catalog: 0 })?;
        }
        let used: usize = taken.iter().flatten().map(|offer| offer.tokens).sum();
        taken.extend(self.decide(rest, Room { available: available - used, ..room })?);
        Ok(self.draft(items, fixed, selection, (taken, available)))
    }

    /// Decides for some items.
    fn decide(&self, items: &[Item<'_>], room: Room) -> Result<Vec<Option<Offer>>, Infeasible> {
        let open: Vec<&Item<'_>> = items.iter().filter(|item| !item.barred).collect();
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
        items: &[Item<'_>],
        fixed: &Fixed,
        selection: &Selection,
        (taken, available): (Vec<Option<Offer>>, usize),
    ) -> Draft {
        let used: usize = taken.iter().flatten().map(|offer| offer.tokens).sum();
        // What was asked for and did not fit is what a reader will want first.
        let mut asked: Vec<&Item<'_>> =
            items.iter().zip(&taken).filter(|(_, it)| it.is_none()).map(|(item, _)| item).collect();
        let worth = |item: &Item<'_>| item.candidate.utility(&item.candidate.offers[0]);
        asked.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let mut entries: Vec<Entry> =
            asked.iter().map(|item| self.entry(&item.selected.id)).collect();
        entries.extend(self.entries(selection));
        let figure = tokens(self.limits.sections.catalog);
        // A figure of the user's own is the most; the default one is what is kept free.
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
            blocks.push(Block {
                kind: BlockKind::Context(item.selected.id.clone()),
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
    /// The sum of the tokens of its blocks.
    fn tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens).sum()
    }

    /// The whole bundle.
    pub(super) fn text(&self) -> String {
        bundle_text(&self.blocks)
    }
}

impl Fixed {
    /// The same with what was said before.
    pub(super) fn telling(self, told: Told) -> Self {
        Self { told, ..self }
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let before = self.prompt.iter().chain(&self.instruction);
        let before = before.chain(self.frames.values()).chain(&self.told.blocks);
        before.chain(&self.material).chain(&self.request)
    }

    /// The tokens of inputs and error text.
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

/// A number of tokens as one of the machine's.
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
    /// The counter.
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
