//! From a selection to the blocks of a bundle that keeps its budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::assemble::finish::{self, Composed};
use crate::assemble::history::{Past, Told};
use crate::assemble::items::{self, Item};
use crate::assemble::ladder::{Ladder, Rung};
use crate::assemble::offers::{self, Offered};
use crate::assemble::refuse;
use crate::assemble::renderings::{Renderer, Rendering};
use crate::assemble::summaries::Answers;
use crate::assemble::{Job, Read, listing, upfront};
use crate::budget::level::{Level, Section};
use crate::budget::pack::{self, Candidate, Decision, Infeasible, Room};
use crate::config::{Config, Limits, Packing};
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
use crate::tokens::{Counter, Encoding};

/// Tokens that the catalog may take of what is left over, however small its figure is: about what
/// a reader can take in at a glance.
const CATALOG: usize = 1000;

/// How many next best fillings are tried before the whole excess is taken off. A seam is worth a
/// token or two, and there are few that count.
pub(super) const SEAMS: usize = 16;

/// What composing works with.
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
    /// What was said before.
    pub(super) past: Option<Arc<Past>>,
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
    after: Vec<Block>,
}

/// What had to be there and did not fit.
pub(super) struct Short<'a> {
    pub(super) fixed: Fixed,
    pub(super) items: Vec<Item<'a>>,
}

/// What became of some items.
#[derive(Default)]
struct Decided {
    /// None for what is not loaded.
    renderings: Vec<Option<Rendering>>,
    /// Whether a line in the catalog was decided on.
    named: Vec<bool>,
    /// The sum of what the levels are worth.
    utility: f64,
}

/// One way of filling the budget.
pub(super) struct Draft {
    pub(super) blocks: Vec<Block>,
    /// How many of them no request changes.
    pub(super) stable_blocks: usize,
    /// Where the blocks of the conversation begin.
    pub(super) told_at: usize,
    /// What became of each item.
    pub(super) renderings: Vec<Option<Rendering>>,
    /// The catalog: all entries, and how many of them it names.
    pub(super) entries: Vec<Entry>,
    pub(super) shown: usize,
}

impl<'a> Compose<'a> {
    /// Decides model, encoding and limits.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] for a model or an encoding that is not known.
    pub fn new(
        sources: &'a SourceMap,
        contexts: &'a Catalog,
        config: &'a Config,
        (job, view): (&'a Job, &'a View),
    ) -> Result<Self, Error> {
        let (counter, model, window) = counter(config, job.model.as_deref())?;
        let mut limits = config.limits(window, job.budget);
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
            past: None,
            recaps: BTreeMap::new(),
        };
        compose.past = compose.past(&job.history).map(Arc::new);
        Ok(compose)
    }

    pub(super) fn context(&self, id: &ContextId) -> &'a Resolved {
        &self.contexts.contexts[id]
    }

    /// The same with another `--budget`, whatever the model's window is.
    pub(super) fn with_budget(&self, budget: usize) -> Result<Self, Error> {
        let (counter, model, window) = counter(self.config, self.job.model.as_deref())?;
        let limits = self.config.limits(window, Some(budget as u64));
        let (answers, topics) = (self.answers.clone(), self.topics.clone());
        let (past, recaps) = (self.past.clone(), self.recaps.clone());
        Ok(Self { counter, model, limits, window, answers, topics, past, recaps, ..*self })
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
        let Ladder { set_off, mut rungs } = self.ladder(&self.fixed(read, &items), &items);
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
        let around = |items: &[Item<'_>]| self.fixed(read, items).telling(told.clone());
        let mut fixed = around(&items);
        let limit = tokens(self.limits.limit);
        self.offer(&mut items, &fixed, selection);
        items::bind(&mut items, rung);
        let (mut allowed, mut seams) = (limit, 0);
        loop {
            let Ok(mut draft) = self.pack(&items, &fixed, selection, allowed) else {
                // As long as something of the conversation may go, contexts need not.
                if self.is_last(rung) && self.make_room(&mut items) {
                    (fixed, allowed, seams) = (around(&items), limit, 0);
                    continue;
                }
                return Err(Box::new(Short { fixed, items }));
            };
            if self.move_pins(&mut items, &draft) {
                fixed = around(&items);
                continue;
            }
            // Blocks are counted one by one; what counts is the whole, which the seams between
            // blocks may make larger. Then the same again with that much less.
            let total = self.measure(&draft);
            if total <= limit {
                let how = (rung, set_off);
                let total = self.tell_more(&mut draft, &mut fixed.told, total, how);
                if self.job.weigh {
                    self.shorten(&mut items, true);
                }
                let outcome = (fixed.told, rung, set_off);
                return Ok(finish::finish(self, (draft, total), selection, items, outcome));
            }
            // What seemed to fit whole may have to be shortened after all.
            self.shorten(&mut items, true);
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
            Renderer::new(self.sources, self.counter, self.job.style, self.config, context);
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

    fn lines(&self, lines: &[Line]) -> Vec<BundleLine> {
        let lines = line::trimmed(self.sources, lines).iter();
        lines.map(|line| BundleLine::of(line, self.sources)).collect()
    }

    pub(super) fn fixed(&self, read: &Read, items: &[Item<'_>]) -> Fixed {
        let style = self.job.style;
        let prompt = style.prompt(self.lines(&read.prompt.lines));
        let instruction = read.instruction.as_ref().and_then(|instruction| {
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
        let mut after = Vec::new();
        for input in &self.job.inputs {
            let lines = style.input(&input.name, &input.text);
            after.extend(self.block(BlockKind::Input, Section::Message, lines));
        }
        if !self.job.request.text.trim().is_empty() {
            // In a body the request is all of the last message, or stands behind the inputs.
            let style = if self.job.body.is_some() { Style::Text } else { style };
            let lines = style.request(self.job.request.text.trim());
            after.extend(self.block(BlockKind::Request, Section::Message, lines));
        }
        let prompt = self.block(BlockKind::Prompt, Section::System, prompt);
        Fixed { prompt, instruction, frames, told: Told::default(), after }
    }

    /// Adds the shorter renderings of what may have to be shortened. When everything fits nothing
    /// has to be, and nothing is computed.
    fn offer(&self, items: &mut [Item<'_>], fixed: &Fixed, selection: &Selection) {
        let cache = items.iter().any(|item| item.stable);
        let fits = !cache && self.fits_whole(items, fixed, selection);
        self.shorten(items, !fits);
    }

    /// The tokens that the stable part may take, whatever is requested, and at most `most`.
    fn stable_room(&self, fixed: &Fixed, most: usize) -> Room {
        let figure = tokens(self.limits.stable).saturating_sub(fixed.stable_tokens());
        let available = figure.min(most);
        Room { available, guarantees: self.guarantees(available), catalog: 0 }
    }

    /// Adds the shorter renderings of all items, or of those that are over their own cap.
    pub(super) fn shorten(&self, items: &mut [Item<'_>], all: bool) {
        let mut offered: Vec<&mut Offered<'_>> =
            items.iter_mut().map(|item| &mut item.offered).collect();
        offers::shorten(&mut offered, all, |id| self.line_tokens(id));
        for item in items {
            item.candidate = offers::candidate(&item.placed, &item.offered, self.config);
        }
    }

    /// Whether every item whole fits beside the catalog.
    pub(super) fn fits_whole(
        &self,
        items: &[Item<'_>],
        fixed: &Fixed,
        selection: &Selection,
    ) -> bool {
        let full: usize = items.iter().map(|item| item.offered.full.tokens).sum();
        let room = self.room(selection, tokens(self.limits.limit).saturating_sub(fixed.tokens()));
        full + room.catalog <= room.available
    }

    /// The tokens that contexts and catalog may take.
    fn room(&self, selection: &Selection, available: usize) -> Room {
        let guarantees = self.guarantees(available);
        let entries = self.entries(selection);
        let catalog = self.catalog(&entries, guarantees[Section::Catalog as usize]);
        Room { available, guarantees, catalog: catalog.map_or(0, |(block, _)| block.tokens) }
    }

    /// The tokens guaranteed to each section. Guarantees that together are more than there is keep
    /// their proportion.
    fn guarantees(&self, available: usize) -> [usize; Section::COUNT] {
        let limits = &self.limits.sections;
        let mut guarantees = [0; Section::COUNT];
        guarantees[Section::Profile as usize] = tokens(limits.profile);
        guarantees[Section::Location as usize] = tokens(limits.location);
        guarantees[Section::Related as usize] = tokens(limits.related);
        guarantees[Section::Catalog as usize] = tokens(limits.catalog);
        let promised: usize = guarantees.iter().fold(0, |sum, figure| sum.saturating_add(*figure));
        if promised > available {
            guarantees = guarantees.map(|figure| scaled(figure, available, promised));
        }
        guarantees
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
        let mut decided = Decided::default();
        if !stable.is_empty() {
            // What no request changes is packed alone, so that no request changes it; only a
            // request that leaves no room for it, or for what else is required, does.
            let owed: usize = rest.iter().map(|item| item.candidate.least()).sum();
            let most = available.saturating_sub(owed);
            let mut room = self.stable_room(fixed, most);
            // What is required there may take more than the figure, with every request alike.
            let least: usize = stable.iter().map(|item| item.candidate.least()).sum();
            room.available = room.available.max(least).min(most);
            decided = self.decide(stable, &room, true)?;
        }
        let room = Room { available: available - decided.used(), ..room };
        let more = self.decide_rest(rest, &room, selection)?;
        decided.renderings.extend(more.renderings);
        decided.named.extend(more.named);
        Ok(self.draft(items, fixed, selection, (decided, available)))
    }

    /// As [`Self::decide`]. A line in the catalog needs a catalog to stand in: where none is there
    /// anyhow, it is weighed what is worth more, without any line or with room for its frame.
    fn decide_rest(
        &self,
        items: &[Item<'_>],
        room: &Room,
        selection: &Selection,
    ) -> Result<Decided, Infeasible> {
        if room.catalog > 0 || self.config.budget.packing != Packing::Optimal {
            return self.decide(items, room, true);
        }
        let without = self.decide(items, room, false)?;
        let mut entries: Vec<Entry> =
            items.iter().map(|item| self.entry(&item.selected.id)).collect();
        entries.extend(self.entries(selection));
        let smaller = room.available.checked_sub(self.catalog_frame(&entries));
        let smaller = smaller.map(|available| Room { available, ..room.clone() });
        Ok(match smaller.and_then(|room| self.decide(items, &room, true).ok()) {
            Some(with) if with.utility > without.utility => with,
            _ => without,
        })
    }

    /// Decides for some items, and renders what was decided. Without `lines`, what is not loaded is
    /// not in the catalog either.
    fn decide(&self, items: &[Item<'_>], room: &Room, lines: bool) -> Result<Decided, Infeasible> {
        let open: Vec<usize> = (0..items.len()).filter(|&at| !items[at].barred).collect();
        let mut candidates: Vec<Candidate> =
            open.iter().map(|&at| items[at].candidate.clone()).collect();
        if !lines {
            let is_line = |offer: &Decision| offer.level == Level::Catalog;
            for candidate in &mut candidates {
                candidate.offers.retain(|offer| !is_line(offer));
            }
        }
        let mut cut: BTreeMap<usize, Rendering> = BTreeMap::new();
        let decisions = if self.config.budget.packing == Packing::Optimal {
            pack::optimal(&candidates, room)?
        } else {
            let min_useful = tokens(self.config.budget.min_useful);
            let mut shorten = |at: usize, limit: usize| {
                let (offered, must) = (&items[open[at]].offered, candidates[at].must);
                let useful = |r: &Rendering| must || r.tokens >= min_useful;
                let rendering = offered.renderer.truncated(limit).filter(useful).or_else(|| {
                    let shorter = offered.shorter.iter().find(|r| r.tokens <= limit);
                    shorter.cloned()
                })?;
                let decision = Decision { level: rendering.level, tokens: rendering.tokens };
                cut.insert(open[at], rendering);
                Some(decision)
            };
            pack::greedy(&candidates, room, &mut shorten)?
        };
        let utility = candidates.iter().zip(&decisions).map(|(one, made)| one.utility(made.level));
        let utility = utility.sum();
        let (mut renderings, mut named) = (vec![None; items.len()], vec![false; items.len()]);
        for (&at, decision) in open.iter().zip(decisions) {
            named[at] = decision.level == Level::Catalog;
            renderings[at] = match decision.level {
                Level::Dropped | Level::Catalog => None,
                level => cut.remove(&at).or_else(|| items[at].offered.rendering(level).cloned()),
            };
        }
        Ok(Decided { renderings, named, utility })
    }

    fn draft(
        &self,
        items: &[Item<'_>],
        fixed: &Fixed,
        selection: &Selection,
        (decided, available): (Decided, usize),
    ) -> Draft {
        let used = decided.used();
        let Decided { renderings, named, .. } = decided;
        let mut asked: Vec<usize> =
            (0..items.len()).filter(|&at| renderings[at].is_none()).collect();
        // What was asked for and did not fit is what a reader will want first, and of that the lines
        // for which packing has kept room: a longer one before them might take it.
        let worth = |at: usize| items[at].candidate.utility(Level::Detailed);
        asked.sort_by(|&a, &b| named[b].cmp(&named[a]).then(worth(b).total_cmp(&worth(a))));
        let mut entries: Vec<Entry> =
            asked.iter().map(|&at| self.entry(&items[at].selected.id)).collect();
        entries.extend(self.entries(selection));
        let figure = tokens(self.limits.sections.catalog).max(CATALOG);
        let left = available.saturating_sub(used);
        let lines: usize = asked.iter().map(|&at| items[at].offered.line).sum();
        let catalog = self.catalog(&entries, (figure + lines).min(left));
        let mut blocks = Vec::from_iter(fixed.prompt.clone());
        let mut stable_blocks = blocks.len();
        let stable_items = items.partition_point(|item| item.stable);
        let mut group = None;
        for (at, (item, rendering)) in items.iter().zip(&renderings).enumerate() {
            if at == stable_items {
                blocks.extend(fixed.instruction.clone());
            }
            let Some(rendering) = rendering else { continue };
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
        blocks.extend(fixed.after.iter().cloned());
        Draft { blocks, stable_blocks, told_at, renderings, entries, shown }
    }
}

impl Decided {
    /// The tokens of what is loaded.
    fn used(&self) -> usize {
        self.renderings.iter().flatten().map(|rendering| rendering.tokens).sum()
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
        before.chain(self.frames.values()).chain(&self.told.blocks).chain(&self.after)
    }

    pub(super) fn tokens(&self) -> usize {
        self.blocks().map(|block| block.tokens).sum()
    }

    fn stable_tokens(&self) -> usize {
        let frames = self.frames.iter().filter(|((stable, _), _)| *stable).map(|(_, block)| block);
        self.prompt.iter().chain(frames).map(|block| block.tokens).sum()
    }
}

/// `figure` × `part` / `whole`, rounded down.
fn scaled(figure: usize, part: usize, whole: usize) -> usize {
    let exact = figure as u128 * part as u128 / whole.max(1) as u128;
    usize::try_from(exact).unwrap_or(usize::MAX)
}

/// A number of tokens as one of the machine's.
pub(super) fn tokens(figure: u64) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}

/// The counter for a model, its name and its window.
///
/// # Errors
///
/// [`Error::Unknown`] for a model or an encoding that is not known.
pub fn counter(
    config: &Config,
    model: Option<&str>,
) -> Result<(Counter, Option<String>, Option<u64>), Error> {
    let name =
        model.map(str::to_owned).or_else(|| config.model.as_ref().map(|model| model.value.clone()));
    let encoding = |name: &str| {
        Encoding::from_name(name).ok_or_else(|| {
            Error::unknown("encoding", name, Encoding::NAMES.iter().map(|(name, _)| *name))
        })
    };
    let Some(name) = name else {
        let encoding = encoding(&config.encoding.value)?;
        return Ok((Counter { encoding, margin_percent: 0 }, None, None));
    };
    let Some(model) = config.model(&name) else {
        return Err(Error::unknown("model", &name, config.models.0.keys().map(String::as_str)));
    };
    let counter =
        Counter { encoding: encoding(&model.encoding)?, margin_percent: model.margin_percent };
    Ok((counter, Some(name), Some(model.window)))
}
