//! The catalog part of a bundle: what is not loaded, as far as its tokens go.

use std::collections::{BTreeMap, HashMap};

use crate::assemble::compose::Compose;
use crate::budget::extract;
use crate::budget::level::Section;
use crate::document::ContextId;
use crate::render::block::{Block, BlockKind, text_of};
use crate::render::catalog::{self, Entry, Scope};
use crate::select::selection::Selection;

impl Compose<'_> {
    /// The entry of one context.
    pub(super) fn entry(&self, id: &ContextId) -> Entry {
        Entry { id: id.clone(), scope: Scope::of(self.context(id).top) }
    }

    /// Catalog entries: what has to do with the request, the most similar first, then the rest by
    /// scope and id.
    pub(super) fn entries(&self, selection: &Selection) -> Vec<Entry> {
        let places: HashMap<&ContextId, usize> = selection.resembling.iter().zip(0..).collect();
        let place = |id: &ContextId| places.get(id).copied().unwrap_or(usize::MAX);
        let ids = selection.catalogued.iter();
        let mut entries: Vec<(usize, Entry)> = ids.map(|id| (place(id), self.entry(id))).collect();
        entries.sort_by(|(a, x), (b, y)| (a, x.scope, &x.id).cmp(&(b, y.scope, &y.id)));
        entries.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The largest catalog in `limit` tokens, and how many entries it names; none when there is
    /// nothing to say or no room to say it.
    pub(super) fn catalog(&self, entries: &[Entry], limit: usize) -> Option<(Block, usize)> {
        if entries.is_empty() {
            return None;
        }
        let names = self.scope_names();
        let essence = |id: &ContextId| extract::essence(self.context(id), self.sources);
        let build = |shown: usize| {
            let lines = catalog::lines(entries, shown, &names, &essence);
            self.block(BlockKind::Catalog, Section::Catalog, self.job.style.catalog(lines))
        };
        let mut block = build(0).filter(|block| block.tokens <= limit)?;
        // Every line begins with a hyphen, so lines can be counted one by one; essences are made
        // only as far as they fit.
        let mut left = limit - block.tokens;
        let fitting =
            entries.iter().map(|entry| self.line_tokens(&entry.id)).take_while(|tokens| {
                let fits = *tokens <= left;
                left = left.saturating_sub(*tokens);
                fits
            });
        let mut shown = fitting.count();
        // The line that counts the rest may cost the last one or two their place.
        while shown > 0 {
            if let Some(whole) = build(shown).filter(|block| block.tokens <= limit) {
                block = whole;
                break;
            }
            shown -= 1;
        }
        Some((block, shown))
    }

    /// The tokens of the line of one context, as it stands in the catalog.
    pub(super) fn line_tokens(&self, id: &ContextId) -> usize {
        let line = catalog::line(id, &extract::essence(self.context(id), self.sources));
        self.counter.count(&text_of(&self.job.style.catalog_line(line)))
    }

    /// The tokens of a catalog of `entries` that names none of them.
    pub(super) fn catalog_frame(&self, entries: &[Entry]) -> usize {
        let lines = catalog::lines(entries, 0, &self.scope_names(), &|_| String::new());
        let block = self.block(BlockKind::Catalog, Section::Catalog, self.job.style.catalog(lines));
        block.map_or(0, |block| block.tokens)
    }

    fn scope_names(&self) -> BTreeMap<Scope, String> {
        let settings = &self.config.settings;
        let name = |scope, value: &Option<crate::source::Spanned<String>>| {
            value.as_ref().map(|value| (scope, value.value.clone()))
        };
        let role = self.view.role.clone().map(|role| (Scope::Area, role));
        let organization = name(Scope::Organization, &settings.organization);
        let team = name(Scope::Team, &settings.team);
        [organization, team, role].into_iter().flatten().collect()
    }
}
