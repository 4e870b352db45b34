//! Selects the token counter for a model.

use std::sync::Arc;

use crate::assemble::builder::BundleBuilder;
use crate::assemble::compose::BuilderInput;
use crate::assemble::directives::KeptDirectives;
use crate::assemble::item::BundleItem;
use crate::assemble::resolved::Read;
use crate::config::{Amount, Config, Limits};
use crate::error::Error;
use crate::resolve::catalog::{Context, ContextSet};
use crate::select::selection::Selection;
use crate::source::SourceMap;
use crate::tokens::{Counter, TokenCache, encoding};

#[derive(Clone, Debug)]
pub struct ModelCounter {
    pub counter: Counter,
    pub model: Option<String>,
    pub window: Option<u64>,
}

impl ModelCounter {
    /// Default: the configured model or encoding.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`].
    pub fn new(
        config: &Config,
        model: Option<&str>,
        cache: &Arc<TokenCache>,
    ) -> Result<Self, Error> {
        let configured = || config.model.as_ref().map(|model| model.value.clone());
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

pub(super) fn in_tokens(budget: Amount, window: Option<u64>) -> Result<u64, Error> {
    match (budget, window) {
        (Amount::Tokens(tokens), _) => Ok(tokens),
        (share @ Amount::Percent(_), Some(window)) => Ok(share.of(window)),
        (Amount::Percent(_), None) => Err(Error::usage(
            "a budget in percent needs a model, and none is set",
            "pass `--model NAME`, set `tokenizer.model`, or give the budget in tokens",
        )),
    }
}

pub struct Measure<'a> {
    builder: BundleBuilder<'a>,
}

impl<'a> Measure<'a> {
    /// # Errors
    ///
    /// [`Error::Unknown`] for an unknown model or encoding.
    pub fn new(
        sources: &'a SourceMap,
        catalog: &'a ContextSet,
        config: &'a Config,
        input: BuilderInput<'a>,
    ) -> Result<Self, Error> {
        Ok(Self { builder: BundleBuilder::new(sources, catalog, config, input)? })
    }

    pub fn limits(&self) -> &Limits {
        &self.builder.limits
    }

    pub fn text(&self, text: &str) -> usize {
        self.builder.counter.count(text)
    }

    pub fn whole(&self, context: &'a Context) -> usize {
        self.builder.renderer(context).detailed().tokens
    }

    pub fn at_least(&self, read: &Read, selection: &Selection) -> usize {
        let mut items = self.builder.items(selection);
        self.builder.shorten(&mut items, true, &selection.passages);
        self.sum(read, &items, |item| item.candidate.least())
    }

    pub fn at_most(&self, read: &Read, selection: &Selection) -> usize {
        let items = self.builder.items(selection);
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
        self.builder.fixed(read, items, &KeptDirectives::default()).tokens()
            + items.iter().map(tokens).sum::<usize>()
    }
}
