//! What contexts take in a bundle, counted without composing one: for who judges a workspace.

use crate::assemble::compose::Compose;
use crate::assemble::directives::Kept;
use crate::assemble::items::Item;
use crate::assemble::more::More;
use crate::assemble::parts::Parts;
use crate::assemble::shortfall::Advice;
use crate::assemble::{Job, Read};
use crate::config::{Config, Limits};
use crate::error::Error;
use crate::render::style::Style;
use crate::resolve::catalog::{Catalog, Resolved};
use crate::resolve::view::View;
use crate::select::choose::Request;
use crate::select::selection::Selection;
use crate::source::SourceMap;

/// A job that asks for nothing, in the default format and budget.
pub fn nothing() -> Job {
    Job {
        role: None,
        platform: None,
        request: Request::default(),
        inputs: Vec::new(),
        instruction: None,
        keep_directives: false,
        budget: None,
        model: None,
        style: Style::Markdown,
        order: None,
        history: Vec::new(),
        newest_asks: false,
        body: None,
        more: More::default(),
        parts: Parts::default(),
        weigh: false,
        advice: Advice::None,
    }
}

/// Counts for one view. Counting loads the tokenizer, so who only estimates asks for
/// [`Self::limits`] alone.
pub struct Measure<'a> {
    compose: Compose<'a>,
}

impl<'a> Measure<'a> {
    /// Decides encoding and limits.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] for a model or an encoding that is not known.
    pub fn new(
        sources: &'a SourceMap,
        catalog: &'a Catalog,
        config: &'a Config,
        asked: (&'a Job, &'a View),
    ) -> Result<Self, Error> {
        Ok(Self { compose: Compose::new(sources, catalog, config, asked)? })
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.compose.limits
    }

    /// Tokens of a text.
    pub fn text(&self, text: &str) -> usize {
        self.compose.counter.count(text)
    }

    /// Tokens of a whole context.
    pub fn whole(&self, context: &'a Resolved) -> usize {
        self.compose.renderer(context).detailed().tokens
    }

    /// Tokens of the prompt and of what is selected, each context at the least that it may take.
    pub fn at_least(&self, read: &Read, selection: &Selection) -> usize {
        let mut items = self.compose.items(selection);
        self.compose.shorten(&mut items, true, selection);
        self.sum(read, &items, |item| item.candidate.least())
    }

    /// Tokens of the prompt and of what is selected, whole or at its own cap.
    pub fn at_most(&self, read: &Read, selection: &Selection) -> usize {
        let items = self.compose.items(selection);
        self.sum(read, &items, |item| {
            item.offered.full().tokens.min(item.offered.cap().unwrap_or(usize::MAX))
        })
    }

    fn sum(&self, read: &Read, items: &[Item<'_>], tokens: impl Fn(&Item<'_>) -> usize) -> usize {
        self.compose.fixed(read, items, &Kept::default()).tokens()
            + items.iter().map(tokens).sum::<usize>()
    }
}
