use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::{once, repeat};
use std::ops::{Deref, Range};

use crate::search::chunk;
use crate::search::evidence::PassageEvidence;
use crate::search::found::{self, DocumentText, Found, WEAK};
use crate::search::index::SearchIndex;
use crate::search::item::SearchItem;
use crate::search::rank::Corpus;
use crate::search::scope::Scope;
use faber_core::category::Category;
use faber_core::config::{SearchConfig, SearchMode, Weights};
use faber_core::error::Error;
use faber_core::meaning;
use faber_core::select::headings::Headings;
use faber_core::terms::query;
use faber_session::encoder::TextEncoder;

const TRIES: usize = 8;
const READ: usize = 30;
const ENCODER: f64 = 0.3;
const MAX_PER_DOCUMENT: usize = 3;
const MAX_OTHERS: usize = 5;
const REPEATS: f64 = 0.9;
/// Of the words of a heading, besides 1.
const HEADING: u32 = 2;
/// With fewer known words, a vector means nothing.
const MIN_KNOWN_WORDS: f64 = 0.3;

/// Retries while files change. `open` gets whether the index is outdated.
///
/// # Errors
///
/// Of `open` and `answer`.
pub fn answer_from<T, L: Deref<Target = SearchIndex>>(
    mut open: impl FnMut(bool) -> Result<L, Error>,
    answer: impl Fn(&SearchIndex) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut library = open(false)?;
    let mut outcome = answer(&library);
    for _ in 1..TRIES {
        if !library.is_outdated() {
            break;
        }
        library = open(true)?;
        outcome = answer(&library);
    }
    outcome
}

#[derive(Clone, Copy, Debug)]
pub enum Lookup<'a> {
    Question { text: &'a str, mode: Option<SearchMode>, category: Option<Category> },
    Ids(&'a [String]),
    All,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub item: usize,
    pub doc: usize,
    pub chunk: usize,
    pub relevance: f64,
    pub relative: f64,
}

pub struct ItemTexts<'a> {
    pub library: &'a SearchIndex,
    read: BTreeMap<usize, (SearchItem, DocumentText)>,
    evidence: Option<PassageEvidence>,
}

impl<'a> ItemTexts<'a> {
    pub fn new(library: &'a SearchIndex) -> Self {
        Self { library, read: BTreeMap::new(), evidence: None }
    }

    pub fn get(&mut self, item: usize) -> &(SearchItem, DocumentText) {
        self.read.entry(item).or_insert_with(|| {
            let item = self.library.view.items.get(item);
            let whole = self.library.whole(&item);
            (item, whole)
        })
    }

    /// The section of a hit that matches best, with its anchor.
    pub fn place(&mut self, hit: &Hit) -> (Range<usize>, String) {
        let corpus = self.library.corpus();
        let chunks = corpus.chunks(hit.doc);
        let (span, anchor) = &chunks[hit.chunk];
        self.get(hit.item);
        let better = match (&mut self.evidence, self.read.get(&hit.item)) {
            (Some(evidence), Some((_, whole))) if chunks.len() > 1 => {
                best_section(evidence, &whole.text, (span, anchor))
            }
            _ => None,
        };
        better.unwrap_or_else(|| (span.clone(), (*anchor).to_owned()))
    }
}

pub fn weights(config: &SearchConfig, mode: SearchMode) -> Weights {
    match mode {
        SearchMode::Keyword => Weights { semantic: 0.0, keyword: 1.0 },
        SearchMode::Semantic => Weights { semantic: 1.0, keyword: 0.0 },
        SearchMode::Hybrid => config.weights,
    }
}

pub fn hits(
    texts: &mut ItemTexts<'_>,
    question: &str,
    mode: SearchMode,
    wanted: impl Fn(&usize) -> bool,
) -> Vec<Hit> {
    let corpus = texts.library.corpus();
    let question = corpus.translated(question);
    texts.evidence = Some(PassageEvidence::new(&question, |term| corpus.rarity(term)));
    let parts = query::parts(&question);
    let mut of_part = |part: &&str| hits_of_part(texts, part, mode, &wanted);
    let mut hits: Vec<Hit> = parts.iter().flat_map(&mut of_part).collect();
    hits.sort_by(|a, b| b.relative.total_cmp(&a.relative).then_with(|| order(a, b)));
    if parts.len() > 1 {
        let mut seen = BTreeSet::new();
        hits.retain(|hit| seen.insert((hit.doc, hit.chunk)));
    }
    let best = hits.len().min(READ);
    hits[..best].sort_by_cached_key(|hit| {
        let dated = texts.get(hit.item).0.dated;
        (Reverse(hundredths(hit.relative)), Reverse(dated))
    });
    mix(texts, &corpus, &mut hits);
    hits
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
fn hundredths(relative: f64) -> u32 {
    (relative.clamp(0.0, 1.0) * 100.0).round() as u32
}

fn hits_of_part(
    texts: &mut ItemTexts<'_>,
    question: &str,
    mode: SearchMode,
    wanted: &impl Fn(&usize) -> bool,
) -> Vec<Hit> {
    let library = texts.library;
    let corpus = library.corpus();
    let weights = weights(&library.view.search, mode);
    let encoder = library.encoder(mode);
    let (ranked, vector) = rayon::join(
        || corpus.rank(question, weights),
        || encoder.map(|encoder| encoder.question(question)),
    );
    let mut hits: Vec<Hit> = Vec::new();
    for scored in ranked {
        let Some(item) = item_of(library, scored.doc, wanted) else { continue };
        let (doc, relative) = (scored.doc, 0.0);
        let relevant =
            scored.chunks.into_iter().enumerate().filter(|(_, relevance)| *relevance > 0.0);
        let hit = |(chunk, relevance)| Hit { item, doc, chunk, relevance, relative };
        hits.extend(relevant.map(hit));
    }
    hits.sort_by(order);
    let best = hits.len().min(READ);
    let mut evidence = PassageEvidence::new(question, |term| corpus.rarity(term));
    if weights.keyword > 0.0 && !evidence.is_empty() {
        add_evidence(texts, &mut evidence, &mut hits[..best]);
    }
    if let Some((encoder, vector)) = encoder.zip(vector) {
        add_similarity(texts, encoder, &vector, &mut hits);
    }
    for hit in &mut hits {
        hit.relevance = (hit.relevance * 10_000.0).round().max(1.0) / 10_000.0;
    }
    let best = hits.iter().map(|hit| hit.relevance).fold(0.0, f64::max);
    for hit in &mut hits {
        hit.relative = hit.relevance / best;
    }
    hits
}

fn item_of(library: &SearchIndex, doc: usize, wanted: impl Fn(&usize) -> bool) -> Option<usize> {
    let items = &library.view.items;
    let all: Vec<usize> = library.items_of(doc).filter(wanted).collect();
    if let [_] | [] = &*all {
        return all.first().copied();
    }
    let has_role = library.view.role.is_some();
    let is_own = |at: &&usize| has_role && items.get(**at).is_of_area(true);
    let is_of_owner = |at: &&usize| items.get(**at).is_of_owner();
    all.iter().find(is_own).or_else(|| all.iter().find(is_of_owner)).or(all.first()).copied()
}

/// Moves repetitions and the fourth of a text behind others, but not behind weak ones.
fn mix(texts: &mut ItemTexts<'_>, corpus: &Corpus<'_>, hits: &mut [Hit]) {
    let best = hits.len().min(READ);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut mixed = Vec::with_capacity(best);
    for (at, hit) in hits[..best].iter().enumerate() {
        let count = counts.entry(hit.doc).or_default();
        *count += 1;
        let is_further = *count > MAX_PER_DOCUMENT
            || (hits[..at].iter().any(|known| repetition(corpus, known, hit) > REPEATS)
                && has_known_words(passage(texts, hit).1));
        mixed.push((is_further, hit.clone()));
    }
    for (to, hit) in hits.iter_mut().zip(behind_others(mixed, |hit| hit.relevance < WEAK)) {
        *to = hit;
    }
}

fn behind_others<T>(all: Vec<(bool, T)>, is_weak: impl Fn(&T) -> bool) -> Vec<T> {
    let (mut mixed, mut further, mut last) = (Vec::with_capacity(all.len()), vec![], vec![]);
    for (is_further, hit) in all {
        match (is_further, is_weak(&hit)) {
            (true, true) => last.push(hit),
            (true, false) => further.push(hit),
            (false, true) => {
                mixed.append(&mut further);
                mixed.push(hit);
            }
            (false, false) => mixed.push(hit),
        }
    }
    mixed.extend(further.into_iter().chain(last));
    mixed
}

/// 0 to 1. Texts on one subject have cosines of 0.5 to 0.8.
pub(crate) fn repetition(corpus: &Corpus<'_>, a: &Hit, b: &Hit) -> f64 {
    squared_cosine(&corpus.vector(a.doc, a.chunk), &corpus.vector(b.doc, b.chunk))
}

fn squared_cosine(a: &[i8; meaning::DIMENSIONS], b: &[i8; meaning::DIMENSIONS]) -> f64 {
    f64::from(meaning::cosine(a, &b.map(i8::cast_unsigned))).max(0.0).powi(2)
}

pub(crate) fn has_known_words(text: &str) -> bool {
    meaning::known_share(text) >= MIN_KNOWN_WORDS
}

fn passage<'t>(texts: &'t mut ItemTexts<'_>, hit: &Hit) -> (&'t SearchItem, &'t str) {
    let span = texts.library.corpus().chunks(hit.doc)[hit.chunk].0.clone();
    let (item, whole) = texts.get(hit.item);
    (item, whole.text.get(span).unwrap_or_default())
}

fn order(a: &Hit, b: &Hit) -> Ordering {
    let place = |hit: &Hit| (hit.doc, hit.chunk);
    b.relevance.total_cmp(&a.relevance).then(place(a).cmp(&place(b)))
}

fn add_evidence(texts: &mut ItemTexts<'_>, evidence: &mut PassageEvidence, hits: &mut [Hit]) {
    for hit in hits {
        let (item, text) = passage(texts, hit);
        hit.relevance = evidence.relevance(hit.relevance, &item.title, text);
    }
}

fn best_section(
    evidence: &mut PassageEvidence,
    text: &str,
    (span, anchor): (&Range<usize>, &str),
) -> Option<(Range<usize>, String)> {
    let own = text.get(span.clone())?;
    let mut headings = Headings::default();
    let count = own.lines().filter(|line| headings.next(line).is_some()).count();
    if count <= usize::from(own.starts_with('#')) {
        return None;
    }
    let mut sections = chunk::sections_in(text, span);
    let first = span.start..sections.first()?.own.start;
    let scored = sections.iter().map(|section| {
        let above = section.above.iter().map(|heading| (&**heading, 1));
        above.chain([(&text[section.own.clone()], 1), (&*section.heading, HEADING)]).collect()
    });
    let at = evidence.best(once(vec![(&text[first], 1)]).chain(scored))?;
    let best = sections.swap_remove(at.checked_sub(1)?);
    (best.anchor != anchor).then_some((best.span, best.anchor))
}

fn add_similarity(
    texts: &mut ItemTexts<'_>,
    encoder: &TextEncoder,
    question: &[i8],
    hits: &mut [Hit],
) {
    let best = hits.len().min(READ);
    let passage = |hit: &Hit| {
        let (item, text) = passage(texts, hit);
        format!("{}\n{text}", item.title)
    };
    let passages: Vec<String> = hits[..best].iter().map(passage).collect();
    let similarities = encoder.similarities(question, &passages);
    for (hit, similarity) in hits.iter_mut().zip(similarities.into_iter().chain(repeat(0.0))) {
        hit.relevance = (1.0 - ENCODER) * hit.relevance + ENCODER * similarity.max(0.0);
    }
}

pub fn wanted(
    index: &SearchIndex,
    category: Option<Category>,
    scope: Scope,
) -> impl Fn(&usize) -> bool + '_ {
    move |item| {
        let facets = index.view.items.facets(*item);
        let is_of_category = category.is_none() || facets.category == category;
        is_of_category && facets.scopes.has(scope)
    }
}

pub fn result(texts: &mut ItemTexts<'_>, hit: &Hit) -> Found {
    let has_role = texts.library.view.role.is_some();
    let previews = texts.library.view.previews;
    let (span, anchor) = texts.place(hit);
    let (item, whole) = texts.get(hit.item);
    let found = found::found(item, whole, (span, &anchor), hit.relevance, has_role);
    let content = found.content.as_deref().unwrap_or_default();
    Found { preview: found::preview(content, previews.of(item.kind_name())), ..found }
}

/// At most `limit`.
pub fn grouped(texts: &mut ItemTexts<'_>, hits: &[Hit], limit: usize) -> Vec<(Hit, Vec<String>)> {
    let mut groups: Vec<(Hit, Vec<String>)> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for hit in hits {
        if let Some(&at) = places.get(&hit.item) {
            if groups[at].1.len() == MAX_OTHERS {
                continue;
            }
            let (_, anchor) = texts.place(hit);
            groups[at].1.push(found::id(&texts.get(hit.item).0.id, &anchor));
        } else if groups.len() < limit {
            places.insert(hit.item, groups.len());
            groups.push((hit.clone(), Vec::new()));
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_good_hit_is_behind_a_weak_one() {
        let order = |all: &[(bool, u32)]| behind_others(all.to_vec(), |share| *share < 45);
        let all = [
            (false, 90),
            (true, 89),
            (false, 80),
            (true, 70),
            (false, 40),
            (true, 35),
            (false, 30),
        ];
        assert_eq!(order(&all), [90, 80, 89, 70, 40, 30, 35]);
        assert_eq!(order(&[(false, 90), (true, 80), (false, 50)]), [90, 50, 80]);
        assert_eq!(order(&[(false, 40), (true, 39), (false, 38)]), [40, 38, 39]);
    }

    #[test]
    fn another_text_on_a_subject_is_no_repetition() {
        let [first, same, other] = [
            "Session cookies expire after a quarter of an hour.",
            "Session cookies expire after fifteen minutes.",
            "Session cookies are sent over encrypted connections only.",
        ]
        .map(|text| meaning::embed(text).values);
        assert!(squared_cosine(&first, &first) > 0.95);
        assert!(squared_cosine(&first, &same) > squared_cosine(&first, &other));
        assert!(squared_cosine(&first, &other) < 0.5);
    }
}
