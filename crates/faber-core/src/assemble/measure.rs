//! Token counts for `validate`, without a bundle.

use crate::assemble::builder::BundleBuilder;
use crate::assemble::compose::BuilderInput;
use crate::assemble::directives::KeptDirectives;
use crate::assemble::item::BundleItem;
use crate::assemble::resolved::Read;
use crate::config::{Config, Limits};
use crate::error::Error;
use crate::resolve::catalog::{Context, ContextSet};
use crate::select::selection::Selection;
use crate::source::SourceMap;

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
            item.offered.full().tokens.min(item.offered.cap().unwrap_or(usize::MAX))
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
