//! From a selection to the blocks of a bundle that keeps its budget.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::assemble::figures::{
    ContextTokens, ConversationTokens, Degraded, Figures, PrincipalFigures, ResponseTokens,
    SectionLimits, Summary,
};
use crate::assemble::needs::{self, McpNeed};
use crate::assemble::renderings::{Renderer, Rendering};
use crate::assemble::{Catalogued, Job, Loaded, Read};
use crate::budget::level::{Level, Section};
use crate::budget::pack::{self, Candidate, Decision, Room};
use crate::config::{Config, Limits};
use crate::document::ContextId;
use crate::error::Error;
use crate::layer::LayerKind;
use crate::line::Line;
use crate::render::block::{Block, BlockKind, BundleLine, bundle_lines, text_of};
use crate::render::catalog::{self, Entry, Scope};
use crate::resolve::catalog::{Catalog, Excluded, Resolved};
use crate::resolve::view::{View, Why};
use crate::select::reason::ReasonKind;
use crate::select::selection::{Group, Selected, Selection};
use crate::source::SourceMap;
use crate::tokens::{Counter, Encoding};

/// What composing works with.
pub struct Compose<'a> {
    sources: &'a SourceMap,
    contexts: &'a Catalog,
    config: &'a Config,
    job: &'a Job,
    view: &'a View,
    counter: Counter,
    model: Option<String>,
    limits: Limits,
}

/// A composed bundle.
pub struct Composed {
    /// The parts, in order.
    pub blocks: Vec<Block>,
    /// What is loaded, in emission order.
    pub loaded: Vec<Loaded>,
    /// What is only named.
    pub catalogued: Vec<Catalogued>,
    /// What is not used.
    pub excluded: Vec<Excluded>,
    /// MCP servers and tools that are needed.
    pub needs: Vec<McpNeed>,
    /// Tokens.
    pub figures: Figures,
}

/// The blocks that stand whatever else fits.
struct Fixed {
    before: Vec<Block>,
    frames: BTreeMap<Group, Block>,
    after: Vec<Block>,
    tokens: usize,
}

/// One way of filling the budget.
struct Draft {
    blocks: Vec<Block>,
    renderings: Vec<Option<Rendering>>,
    entries: Vec<Entry>,
    shown: usize,
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
        let limits = config.limits(window, job.budget);
        Ok(Self { sources, contexts, config, job, view, counter, model, limits })
    }

    fn context(&self, id: &ContextId) -> &'a Resolved {
        &self.contexts.contexts[id]
    }

    /// Composes.
    ///
    /// # Errors
    ///
    /// [`Error::Budget`] when what is required does not fit.
    pub fn run(&self, read: &Read, selection: Selection) -> Result<Composed, Error> {
        let fixed = self.fixed(read, &selection);
        let renderers: Vec<Renderer<'_>> = selection
            .selected
            .iter()
            .map(|selected| {
                let context = self.context(&selected.id);
                Renderer::new(self.sources, &self.counter, self.job.style, self.config, context)
            })
            .collect();
        let full: Vec<Rendering> = renderers.par_iter().map(Renderer::detailed).collect();
        let candidates: Vec<Candidate> = selection
            .selected
            .iter()
            .zip(&full)
            .map(|(s, f)| self.candidate(s, f.tokens))
            .collect();
        let limit = usize::try_from(self.limits.limit).unwrap_or(usize::MAX);
        let mut allowed = limit;
        loop {
            let room = self.room(&fixed, &selection, allowed);
            let room = room.ok_or_else(|| self.too_small(&fixed, &selection, &candidates, 0))?;
            let decisions =
                self.decide(&candidates, &room, &renderers, &full).map_err(|infeasible| {
                    self.too_small(&fixed, &selection, &candidates, infeasible.needed)
                })?;
            let draft = self.draft(&fixed, &selection, decisions, allowed);
            // Blocks are counted one by one; what counts is the whole, which the seams between
            // blocks may make larger. Then the same again with that much less.
            let lines = bundle_lines(&draft.blocks);
            let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
            let total = self.counter.count(&text);
            if total <= limit {
                return Ok(self.finish(draft, selection, &candidates, (total, &text)));
            }
            allowed = allowed.saturating_sub((total - limit).max(1));
        }
    }

    fn block(&self, kind: BlockKind, section: Section, lines: Vec<BundleLine>) -> Option<Block> {
        let tokens = self.counter.count(&text_of(&lines));
        (!lines.is_empty()).then_some(Block { kind, section, lines, tokens })
    }

    fn lines(&self, lines: &[Line]) -> Vec<BundleLine> {
        let lines: Vec<BundleLine> =
            lines.iter().map(|line| BundleLine::of(line, self.sources)).collect();
        let blank = |line: &BundleLine| line.text.trim().is_empty();
        let start = lines.iter().position(|line| !blank(line)).unwrap_or(lines.len());
        let end = lines.iter().rposition(|line| !blank(line)).map_or(start, |last| last + 1);
        lines[start..end].to_vec()
    }

    fn fixed(&self, read: &Read, selection: &Selection) -> Fixed {
        let style = self.job.style;
        let prompt = style.prompt(self.lines(&read.prompt.lines));
        let mut before = Vec::from_iter(self.block(BlockKind::Prompt, Section::System, prompt));
        if let Some(instruction) = &read.instruction {
            let path = self.sources.path(instruction.file).as_str();
            let lines = self.lines(&instruction.lines);
            let lines = style.instruction(instruction.what, &instruction.name, path, lines);
            before.extend(self.block(BlockKind::Instruction, Section::System, lines));
        }
        let mut frames = BTreeMap::new();
        for selected in &selection.selected {
            let section =
                if selected.group == Group::Related { Section::Related } else { Section::Location };
            let heading = style.group(selected.group.heading());
            if let Some(block) = self.block(BlockKind::Frame, section, heading) {
                frames.insert(selected.group, block);
            }
        }
        let mut after = Vec::new();
        for input in &self.job.inputs {
            let lines = style.input(&input.name, &input.text);
            after.extend(self.block(BlockKind::Input, Section::Message, lines));
        }
        if !self.job.request.text.trim().is_empty() {
            let lines = style.request(self.job.request.text.trim());
            after.extend(self.block(BlockKind::Request, Section::Message, lines));
        }
        let all = before.iter().chain(frames.values()).chain(&after);
        let tokens = all.map(|block| block.tokens).sum();
        Fixed { before, frames, after, tokens }
    }

    fn candidate(&self, selected: &Selected, full: usize) -> Candidate {
        let context = self.context(&selected.id);
        let fields = &context.front.fields;
        let cap =
            fields.max_tokens.as_ref().map(|cap| usize::try_from(cap.value).unwrap_or(usize::MAX));
        Candidate {
            priority: priority(context),
            weight: self.weight(selected),
            must: fields.required || selected.has(ReasonKind::Pinned),
            truncatable: fields.truncatable,
            section: section(context, selected.group),
            full,
            cap,
        }
    }

    /// The weight of the strongest reason. A keyword counts one more for each further distinct
    /// keyword, up to 10; what is pinned or asked for by a task counts as the highest.
    fn weight(&self, selected: &Selected) -> f64 {
        let weight = |kind: ReasonKind| self.config.selection.weights.get(kind.name()).copied();
        let further = selected.keyword_hits().0.saturating_sub(1);
        let further = f64::from(u32::try_from(further).unwrap_or(u32::MAX));
        let of = |kind: ReasonKind| match kind {
            ReasonKind::Keyword => {
                let base = weight(kind).unwrap_or(7.0);
                (base + further).min(10.0_f64.max(base))
            }
            ReasonKind::Pinned | ReasonKind::Task => weight(kind).unwrap_or(10.0),
            _ => weight(kind).unwrap_or(1.0),
        };
        selected.reasons.iter().map(|reason| of(reason.kind)).fold(0.0, f64::max)
    }

    /// The tokens that contexts may take; none when the fixed blocks alone take more.
    fn room(&self, fixed: &Fixed, selection: &Selection, allowed: usize) -> Option<Room> {
        let available = allowed.checked_sub(fixed.tokens)?;
        let limits = &self.limits.sections;
        let tokens = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        let mut guarantees = [0; Section::COUNT];
        guarantees[Section::Profile as usize] = tokens(limits.profile);
        guarantees[Section::Location as usize] = tokens(limits.location);
        guarantees[Section::Related as usize] = tokens(limits.related);
        guarantees[Section::Catalog as usize] = tokens(limits.catalog);
        let entries = self.entries(selection.catalogued.iter());
        let catalog = self.catalog(&entries, tokens(limits.catalog).min(available));
        Some(Room { available, guarantees, catalog: catalog.map_or(0, |(block, _)| block.tokens) })
    }

    fn decide(
        &self,
        candidates: &[Candidate],
        room: &Room,
        renderers: &[Renderer<'_>],
        full: &[Rendering],
    ) -> Result<Vec<(Decision, Option<Rendering>)>, pack::Infeasible> {
        let mut shortened: BTreeMap<usize, Rendering> = BTreeMap::new();
        let min_useful = usize::try_from(self.config.budget.min_useful).unwrap_or(usize::MAX);
        let decision =
            |rendering: &Rendering| Decision { level: rendering.level, tokens: rendering.tokens };
        let mut smallest = |at: usize| decision(&renderers[at].essence());
        let mut shorten = |at: usize, limit: usize| {
            let renderer: &Renderer<'_> = &renderers[at];
            let useful =
                |rendering: &Rendering| rendering.tokens >= min_useful || candidates[at].must;
            let fits = |rendering: &Rendering| rendering.tokens <= limit;
            let rendering = renderer
                .truncated(limit)
                .filter(useful)
                .or_else(|| Some(renderer.summary()).filter(fits))
                .or_else(|| Some(renderer.essence()).filter(fits))?;
            let decision = decision(&rendering);
            shortened.insert(at, rendering);
            Some(decision)
        };
        let decisions = pack::greedy(candidates, room, &mut smallest, &mut shorten)?;
        let rendering = |(at, decision): (usize, Decision)| {
            let rendering = match decision.level {
                Level::Detailed => Some(full[at].clone()),
                Level::Dropped | Level::Catalog => None,
                _ => Some(shortened.remove(&at).unwrap_or_else(|| renderers[at].essence())),
            };
            (decision, rendering)
        };
        Ok(decisions.into_iter().enumerate().map(rendering).collect())
    }

    fn draft(
        &self,
        fixed: &Fixed,
        selection: &Selection,
        decisions: Vec<(Decision, Option<Rendering>)>,
        allowed: usize,
    ) -> Draft {
        let used: usize = decisions.iter().map(|(decision, _)| decision.tokens).sum();
        let renderings: Vec<Option<Rendering>> = decisions.into_iter().map(|(_, r)| r).collect();
        let unloaded = selection.selected.iter().zip(&renderings).filter(|(_, r)| r.is_none());
        // What was asked for and did not fit is what a reader will want first.
        let mut entries = self.entries(unloaded.map(|(selected, _)| &selected.id));
        entries.extend(self.entries(selection.catalogued.iter()));
        let figure = usize::try_from(self.limits.sections.catalog).unwrap_or(usize::MAX);
        let left = allowed.saturating_sub(fixed.tokens + used);
        let catalog = self.catalog(&entries, figure.min(left));
        let mut blocks = fixed.before.clone();
        let mut group = None;
        for (selected, rendering) in selection.selected.iter().zip(&renderings) {
            let Some(rendering) = rendering else { continue };
            if group != Some(selected.group) {
                group = Some(selected.group);
                blocks.extend(fixed.frames.get(&selected.group).cloned());
            }
            blocks.push(Block {
                kind: BlockKind::Context(selected.id.clone()),
                section: section(self.context(&selected.id), selected.group),
                lines: rendering.lines.clone(),
                tokens: rendering.tokens,
            });
        }
        let shown = catalog.as_ref().map_or(0, |(_, shown)| *shown);
        blocks.extend(catalog.map(|(block, _)| block));
        blocks.extend(fixed.after.iter().cloned());
        Draft { blocks, renderings, entries, shown }
    }

    /// Catalog entries by scope, then id.
    fn entries<'i>(&self, ids: impl Iterator<Item = &'i ContextId>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = ids
            .map(|id| Entry { id: id.clone(), scope: Scope::of(self.context(id).top) })
            .collect();
        entries.sort_by(|a, b| (a.scope, &a.id).cmp(&(b.scope, &b.id)));
        entries
    }

    /// The largest catalog in `limit` tokens, and how many entries it names; none when there is
    /// nothing to say or no room to say it.
    fn catalog(&self, entries: &[Entry], limit: usize) -> Option<(Block, usize)> {
        if entries.is_empty() {
            return None;
        }
        let names = self.scope_names();
        let essence = |id: &ContextId| self.context(id).essence(self.sources);
        let build = |shown: usize| {
            let lines = catalog::lines(entries, shown, &names, &essence);
            self.block(BlockKind::Catalog, Section::Catalog, self.job.style.catalog(lines))
        };
        let fits = |shown: usize| build(shown).filter(|block| block.tokens <= limit);
        let mut best = fits(0)?;
        // An entry takes at least four tokens, so more than this need not be tried.
        let (mut low, mut high) = (0, entries.len().min(limit / 4));
        while low < high {
            let middle = usize::midpoint(low, high + 1);
            match fits(middle) {
                Some(block) => (best, low) = (block, middle),
                None => high = middle - 1,
            }
        }
        Some((best, low))
    }

    fn scope_names(&self) -> BTreeMap<Scope, String> {
        let settings = &self.config.settings;
        let name = |scope, value: &Option<crate::source::Spanned<String>>| {
            value.as_ref().map(|value| (scope, value.value.clone()))
        };
        let role = self.view.role.clone().map(|role| (Scope::Area, role));
        let named = [
            name(Scope::Organization, &settings.organization),
            name(Scope::Team, &settings.team),
            role,
        ];
        named.into_iter().flatten().collect()
    }

    fn too_small(
        &self,
        fixed: &Fixed,
        selection: &Selection,
        candidates: &[Candidate],
        required: usize,
    ) -> Error {
        let needed = fixed.tokens + required;
        let mut pieces: Vec<(usize, String)> = Vec::new();
        for block in fixed.before.iter().chain(&fixed.after) {
            let name = match block.kind {
                BlockKind::Prompt => "the role's prompt",
                BlockKind::Instruction => "the task or flow",
                BlockKind::Input => "an input",
                _ => "the request",
            };
            pieces.push((block.tokens, name.to_owned()));
        }
        let required =
            selection.selected.iter().zip(candidates).filter(|(_, candidate)| candidate.must);
        pieces.extend(
            required.map(|(selected, candidate)| (candidate.full, selected.id.to_string())),
        );
        pieces.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let largest: Vec<String> =
            pieces.iter().take(5).map(|(tokens, name)| format!("{name} ({tokens})")).collect();
        let limit = usize::try_from(self.limits.limit).unwrap_or(usize::MAX);
        let needed = needed.max(limit + 1);
        let help = format!(
            "the largest required pieces are {}; a budget of {needed} would do",
            largest.join(", ")
        );
        Error::Budget { limit, needed, help }
    }

    fn finish(
        &self,
        draft: Draft,
        selection: Selection,
        candidates: &[Candidate],
        (total, text): (usize, &str),
    ) -> Composed {
        let mut excluded = selection.excluded;
        let mut loaded = Vec::new();
        let mut degraded = Vec::new();
        let mut asked: BTreeMap<ContextId, Vec<crate::select::reason::Reason>> = BTreeMap::new();
        let mut utility = 0.0;
        let shown: std::collections::BTreeSet<&ContextId> =
            draft.entries[..draft.shown].iter().map(|entry| &entry.id).collect();
        for ((selected, rendering), candidate) in
            selection.selected.into_iter().zip(&draft.renderings).zip(candidates)
        {
            let level = match rendering {
                Some(rendering) => rendering.level,
                None if shown.contains(&selected.id) => Level::Catalog,
                None => Level::Dropped,
            };
            let tokens = rendering.as_ref().map_or(0, |rendering| rendering.tokens);
            let priority = u32::try_from(candidate.priority.clamp(1, 10)).unwrap_or(10);
            utility += candidate.weight * f64::from(11 - priority) * value(level);
            if level != Level::Detailed {
                degraded.push(Degraded {
                    id: selected.id.clone(),
                    from: Level::Detailed,
                    to: level,
                    tokens_saved: candidate.full.saturating_sub(tokens),
                });
            }
            match level {
                Level::Dropped => excluded.push(Excluded {
                    id: selected.id,
                    why: Why::OverBudget,
                    detail: format!("{} tokens do not fit", candidate.full),
                    path: None,
                }),
                Level::Catalog => {
                    asked.insert(selected.id, selected.reasons);
                }
                _ => {
                    let is = |block: &Block| block.kind == BlockKind::Context(selected.id.clone());
                    loaded.push(Loaded {
                        block: draft.blocks.iter().position(is).unwrap_or(0),
                        id: selected.id,
                        reasons: selected.reasons,
                        group: selected.group,
                        level,
                        section: candidate.section,
                        tokens,
                        full_tokens: candidate.full,
                        priority: candidate.priority,
                    });
                }
            }
        }
        excluded.sort();
        let dropped =
            |id: &ContextId| degraded.iter().any(|d| d.id == *id && d.to == Level::Dropped);
        let catalogued = draft
            .entries
            .into_iter()
            .filter(|entry| !dropped(&entry.id))
            .map(|entry| Catalogued { reasons: asked.remove(&entry.id).unwrap_or_default(), entry })
            .collect();
        let loaded_contexts = loaded.iter().map(|loaded: &Loaded| self.context(&loaded.id));
        let needs =
            loaded_contexts.filter_map(|context| needs::need(context, self.config)).collect();
        let prefix = stable_prefix(&draft.blocks, &loaded);
        let figures = self.figures(&draft.blocks, degraded, (utility, prefix), (total, text));
        Composed { blocks: draft.blocks, loaded, catalogued, excluded, needs, figures }
    }

    fn figures(
        &self,
        blocks: &[Block],
        degraded: Vec<Degraded>,
        (utility, stable_prefix_tokens): (f64, usize),
        (total, text): (usize, &str),
    ) -> Figures {
        let mut context = ContextTokens::default();
        let mut message = 0;
        for block in blocks {
            context.add(block.section, block.tokens);
            if block.section == Section::Message {
                message += block.tokens;
            }
        }
        let limit = usize::try_from(self.limits.limit).unwrap_or(usize::MAX);
        let sections = &self.limits.sections;
        let principal = &self.view.principal;
        Figures {
            encoding: self.counter.encoding.name(),
            estimated: self.counter.is_estimated(),
            model: self.model.clone(),
            margin: self.counter.margin_percent,
            context,
            conversation: ConversationTokens { history: 0, message, total: message },
            response: ResponseTokens { reserved: self.limits.response },
            summary: Summary {
                total_used: total,
                limit,
                utilization_percent: percent(total, limit),
                efficiency_saved: degraded.iter().map(|degraded| degraded.tokens_saved).sum(),
            },
            sections: SectionLimits {
                system: sections.system,
                profile: sections.profile,
                location: sections.location,
                related: sections.related,
                catalog: sections.catalog,
            },
            degraded,
            recovery: Vec::new(),
            stable_prefix_tokens,
            utility: (utility * 1000.0).round() / 1000.0,
            digest: format!("blake3:{}", blake3::hash(text.as_bytes()).to_hex()),
            reference_date: self.view.date.to_string(),
            principal: PrincipalFigures {
                user: principal.user.clone(),
                groups: principal.groups.iter().cloned().collect(),
            },
            version: env!("CARGO_PKG_VERSION"),
        }
    }
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

/// Its own priority, else its category's.
pub(super) fn priority(context: &Resolved) -> i64 {
    let own = context.front.fields.priority.as_ref().map(|priority| priority.value);
    own.unwrap_or(context.id.category.row().priority)
}

fn section(context: &Resolved, group: Group) -> Section {
    match (context.base, group) {
        (_, Group::Related) => Section::Related,
        (LayerKind::User, _) => Section::Profile,
        _ => Section::Location,
    }
}

/// What a context is worth at a level, as a part of what all of it is worth.
fn value(level: Level) -> f64 {
    match level {
        Level::Detailed => 1.0,
        Level::Truncated | Level::Summary => 0.6,
        Level::Essence => 0.3,
        Level::Catalog => 0.1,
        Level::Dropped => 0.0,
    }
}

/// `part` of `whole` in percent, with one decimal.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^53")]
    let percent = part as f64 * 100.0 / whole as f64;
    (percent * 10.0).round() / 10.0
}

/// Tokens at the start of the bundle that no request changes: the prompt, and contexts that are
/// there whatever is asked, up to the first block that is not such.
fn stable_prefix(blocks: &[Block], loaded: &[Loaded]) -> usize {
    let is_stable = |id: &ContextId| {
        let stable = [ReasonKind::Always, ReasonKind::Platform, ReasonKind::Custom];
        loaded.iter().filter(|loaded| loaded.id == *id).any(|loaded| {
            loaded.level == Level::Detailed
                && loaded.reasons.iter().any(|reason| stable.contains(&reason.kind))
        })
    };
    let mut tokens = 0;
    let mut heading = 0;
    for block in blocks {
        match &block.kind {
            BlockKind::Prompt => tokens += block.tokens,
            BlockKind::Frame => heading = block.tokens,
            BlockKind::Context(id) if is_stable(id) => {
                tokens += heading + block.tokens;
                heading = 0;
            }
            _ => break,
        }
    }
    tokens
}
