//! The catalog part of a bundle: what is not loaded, as far as its tokens go.

use std::collections::{BTreeMap, HashMap};

use crate::assemble::compose::Compose;
use crate::assemble::parts::Part;
use crate::budget::extract;
use crate::budget::level::Section;
use crate::category::{Category, Load};
use crate::document::ContextId;
use crate::render::block::{Block, BlockKind, text_of};
use crate::render::catalog::{self, Entry, Overview, Scope};
use crate::render::topics::Topics;
use crate::resolve::catalog::{Catalog, Resolved};
use crate::select::choose::load_of;
use crate::select::selection::Selection;

impl Compose<'_> {
    /// The entry of one context.
    pub(super) fn entry(&self, id: &ContextId) -> Entry {
        Entry { id: id.clone(), scope: Scope::of(self.context(id).top) }
    }

    /// Catalog entries: what is suggested, then what has to do with the request, the most relevant
    /// first, then the rest by scope and id.
    pub(super) fn entries(&self, selection: &Selection) -> Vec<Entry> {
        let suggested = selection.suggested.iter().zip(0..);
        let suggested: HashMap<&ContextId, usize> = suggested.map(|((id, _), at)| (id, at)).collect();
        let place = |id: &ContextId| suggested.get(id).copied().unwrap_or(usize::MAX);
        let mut entries: Vec<Entry> =
            selection.catalogued.iter().map(|id| self.entry(id)).collect();
        entries.sort_by(|a, b| {
            let relevance = |entry: &Entry| selection.relevance(&entry.id);
            let by_relevance = || relevance(b).total_cmp(&relevance(a));
            let by_name = || (a.scope, &a.id).cmp(&(b.scope, &b.id));
            place(&a.id).cmp(&place(&b.id)).then_with(by_relevance).then_with(by_name)
        });
        entries
    }

    /// The largest catalog in `limit` tokens, and how many entries it names; none when there is
    /// nothing to say or no room to say it.
    pub(super) fn catalog(&self, entries: &[Entry], limit: usize) -> Option<(Block, usize)> {
        if entries.is_empty() || !self.job.parts.has(Part::Catalog) {
            return None;
        }
        let overviews = self.overviews(entries);
        let how = self.job.more.catalog();
        let build = |named: &[String]| {
            let lines = catalog::lines(how, &overviews, named, entries.len() - named.len());
            let lines = self.job.style.catalog(lines);
            let block = self.block(BlockKind::Catalog, Section::Catalog, lines)?;
            let tokens = block.tokens;
            Some((block, tokens))
        };
        let lines = entries.iter().map(|entry| self.line(&entry.id));
        catalog::largest(limit, lines, |line| self.cost(line), build)
    }

    fn line(&self, id: &ContextId) -> String {
        catalog::line(&id.to_string(), &extract::essence(self.context(id), self.sources))
    }

    fn cost(&self, line: &str) -> usize {
        if !self.job.parts.has(Part::Catalog) {
            return 0;
        }
        self.counter.count(&text_of(&self.job.style.catalog_line(line.to_owned())))
    }

    /// What each scope has of `entries`. No request and no budget changes its topics.
    fn overviews(&self, entries: &[Entry]) -> Vec<Overview> {
        let mut names = catalog::names(&self.config.settings, self.view.role.as_deref());
        let mut counts: BTreeMap<Scope, BTreeMap<Category, usize>> = BTreeMap::new();
        for entry in entries {
            *counts.entry(entry.scope).or_default().entry(entry.id.category).or_default() += 1;
        }
        let overview = |(scope, counts)| Overview {
            scope,
            name: names.remove(&scope),
            counts,
            topics: self.topics.get(&scope).cloned().unwrap_or_default(),
        };
        counts.into_iter().map(overview).collect()
    }
}

/// What the contexts of each scope are about that a catalog may list, whatever is requested: those
/// that neither always load nor never do.
pub(super) fn topics(contexts: &Catalog) -> BTreeMap<Scope, Vec<String>> {
    let mut topics: BTreeMap<Scope, Topics<'_>> = BTreeMap::new();
    let listed = |context: &&Resolved| !matches!(load_of(context), Load::Always | Load::Never);
    for context in contexts.contexts.values().filter(listed) {
        let fields = &context.front.fields;
        let words = fields.keywords.iter().chain(&fields.tags).map(|word| word.value.as_str());
        topics.entry(Scope::of(context.top)).or_default().add(&context.id.name, words);
    }
    topics.into_iter().map(|(scope, topics)| (scope, topics.best())).collect()
}
