use std::cmp::Reverse;

use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Loaded;
use faber_core::assemble::insecure::errors_in;
use faber_core::assemble::offers::priority;
use faber_core::assemble::reader::{BEST_PARTS, all_of};
use faber_core::budget::level::Level;
use faber_core::escape::Visible;
use faber_core::render::block::text_of;
use faber_core::render::style::{ContextHeading, Style};
use faber_core::resolve::catalog::Context;
use faber_core::select::selection::Selected;
use faber_core::source::Span;
use faber_core::tokens::Counter;
use faber_session::hook::LineRanges;
use faber_session::session::Workspace;

use super::deliver::DeliveredContext;
use super::fit::HookOffer;
use super::part::{self, Rest};
use crate::label::SourceLabel;

pub(super) struct ContextOffers<'a> {
    pub assembly: &'a Assembly,
    pub workspace: &'a Workspace,
    pub counter: &'a Counter,
    pub all: Vec<(&'a Context, HookOffer)>,
}

impl<'a> ContextOffers<'a> {
    pub(super) fn add(&mut self, loaded: &'a Loaded, is_update: bool) {
        let text = text_of(&self.assembly.bundle.blocks[loaded.block].lines);
        let text = without_head(&text, self.assembly.job.style).to_owned();
        let part = || part::shown(self.assembly, self.workspace, loaded, usize::MAX);
        let delivered = DeliveredContext {
            level: Some(loaded.level),
            reasons: loaded.reasons.clone(),
            tokens: loaded.tokens,
            is_update,
            lines: (loaded.level != Level::Detailed).then(part),
            ..DeliveredContext::default()
        };
        let update = is_update.then_some(("update", "replaces the earlier text"));
        self.push(&self.assembly.catalog.contexts[&loaded.id], delivered, update, text);
    }

    pub(super) fn add_matching_rest(&mut self, known: &'a Selected, given: &LineRanges) {
        let context = &self.assembly.catalog.contexts[&known.id];
        let rest = part::matching_rest(self.assembly, context, given, self.workspace);
        let all = all_of(context.body.lines(&self.workspace.sources).len());
        let id = Visible(&known.id.to_string()).code();
        let note = self.assembly.job.more.note(Some(BEST_PARTS), &id, &all);
        self.add_rest(known, rest, Some(&note));
    }

    pub(super) fn add_whole_rest(&mut self, known: &'a Selected, given: &LineRanges) {
        let context = &self.assembly.catalog.contexts[&known.id];
        self.add_rest(known, part::whole_rest(context, given, self.workspace), None);
    }

    fn add_rest(&mut self, known: &'a Selected, rest: Option<Rest>, note: Option<&str>) {
        let Some(Rest { mut text, numbers }) = rest else { return };
        let context = &self.assembly.catalog.contexts[&known.id];
        let severities = self.workspace.severities();
        let at = context.sources.first().map(|source| Span::start_of(source.file));
        if at.is_none_or(|at| !errors_in(at, &text, severities).is_empty()) {
            return;
        }
        let delivered = DeliveredContext {
            level: Some(Level::Focused),
            reasons: known.reasons.clone(),
            tokens: self.counter.count(&text),
            is_more: true,
            lines: Some(numbers.iter().flatten().copied().collect()),
            numbers,
            ..DeliveredContext::default()
        };
        if let Some(note) = note {
            text = format!("{text}\n{note}\n");
        }
        self.push(context, delivered, Some(("more", "adds to the earlier text")), text);
    }

    fn push(
        &mut self,
        context: &'a Context,
        delivered: DeliveredContext,
        fact: Option<(&'static str, &str)>,
        text: String,
    ) {
        let (id, sources) = (context.id.to_string(), &self.workspace.sources);
        let hash = context.content_hash(sources);
        let head = ContextHeading::of(sources, context);
        let label = SourceLabel::of_hash(&id, Some(context.top), &hash);
        let folder = head.files.or(head.place);
        let files = folder.map(|folder| ("files", format!("{folder}/")));
        let fact = fact.map(|(name, value)| (name, value.to_owned()));
        let offer = HookOffer {
            context: DeliveredContext { id, hash, ..delivered },
            label: Some(label.from_file(&head.paths.join(" + "))),
            facts: files.into_iter().chain(fact).collect(),
            text,
            lines: context.body.lines(sources).len(),
            rank: 0,
            entries: 0,
        };
        self.all.push((context, offer));
    }

    /// For a file at hand, contexts that name it or its folder come first.
    pub(super) fn ranked(self, is_of_tool: bool) -> Vec<HookOffer> {
        let key = |(context, offer): &(&Context, HookOffer)| {
            let parts = offer.context.reasons.iter().map(|reason| reason.named_parts).max();
            let is_optional = !context.front.fields.required;
            let is_rest = is_of_tool && offer.context.is_more;
            (is_optional, is_rest, Reverse(parts.filter(|_| is_of_tool)), priority(context))
        };
        let relevance = &self.assembly.bundle.relevance;
        let relevance = |at: usize| relevance.get(&self.all[at].0.id).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        order.sort_by(|&a, &b| {
            let by_key = key(&self.all[a]).cmp(&key(&self.all[b]));
            by_key.then(relevance(b).total_cmp(&relevance(a))).then(a.cmp(&b))
        });
        let mut offers: Vec<HookOffer> = self.all.into_iter().map(|(_, offer)| offer).collect();
        for (rank, at) in order.into_iter().enumerate() {
            offers[at].rank = rank;
        }
        offers
    }
}

fn without_head(text: &str, style: Style) -> &str {
    match (style, text.split_once('\n')) {
        (Style::Markdown, Some((_, rest))) => rest,
        _ => text,
    }
}
