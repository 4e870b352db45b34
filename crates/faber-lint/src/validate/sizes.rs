//! Estimates sizes, and counts only near a limit.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::validate::check::{LintContext, ViewInput};
use faber_core::assemble::Job;
use faber_core::assemble::builder::BundleBuilder;
use faber_core::assemble::compose::BuilderInput;
use faber_core::assemble::counter::ModelCounter;
use faber_core::assemble::listing::ScopeTopics;
use faber_core::budget::extract;
use faber_core::config::{Config, Limits};
use faber_core::document::Document;
use faber_core::line::Line;
use faber_core::resolve::catalog::{Body, Context};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::tokens::estimate;
use faber_core::workspace::survey::Inventory;

pub(crate) const FRAME: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeEstimate {
    Within,
    Near,
    Over,
}

/// Texts have 3 to 6.75 bytes per token; the estimate assumes 4.5.
pub(crate) fn compare_estimate(estimated: usize, limit: usize) -> SizeEstimate {
    if estimated.saturating_mul(3) <= limit.saturating_mul(2) {
        SizeEstimate::Within
    } else if estimated.saturating_mul(2) > limit.saturating_mul(3) {
        SizeEstimate::Over
    } else {
        SizeEstimate::Near
    }
}

/// Markdown has at least 4.2 bytes per token, measured on collections.
pub(crate) fn is_suspect(estimated: usize, limit: usize) -> bool {
    estimated.saturating_mul(10) > limit.saturating_mul(9)
}

pub(crate) fn tokens(figure: u64) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}

fn large<'a>(survey: &'a Inventory, config: &Config) -> impl Iterator<Item = &'a Document> {
    let limit = ModelCounter::new(config, None, &Arc::default())
        .map_or(usize::MAX, |it| tokens(config.budget.limits(it.window, None).sections.location));
    let is_large =
        move |document: &&Document| is_suspect(estimate(document.body.range().len()) / 4, limit);
    survey.documents.iter().filter(is_large)
}

#[derive(Debug, Default)]
pub(crate) struct Summaries {
    of: HashMap<Span, OnceLock<Arc<String>>>,
}

impl Summaries {
    pub(crate) fn new(survey: &Inventory, config: &Config) -> Self {
        let bodies = large(survey, config).map(|document| (document.body, OnceLock::new()));
        Self { of: bodies.collect() }
    }

    pub(crate) fn of(&self, context: &Context, whole: &LintContext<'_>) -> Cow<'_, str> {
        let sources = whole.sources;
        let known = match (&context.front.fields.summary, &context.body) {
            (None, Body::Whole(body)) => self.of.get(body).map(|known| (known, body.file)),
            _ => None,
        };
        let make = || Arc::new(summary(context, sources));
        match known {
            Some((known, file)) => {
                Cow::Borrowed(known.get_or_init(|| whole.known(file, "summary", make)))
            }
            None => Cow::Owned(summary(context, sources)),
        }
    }
}

pub(crate) fn with_measure(input: &ViewInput<'_>, look: impl FnOnce(&BundleBuilder<'_>, &Limits)) {
    let job = Job::default();
    let (tokens, extracts) = (input.whole.caches.tokens(), input.whole.caches.extracts());
    let (view, topics) = (input.view, &ScopeTopics::default());
    let builder_input = BuilderInput { job: &job, view, topics, tokens, extracts };
    if let Ok(measure) =
        BundleBuilder::new(input.whole.sources, input.catalog, input.config, builder_input)
    {
        look(&measure, measure.limits());
    }
}

pub(crate) fn whole(context: &Context) -> usize {
    let fields = &context.front.fields;
    let cap = fields.max_tokens.as_ref().filter(|_| !fields.fixed);
    let full = estimate(context.body.bytes()) + FRAME;
    full.min(cap.map_or(usize::MAX, |cap| tokens(cap.value)))
}

fn summary(context: &Context, sources: &SourceMap) -> String {
    if let Some(summary) = &context.front.fields.summary {
        return summary.value.clone();
    }
    let size = |text: &str| estimate(text.len());
    extract::summary(&context.body.text(sources), &size).text()
}

pub(crate) fn least(context: &Context, sources: &SourceMap) -> usize {
    if context.front.fields.fixed {
        return whole(context);
    }
    let essence = estimate(extract::essence(context, sources).len()) + FRAME;
    essence.min(whole(context))
}

pub(crate) fn prompt(input: &ViewInput<'_>) -> Option<(usize, FileId)> {
    let lines: Vec<Line> = input.read.prompt.shortest(input.whole.sources);
    let bytes: usize = lines.iter().map(|line| line.origin.range().len() + 1).sum();
    Some((estimate(bytes), input.lineage?.role().prompt))
}
