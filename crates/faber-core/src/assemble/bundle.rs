//! The composed bundle, from a draft.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::assemble::builder::{BundleBuilder, BundleDraft, tokens};
use crate::assemble::degradation::{self, Attempt};
use crate::assemble::figures::{
    self, ContextTokens, ConversationTokens, Degraded, Figures, PackingTrace, PrincipalFigures,
    ResponseTokens, Summarized, Summary,
};
use crate::assemble::history::{HistoryBlock, KeptHistory};
use crate::assemble::item::BundleItem;
use crate::assemble::needs::{self, McpNeed};
use crate::budget::level::{Level, Section};
use crate::context_id::ContextId;
use crate::error::Error;
use crate::numbers::{float, rounded};
use crate::render::block::{BundleBlock, BundleBlockKind, bundle_text};
use crate::render::body::{self, BodyContents, Vendor};
use crate::render::catalog::CatalogEntry;
use crate::resolve::catalog::{Excluded, content_hash};
use crate::resolve::view::Why;
use crate::select::reason::{COMES_LAST, Reason};
use crate::select::selection::Selection;

#[derive(Debug)]
pub struct Bundle {
    pub blocks: Vec<BundleBlock>,
    pub loaded: Vec<Loaded>,
    pub catalogued: Vec<Catalogued>,
    pub excluded: Vec<Excluded>,
    pub needs: Vec<McpNeed>,
    pub figures: Figures,
    pub relevance: BTreeMap<ContextId, f64>,
    pub traces: Vec<PackingTrace>,
    pub stable_blocks: usize,
    pub history: Vec<KeptHistory>,
    pub note: Option<String>,
    /// Indexes of messages.
    pub archivable: Vec<usize>,
    /// Text that `budget.summarizer` could summarize.
    pub older: Option<String>,
    pub answer: u64,
}

impl Bundle {
    pub fn text(&self) -> String {
        bundle_text(&self.blocks)
    }

    /// # Errors
    ///
    /// See [`body::body`].
    pub fn request_body(&self, vendor: Vendor) -> Result<Value, Error> {
        let history = self.figures.history.as_ref();
        let contents = BodyContents {
            model: self.figures.model.as_deref(),
            answer: self.answer,
            blocks: &self.blocks,
            stable_blocks: self.stable_blocks,
            note: self.note.as_deref(),
            summary: history.and_then(|history| history.summary.as_deref()),
            turns: self.history.iter().map(|kept| kept.turn.clone()).collect(),
        };
        body::body(contents, vendor)
    }
}

#[derive(Clone, Debug)]
pub struct Loaded {
    pub id: ContextId,
    pub reasons: Vec<Reason>,
    pub level: Level,
    pub section: Section,
    pub tokens: usize,
    pub full_tokens: usize,
    pub priority: i64,
    pub block: usize,
}

#[derive(Clone, Debug)]
pub struct Catalogued {
    pub entry: CatalogEntry,
    pub reasons: Vec<Reason>,
    pub crowded_out: bool,
    pub named: bool,
}

const ANSWER: u64 = 8192;

#[derive(Default)]
struct PackingOutcome {
    loaded: Vec<Loaded>,
    degraded: Vec<Degraded>,
    dropped_reasons: BTreeMap<ContextId, Vec<Reason>>,
    dropped: BTreeSet<ContextId>,
    excluded: Vec<Excluded>,
    utility: f64,
    is_traced: bool,
    traces: Vec<PackingTrace>,
    /// Related and other contexts not in full: number, tokens saved.
    given_way: [(usize, usize); 2],
}

pub(super) struct PackedBundle<'a> {
    pub(super) draft: BundleDraft,
    pub(super) items: Vec<BundleItem<'a>>,
    pub(super) history: HistoryBlock,
}

pub(super) fn finish(
    builder: &BundleBuilder<'_>,
    PackedBundle { mut draft, items, history: history_block }: PackedBundle<'_>,
    selection: &Selection,
    Attempt { stage, fired }: Attempt<'_>,
) -> Bundle {
    draft.fill(&items);
    let total = draft.total;
    let (excluded, is_traced) = (selection.excluded.clone(), builder.job.trace);
    let mut outcome = PackingOutcome { excluded, is_traced, ..PackingOutcome::default() };
    outcome.add_items(&draft, items);
    let mut suggested: BTreeMap<ContextId, Reason> = selection.suggested.iter().cloned().collect();
    outcome.excluded.sort();
    let text = draft.text();
    let catalogued = draft
        .entries
        .into_iter()
        .enumerate()
        .filter(|(_, entry)| !outcome.dropped.contains(&entry.id))
        .map(|(at, entry)| {
            let dropped = outcome.dropped_reasons.remove(&entry.id);
            let crowded_out = dropped.is_some();
            let reasons =
                dropped.or_else(|| suggested.remove(&entry.id).map(|reason| vec![reason]));
            let (named, reasons) = (at < draft.shown, reasons.unwrap_or_default());
            Catalogued { entry, reasons, crowded_out, named }
        })
        .collect();
    let contexts = outcome.loaded.iter().map(|loaded| builder.context(&loaded.id));
    let need = |context| needs::need(context, builder.config, builder.sources);
    let needs = contexts.filter_map(need).collect();
    let stable = &draft.blocks[..draft.stable_blocks];
    let prefix = stable.iter().map(|block| block.tokens).sum();
    let summarized = outcome.loaded.iter().filter(|loaded| loaded.level == Level::Summary);
    let summarized = summarized.filter_map(|loaded| {
        let (id, text) = (loaded.id.clone(), builder.answers.get(&loaded.id)?.clone());
        Some(Summarized { id, text })
    });
    let history = builder.history_figures(&history_block, fired);
    let recovery = history.as_ref().map(|history| {
        degradation::recovery(outcome.given_way, history, history_block.tokens(), stage)
    });
    let figures = Figures {
        history,
        recovery: recovery.unwrap_or_default(),
        degraded: outcome.degraded,
        summarized: summarized.collect(),
        material: builder.material_figures(&draft.blocks),
        utility: (outcome.utility * 1000.0).round() / 1000.0,
        stable_prefix_tokens: prefix,
        ..figures(builder, &draft.blocks, total, &text)
    };
    let saved: usize = figures.degraded.iter().map(|degraded| degraded.tokens_saved).sum();
    let material = figures.material.iter().map(|one| one.full_tokens - one.tokens);
    let saved = saved + material.sum::<usize>();
    let cut_history = figures.history.as_ref().filter(|history| history.whole < history.messages);
    let saved = saved
        + cut_history
            .map_or(0, |history| history.full_tokens.saturating_sub(history_block.tokens()));
    let relevance = selection.relevance.iter();
    let summary = Summary { efficiency_saved: saved, ..figures.summary };
    Bundle {
        archivable: builder.archivable(&history_block, fired),
        stable_blocks: draft.stable_blocks,
        history: history_block.kept,
        note: history_block.note,
        older: history_block.older,
        answer: answer(builder, total),
        blocks: draft.blocks,
        loaded: outcome.loaded,
        catalogued,
        excluded: outcome.excluded,
        needs,
        figures: Figures { summary, ..figures },
        relevance: relevance.map(|(id, one)| (id.clone(), one.score)).collect(),
        traces: outcome.traces,
    }
}

fn answer(builder: &BundleBuilder<'_>, total: usize) -> u64 {
    if builder.config.budget.response.is_some() {
        return builder.limits.response;
    }
    let left = builder.window.map(|window| window.saturating_sub(total as u64));
    ANSWER.min(left.unwrap_or(ANSWER))
}

impl PackingOutcome {
    fn add_items(&mut self, draft: &BundleDraft, items: Vec<BundleItem<'_>>) {
        let shown: BTreeSet<&ContextId> =
            draft.entries[..draft.shown].iter().map(|entry| &entry.id).collect();
        let places: BTreeMap<&ContextId, usize> = (0..)
            .zip(&draft.blocks)
            .filter_map(|(at, block)| match &block.kind {
                BundleBlockKind::Context(id) => Some((id, at)),
                _ => None,
            })
            .collect();
        for ((item, taken), most) in items.into_iter().zip(&draft.taken).zip(&draft.max_tokens) {
            let level = match taken {
                Some(offer) => offer.level,
                None if shown.contains(&item.selected.id) => Level::Catalog,
                None => Level::Dropped,
            };
            let full = item.offered.full().tokens;
            let tokens = taken.map_or(0, |offer| offer.tokens);
            if self.is_traced {
                self.traces.push(figures::trace(&item, *taken, *most));
            }
            self.utility += taken.map_or(0.0, |offer| item.candidate.utility(&offer));
            let comes_last = item.is_last();
            let id = item.selected.id;
            if level != Level::Detailed {
                let tokens_saved = full.saturating_sub(tokens);
                let is_related = item.candidate.section == Section::Related;
                let (count, saved) = &mut self.given_way[usize::from(!is_related)];
                (*count, *saved) = (*count + 1, *saved + tokens_saved);
                let over_cap = full.saturating_sub(item.candidate.offers[0].tokens);
                let (id, from) = (id.clone(), Level::Detailed);
                self.degraded.push(Degraded { id, from, to: level, tokens_saved, over_cap });
            }
            match level {
                Level::Dropped => {
                    self.dropped.insert(id.clone());
                    let detail = if comes_last {
                        COMES_LAST.to_owned()
                    } else {
                        format!("{full} tokens do not fit")
                    };
                    self.excluded.push(Excluded { id, why: Why::OverBudget, detail, path: None });
                }
                Level::Catalog => {
                    self.dropped_reasons.insert(id, item.selected.reasons);
                }
                _ => self.loaded.push(Loaded {
                    block: places[&id],
                    id,
                    reasons: item.selected.reasons,
                    level,
                    section: item.candidate.section,
                    tokens,
                    full_tokens: full,
                    priority: item.candidate.priority,
                }),
            }
        }
    }
}

fn figures(
    builder: &BundleBuilder<'_>,
    blocks: &[BundleBlock],
    total: usize,
    text: &str,
) -> Figures {
    let mut context = ContextTokens::default();
    let mut conversation = ConversationTokens::default();
    for block in blocks {
        context.add(block.section, block.tokens);
        conversation.add(block.section, block.tokens);
    }
    let limit = tokens(builder.limits.limit);
    let principal = &builder.view.principal;
    Figures {
        encoding: builder.counter.encoding.name(),
        estimated: builder.counter.is_estimated(),
        reconstructed: builder.counter.is_reconstructed(),
        model: builder.model.clone(),
        margin: builder.counter.margin_percent,
        context,
        conversation,
        response: ResponseTokens { reserved: builder.limits.response },
        summary: Summary {
            total_used: total,
            limit,
            utilization_percent: percent(total, limit),
            efficiency_saved: 0,
        },
        sections: builder.limits.sections,
        digest: content_hash(text),
        reference_date: builder.view.date.to_string(),
        principal: PrincipalFigures {
            user: principal.user.clone(),
            groups: principal.groups.iter().cloned().collect(),
            user_layer: builder.view.user_layer,
        },
        version: env!("CARGO_PKG_VERSION"),
        ..Figures::default()
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    rounded(float(part) * 100.0 / float(whole), 10.0)
}
