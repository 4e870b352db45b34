//! Contexts that may be delivered.

use std::cmp::Reverse;

use faber_core::assemble::Assembly;
use faber_core::assemble::bundle::Loaded;
use faber_core::assemble::insecure::errors_in;
use faber_core::assemble::more::{BEST_PARTS, all_of};
use faber_core::assemble::offers::priority;
use faber_core::budget::level::Level;
use faber_core::context_id::ContextId;
use faber_core::escape::Visible;
use faber_core::render::block::text_of;
use faber_core::render::style::{ContextHeading, Style};
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
    assembly: &'a Assembly,
    workspace: &'a Workspace,
    ids: Vec<&'a ContextId>,
    offers: Vec<HookOffer>,
    contexts: Vec<DeliveredContext>,
}

impl<'a> ContextOffers<'a> {
    pub(super) fn new(assembly: &'a Assembly, workspace: &'a Workspace) -> Self {
        let (ids, offers, contexts) = (Vec::new(), Vec::new(), Vec::new());
        Self { assembly, workspace, ids, offers, contexts }
    }

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
        self.push(&loaded.id, delivered, update, text);
    }

    /// What matches the request of a text that was given in part.
    pub(super) fn add_matching_rest(
        &mut self,
        known: &'a Selected,
        given: &LineRanges,
        counter: &Counter,
    ) {
        let context = &self.assembly.catalog.contexts[&known.id];
        let rest = part::matching_rest(self.assembly, context, given, self.workspace);
        let all = all_of(context.body.lines(&self.workspace.sources).len());
        let id = Visible(&known.id.to_string()).code();
        let note = self.assembly.job.more.note(Some(BEST_PARTS), &id, &all);
        if let Some(rest) = rest {
            self.add_rest(known, rest, Some(&note), counter);
        }
    }

    pub(super) fn add_whole_rest(
        &mut self,
        known: &'a Selected,
        given: &LineRanges,
        counter: &Counter,
    ) {
        let context = &self.assembly.catalog.contexts[&known.id];
        if let Some(rest) = part::whole_rest(context, given, self.workspace) {
            self.add_rest(known, rest, None, counter);
        }
    }

    fn add_rest(
        &mut self,
        known: &'a Selected,
        Rest { mut text, numbers }: Rest,
        note: Option<&str>,
        counter: &Counter,
    ) {
        let context = &self.assembly.catalog.contexts[&known.id];
        // It was not scanned with the bundle.
        let severities = self.workspace.severities();
        let at = context.sources.first().map(|source| Span::start_of(source.file));
        if at.is_none_or(|at| !errors_in(at, &text, severities).is_empty()) {
            return;
        }
        let delivered = DeliveredContext {
            level: Some(Level::Focused),
            reasons: known.reasons.clone(),
            tokens: counter.count(&text),
            is_more: true,
            lines: Some(numbers.iter().flatten().copied().collect()),
            numbers,
            ..DeliveredContext::default()
        };
        if let Some(note) = note {
            text = format!("{text}\n{note}\n");
        }
        self.push(&known.id, delivered, Some(("more", "adds to the earlier text")), text);
    }

    fn push(
        &mut self,
        id: &'a ContextId,
        delivered: DeliveredContext,
        fact: Option<(&'static str, &str)>,
        text: String,
    ) {
        let context = &self.assembly.catalog.contexts[id];
        let hash = context.content_hash(&self.workspace.sources);
        let head = ContextHeading::of(&self.workspace.sources, context);
        let label = SourceLabel::of_hash(&id.to_string(), Some(context.top), &hash);
        let label = Some(label.from_file(&head.paths.join(" + ")));
        let folder = head.files.or(head.place);
        let files = folder.map(|folder| ("files", format!("{folder}/")));
        let fact = fact.map(|(name, value)| (name, value.to_owned()));
        let facts = files.into_iter().chain(fact).collect();
        self.ids.push(id);
        let is_excerpt = delivered.lines.is_some();
        let lines = context.body.lines(&self.workspace.sources).len();
        let offer = HookOffer {
            id: id.to_string(),
            label,
            facts,
            text,
            lines,
            rank: 0,
            is_excerpt,
            entries: 0,
        };
        self.offers.push(offer);
        self.contexts.push(DeliveredContext { id: id.to_string(), hash, ..delivered });
    }

    /// For a file at hand, what names it or its folder comes first, new texts before the rest of
    /// others.
    pub(super) fn ranked(mut self, is_of_tool: bool) -> (Vec<HookOffer>, Vec<DeliveredContext>) {
        let key = |at: usize| {
            let context = &self.assembly.catalog.contexts[self.ids[at]];
            let parts = self.contexts[at].reasons.iter().map(|reason| reason.named_parts).max();
            let is_optional = !context.front.fields.required;
            let is_rest = is_of_tool && self.contexts[at].is_more;
            (is_optional, is_rest, Reverse(parts.filter(|_| is_of_tool)), priority(context))
        };
        let relevance = |at: usize| self.assembly.bundle.relevance.get(self.ids[at]).copied();
        let mut order: Vec<usize> = (0..self.offers.len()).collect();
        order.sort_by(|&a, &b| {
            let [own, other] = [a, b].map(|at| relevance(at).unwrap_or(0.0));
            key(a).cmp(&key(b)).then(other.total_cmp(&own)).then(a.cmp(&b))
        });
        for (rank, at) in order.into_iter().enumerate() {
            self.offers[at].rank = rank;
        }
        (self.offers, self.contexts)
    }
}

fn without_head(text: &str, style: Style) -> &str {
    match (style, text.split_once('\n')) {
        (Style::Markdown, Some((_, rest))) => rest,
        _ => text,
    }
}
