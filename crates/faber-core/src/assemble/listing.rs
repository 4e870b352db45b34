//! The catalog: contexts not loaded, as far as they fit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use foldhash::{HashMap, HashSet};

use crate::assemble::builder::BundleBuilder;
use crate::assemble::job::BundlePart;
use crate::budget::level::Section;
use crate::category::Load;
use crate::context_id::ContextId;
use crate::parse::fields::Fields;
use crate::parse::frontmatter::FrontMatter;
use crate::parse::rules::{RuleKind, SelectionRule};
use crate::render::block::{BundleBlock, BundleBlockKind, text_of};
use crate::render::catalog::{self, CatalogEntry, ContextCounts, Overview, Scope};
use crate::render::topics::{RankedTopics, Topics};
use crate::resolve::catalog::{Context, ContextSet};
use crate::resolve::include::Expander;
use crate::select::choose::load_of;
use crate::select::selection::Selection;
use crate::select::targets::resolve_target;
use crate::terms::matcher::Matcher;
use crate::terms::words;

pub type ScopeTopics<'a> = BTreeMap<Scope, RankedTopics<'a>>;

pub(crate) struct Listing<'a> {
    pub(super) selection: &'a Selection,
    /// Suggested, relevant, on error, by keyword, then others.
    pub(super) entries: Vec<CatalogEntry>,
    counts: BTreeMap<Scope, ContextCounts>,
    others: Vec<&'a Context>,
}

impl<'a> BundleBuilder<'a> {
    pub(crate) fn listing<'s>(&self, selection: &'s Selection) -> Listing<'s>
    where
        'a: 's,
    {
        let (catalogued, mut others) = self.catalogued(selection);
        others.retain(|context| has_topics(context));
        let entries = self.entries(selection, &catalogued);
        let mut counts = BTreeMap::new();
        for (context, _) in &catalogued {
            add_to(&mut counts, context);
        }
        Listing { selection, entries, counts, others }
    }

    pub(super) fn entry(&self, id: &ContextId) -> CatalogEntry {
        CatalogEntry { id: id.clone(), scope: Scope::of(self.context(id).top) }
    }

    fn catalogued(&self, selection: &Selection) -> (Vec<(&'a Context, f64)>, Vec<&'a Context>) {
        let mut ids = selection.catalogued.iter().peekable();
        let mut scored = selection.relevance.iter().peekable();
        let mut found = Vec::with_capacity(selection.catalogued.len());
        let mut others = Vec::new();
        for context in self.contexts.contexts.values() {
            if ids.next_if(|id| **id == context.id).is_none() {
                others.push(context);
                continue;
            }
            while scored.next_if(|(id, _)| **id < context.id).is_some() {}
            let own = scored.next_if(|(id, _)| **id == context.id);
            found.push((context, own.map_or(0.0, |(_, relevance)| relevance.score)));
        }
        debug_assert!(ids.next().is_none(), "what is catalogued is in the order of ids");
        (found, others)
    }

    fn entries(&self, selection: &Selection, catalogued: &[(&Context, f64)]) -> Vec<CatalogEntry> {
        let suggested = selection.suggested.iter().zip(0..);
        let suggested: HashMap<&ContextId, usize> =
            suggested.map(|((id, _), at)| (id, at)).collect();
        let key = |(at, &(context, relevance)): (usize, &(&Context, f64))| {
            let id = &context.id;
            let place = suggested.get(id).copied().unwrap_or(usize::MAX);
            let is_near = relevance >= self.config.selection.threshold;
            let rank = if is_near { 0 } else { 1 + self.trigger_rank(id) };
            #[expect(clippy::cast_possible_truncation, reason = "from -1000 to 0")]
            let relevance = (relevance * -1000.0).round() as i64;
            (place, rank, relevance, Scope::of(context.top), at)
        };
        let mut keys: Vec<_> = catalogued.iter().enumerate().map(key).collect();
        keys.sort_unstable();
        let is_rest = |place, rank| place == usize::MAX && rank == 1 + RequestTriggers::NONE;
        let rest = keys.partition_point(|&(place, rank, ..)| !is_rest(place, rank));
        let entry = |&(.., scope, at): &(usize, u8, i64, Scope, usize)| CatalogEntry {
            id: catalogued[at].0.id.clone(),
            scope,
        };
        let mut entries: Vec<CatalogEntry> = keys[..rest].iter().map(entry).collect();
        let rest = keys[rest..].iter().map(entry).collect();
        entries.extend(catalog::in_turn(rest, |entry| entry.scope));
        entries
    }

    pub(super) fn catalog(
        &self,
        first: &[CatalogEntry],
        listing: &Listing<'_>,
        limit: usize,
    ) -> Option<(BundleBlock, usize)> {
        let count = first.len() + listing.entries.len();
        if count == 0 || !self.job.parts.has(BundlePart::Catalog) {
            return None;
        }
        let mut counts = listing.counts.clone();
        for entry in first {
            add_to(&mut counts, self.context(&entry.id));
        }
        let named: HashSet<&ContextId> = first.iter().map(|entry| &entry.id).collect();
        let others = listing.others.iter().filter(|context| !named.contains(&context.id));
        let overviews = self.overviews(counts, &by_scope(others.copied()));
        let how = self.job.more.catalog();
        let listed_by = self.job.more.list();
        let build = |named: &[String]| {
            let more = catalog::UnlistedContexts { count: count - named.len(), listed_by };
            let lines = catalog::lines(how, &overviews, named, &more);
            let lines = self.job.style.catalog(lines);
            let block = self.block(BundleBlockKind::Catalog, Section::Catalog, lines)?;
            let tokens = block.tokens;
            Some((block, tokens))
        };
        let lines = first.iter().chain(&listing.entries).map(|entry| self.line(&entry.id));
        catalog::largest(limit, lines, build)
    }

    fn line(&self, id: &ContextId) -> (String, usize) {
        let mut known = self.catalog_lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = known.get(id) {
            return line.clone();
        }
        let essence = self.extracts.essence(self.context(id), self.sources);
        let triggers = self.triggers.and_then(|triggers| triggers.line(id));
        let max_chars = self.config.previews.in_catalog(id.category.row().name);
        let essence = catalog::shortened(&essence, max_chars);
        let text = catalog::line(&id.to_string(), &essence, triggers.as_deref());
        let shown = self.job.style.catalog_line(text.clone());
        let line = (text, self.counter.count(&text_of(&shown)));
        known.insert(id.clone(), line.clone());
        line
    }

    fn trigger_rank(&self, id: &ContextId) -> u8 {
        self.triggers.map_or(RequestTriggers::NONE, |triggers| triggers.rank(id))
    }

    fn overviews(
        &self,
        counts: BTreeMap<Scope, ContextCounts>,
        others: &BTreeMap<Scope, Topics<'_>>,
    ) -> Vec<Overview> {
        let none = Topics::default();
        let (role, team) = (self.view.role.clone(), self.view.team());
        let mut names = catalog::names(&self.config.settings, role, team);
        let overview = |(scope, counts)| Overview {
            scope,
            name: names.remove(&scope),
            counts,
            topics: self
                .topics
                .get(&scope)
                .map_or_else(Vec::new, |topics| topics.best(others.get(&scope).unwrap_or(&none))),
        };
        counts.into_iter().map(overview).collect()
    }
}

pub(crate) fn topics(contexts: &ContextSet) -> ScopeTopics<'_> {
    let contexts = contexts.contexts.values().filter(|context| has_topics(context));
    let topics = by_scope(contexts).into_iter();
    topics.map(|(scope, topics)| (scope, topics.ranked())).collect()
}

fn has_topics(context: &Context) -> bool {
    !matches!(load_of(context), Load::Always | Load::Never)
}

fn by_scope<'a>(contexts: impl Iterator<Item = &'a Context>) -> BTreeMap<Scope, Topics<'a>> {
    let mut topics: BTreeMap<Scope, Topics<'_>> = BTreeMap::new();
    for context in contexts {
        let fields = &context.front.fields;
        let words = fields.keywords.iter().chain(&fields.tags).map(|word| word.value.as_str());
        topics.entry(Scope::of(context.top)).or_default().add(&context.id.name, words);
    }
    topics
}

fn add_to(counts: &mut BTreeMap<Scope, ContextCounts>, context: &Context) {
    let kind = context.front.fields.kind.as_ref().map(|kind| kind.value.as_str());
    counts.entry(Scope::of(context.top)).or_default().add(kind, context.id.category);
}

const ERRORS: usize = 240;
/// Fewer than errors: the reader knows the request, but not future errors.
const KEYWORDS: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct RequestTriggers(HashMap<ContextId, ContextTriggers>);

#[derive(Clone, Debug, Default)]
struct ContextTriggers {
    front: Option<Arc<FrontMatter>>,
    terms: Vec<(bool, String)>,
    files: Vec<String>,
}

impl RequestTriggers {
    pub(crate) const NONE: u8 = 2;

    pub fn new(catalog: &ContextSet, rules: &[SelectionRule], expander: &Expander<'_>) -> Self {
        let mut triggers = Self::default();
        for (id, context) in &catalog.contexts {
            let fields = &context.front.fields;
            if !fields.keywords.is_empty() || !fields.errors.is_empty() {
                let front = Some(Arc::clone(&context.front));
                triggers.0.insert(id.clone(), ContextTriggers { front, ..Default::default() });
            }
        }
        for rule in rules.iter().filter(|rule| rule.kind != RuleKind::Platform) {
            let terms = || rule.terms.iter().map(|term| term.value.clone());
            for context in resolve_target(catalog, expander, &rule.target).contexts() {
                let own = triggers.0.entry(context.id.clone()).or_default();
                match rule.kind {
                    RuleKind::Files => own.files.extend(terms()),
                    kind => own.terms.extend(terms().map(|term| (kind == RuleKind::Error, term))),
                }
            }
        }
        triggers
    }

    pub fn rank(&self, id: &ContextId) -> u8 {
        let Some(own) = self.0.get(id) else { return Self::NONE };
        if own.all().any(|(is_error, term)| is_error && !Matcher::is_empty_term(term)) {
            0
        } else if !own.files.is_empty() || own.all().any(|(_, term)| !Matcher::is_empty_term(term))
        {
            1
        } else {
            Self::NONE
        }
    }

    /// As in `on: AuthenticationError; for: security`.
    pub fn line(&self, id: &ContextId) -> Option<String> {
        let own = self.0.get(id)?;
        let files = own.files.iter().map(String::as_str).collect();
        let parts = [
            ("on", own.words(true), ERRORS),
            ("for", own.words(false), KEYWORDS),
            ("files", (files, own.files.len()), KEYWORDS),
        ];
        let parts = parts.into_iter().filter(|(_, (words, _), _)| !words.is_empty());
        let parts = parts.map(|(what, (words, least), most)| {
            let shown = fitting(&words, most).max(least);
            let more = if shown < words.len() { ", …" } else { "" };
            format!("{what}: {}{more}", words[..shown].join(", "))
        });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl ContextTriggers {
    fn all(&self) -> impl Iterator<Item = (bool, &str)> {
        let declared = self.front.iter().flat_map(|front| {
            let Fields { keywords, errors, .. } = &*front.fields;
            let keywords = keywords.iter().map(|term| (false, term.value.as_str()));
            keywords.chain(errors.iter().map(|term| (true, term.value.as_str())))
        });
        let of_prompt = self.terms.iter().map(|(is_error, term)| (*is_error, term.as_str()));
        of_prompt.chain(declared)
    }

    fn words(&self, errors: bool) -> (Vec<&str>, usize) {
        let mut known = BTreeSet::new();
        let (mut found, mut of_prompt) = (Vec::new(), 0);
        for (at, (is_error, term)) in self.all().enumerate() {
            let stems = words::stems(term);
            if is_error == errors && !stems.is_empty() && known.insert(stems) {
                found.push(term.trim_matches('"'));
                of_prompt += usize::from(at < self.terms.len());
            }
        }
        (found, of_prompt)
    }
}

fn fitting(words: &[&str], max_bytes: usize) -> usize {
    let mut bytes = 0;
    let fits = |word: &&&str| {
        let comma = if bytes == 0 { "" } else { ", " };
        let fits = bytes == 0 || bytes + word.len() <= max_bytes;
        bytes += comma.len() + word.len();
        fits
    };
    words.iter().take_while(fits).count()
}
