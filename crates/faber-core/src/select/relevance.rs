//! Scores contexts by BM25F and embeddings, without an index: a bundle must not depend on a cache.

mod numbers;
mod passages;
mod phrases;
mod terms;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::config::Weights;
use crate::digest_map::DigestMap;
use crate::meaning::{self, QueryVector};
use crate::resolve::catalog::Context;
use crate::select::status;
use crate::source::{SourceMap, char_boundary};
use crate::terms::abbreviations::{Phrase, spelled_out};
use crate::terms::bm25::{self, HEAD, WEIGHTS};
use crate::terms::figures::asks_for_figure;
use crate::terms::query::{self, Term};
use crate::terms::tokenizer::TermHash;
use crate::terms::translation::translated;
use numbers::{RequestNumber, numbers};
use terms::{StoredTerms, TermReader, TermSection, TermsCache};

pub use passages::{Passages, SectionScores, SectionText};

/// Contexts per task: each stems a word once.
const AT_ONCE: usize = 64;

const TEXTS: usize = 4;

const TEXT_WEIGHTS: [f64; TEXTS] = [1.0, 1.0, 0.75, 1.0];

/// Of words in contexts: most words of a trace occur nowhere else.
const MAX_RAREST: usize = 24;

/// Evidence of an ordinary word: two are needed.
const ORDINARY: f64 = 0.5;

/// In bytes: the message, not the frames.
const MESSAGE: usize = 1024;

/// In bytes. Traces begin with the message, logs end with it.
const LONG_END: usize = 16 * 1024;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relevance {
    /// From 0 to 1, rounded to three decimals.
    pub score: f64,
    pub words: Vec<String>,
    /// Of each word; a sum of 1 suffices.
    pub evidence: Vec<f64>,
    /// By a name, rare word, several words, or only by embedding.
    pub is_evident: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Scores {
    pub contexts: Vec<Relevance>,
    pub passages: Passages,
}

#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub request: &'a str,
    pub error: &'a str,
    pub material: &'a str,
    /// The message before; counts only if the request continues it.
    pub before: &'a str,
}

#[derive(Default)]
pub struct Ranker {
    terms: TermsCache,
    idle: Mutex<Vec<TermReader>>,
}

impl std::fmt::Debug for Ranker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ranker").finish_non_exhaustive()
    }
}

impl Ranker {
    pub fn new(map: DigestMap) -> Self {
        Self { terms: TermsCache(map), idle: Mutex::default() }
    }

    pub fn map(&self) -> &DigestMap {
        &self.terms.0
    }

    /// The highest score of any text (material × ¾): w·max(cos, 0) + (1 − w)·√(bm25f / bound), with
    /// w = `weights.semantic`. bound is at least that of a term in a single context.
    pub fn score(
        self: &Arc<Self>,
        question: Question<'_>,
        contexts: &[&Context],
        sources: &SourceMap,
        weights: Weights,
    ) -> Scores {
        let mut query = Query::new(question, weights);
        if query.terms.is_empty() {
            let contexts = vec![Relevance::default(); contexts.len()];
            return Scores { contexts, passages: Passages::default() };
        }
        let read = |chunk: &[&Context]| {
            self.with_reader(|reader| {
                let terms = |context: &&Context| self.terms.get(context, sources, reader);
                chunk.iter().map(terms).collect::<Vec<StoredTerms>>()
            })
        };
        let terms: Vec<StoredTerms> =
            contexts.par_chunks(AT_ONCE).map(read).flatten_iter().collect();
        let has = |stem: &str| {
            let term = TermHash::new(stem);
            terms.iter().any(|terms| terms.find(term).next().is_some())
        };
        let request = translated(question.request, &has);
        if let Some(request) = &request {
            query = Query::new(Question { request, ..question }, weights);
        }
        let found: Vec<TermMatches> = (terms.par_iter().zip(contexts))
            .map(|(terms, context)| TermMatches::new(terms, &query, context, sources))
            .collect();
        let statistics = Statistics::new(&query, &found);
        let relevance = |(found, context): (&TermMatches, &&Context)| {
            let is_called = |term: &Term<'_>| phrases::is_called(context, sources, term);
            statistics.relevance(&query, found, weights, is_called)
        };
        let contexts = found.iter().zip(contexts).map(relevance).collect();
        let Statistics { rarity, bounds, .. } = statistics;
        let passages = Passages {
            places: query.places,
            rarity,
            bounds,
            probes: query.texts.map(|text| text.probe),
            asks_for_figure: asks_for_figure(question.request),
            ranker: Arc::clone(self),
        };
        Scores { contexts, passages }
    }

    fn with_reader<T>(&self, work: impl FnOnce(&mut TermReader) -> T) -> T {
        let mut reader = self.idle().pop().unwrap_or_default();
        let result = work(&mut reader);
        self.idle().push(reader);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<TermReader>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct QueryText {
    probe: Option<QueryVector>,
    weights: Vec<f64>,
}

struct Query<'a> {
    terms: Vec<Term<'a>>,
    texts: [QueryText; TEXTS],
    places: Places,
    numbers: Vec<RequestNumber>,
}

impl<'a> Query<'a> {
    fn new(question: Question<'a>, weights: Weights) -> Self {
        let Question { request, error, material, before } = question;
        let before = if query::goes_on(request) { before } else { "" };
        let mut terms: Vec<Term<'a>> = Vec::new();
        let mut places = HashMap::new();
        let request = if query::is_reply(request) { "" } else { request };
        let mut question = |texts: &[&'a str], meant: &str| {
            let own: Vec<Term<'a>> =
                texts.iter().flat_map(|text| query::joined_terms(text)).collect();
            let probe = (weights.semantic > 0.0 && !own.is_empty())
                .then(|| meaning::embed(&spelled_out(meant)));
            let probe = probe.filter(|vector| vector.length > 0.0);
            let probe = probe.map(|vector| QueryVector::new(&vector));
            let mut weights = vec![0.0; terms.len()];
            for term in own {
                let place = *places.entry(term.stem.clone()).or_insert(terms.len());
                if place == terms.len() {
                    weights.push(0.0);
                    terms.push(term.clone());
                }
                weights[place] += term.weight();
            }
            QueryText { probe, weights }
        };
        let message = beginning(error);
        let mut read = ends(error);
        read.extend(status::meanings(message));
        let texts = [
            question(&[request], request),
            question(&read, message),
            question(&ends(material), beginning(material)),
            question(&ends(before), beginning(before)),
        ];
        let texts = texts.map(|mut text| {
            text.weights.resize(terms.len(), 0.0);
            text
        });
        let numbers = numbers(&terms, &texts, request);
        let places = Places::new(terms.iter().map(|term| (&*term.stem, &*term.synonyms)));
        Self { terms, texts, places, numbers }
    }
}

fn beginning(text: &str) -> &str {
    &text[..char_boundary(text, MESSAGE)]
}

fn ends(text: &str) -> Vec<&str> {
    if text.len() <= 2 * LONG_END {
        return vec![text];
    }
    let last = char_boundary(text, text.len() - LONG_END);
    vec![&text[..char_boundary(text, LONG_END)], &text[last..]]
}

#[derive(Clone, Debug, Default)]
struct FieldCounts {
    lengths: [u64; WEIGHTS.len()],
    found: Vec<(usize, [u32; WEIGHTS.len()])>,
}

impl FieldCounts {
    fn of(section: &TermSection<'_>, places: &Places) -> Self {
        let mut counts = Self { lengths: section.lengths, found: Vec::new() };
        for (term, often) in section.terms() {
            if let Some(place) = places.get(term) {
                counts.add(place, often);
            }
        }
        counts.join(places);
        counts
    }

    fn join(&mut self, places: &Places) {
        let of = |word: &usize| self.found.iter().find(|(place, _)| place == word);
        let phrases = places.phrases.iter().filter_map(|(term, words)| {
            let counts: Option<Vec<_>> = words.iter().map(|word| Some(of(word)?.1)).collect();
            let least = |field: usize| counts.iter().flatten().map(|of| of[field]).min();
            let least = std::array::from_fn(|field| least(field).unwrap_or(0));
            (least != [0; WEIGHTS.len()]).then_some((*term, least))
        });
        let joined: Vec<_> = phrases.collect();
        self.found.retain(|(place, _)| *place < places.count);
        for (place, often) in joined {
            self.add(place, often);
        }
    }

    fn add(&mut self, place: usize, counts: [u32; WEIGHTS.len()]) {
        let at = self.found.iter().position(|&(known, _)| known == place).unwrap_or_else(|| {
            self.found.push((place, [0; WEIGHTS.len()]));
            self.found.len() - 1
        });
        for (sum, own) in self.found[at].1.iter_mut().zip(counts) {
            *sum += own;
        }
    }

    fn has_head(&self, place: usize) -> bool {
        self.found.iter().any(|(own, often)| *own == place && often[HEAD] > 0)
    }

    fn merge(&mut self, part: &Self) {
        for (sum, own) in self.lengths.iter_mut().zip(part.lengths) {
            *sum += own;
        }
        part.found.iter().for_each(|&(place, often)| self.add(place, often));
    }

    fn sums(&self, lengths: [f64; WEIGHTS.len()], rarity: &[Vec<f64>; TEXTS]) -> [f64; TEXTS] {
        let mut sums = [0.0; TEXTS];
        for &(place, often) in &self.found {
            let saturated = bm25::saturated(often, lengths);
            for (sum, rarity) in sums.iter_mut().zip(rarity) {
                *sum += rarity[place] * saturated;
            }
        }
        sums
    }
}

#[derive(Clone, Debug, Default)]
struct Places {
    terms: Vec<(TermHash, usize)>,
    count: usize,
    phrases: Vec<(usize, Vec<usize>)>,
    lowest: Box<[u64]>,
}

impl Places {
    const LOWEST: u64 = 1 << 12;

    fn new<'a>(stems: impl Iterator<Item = (&'a str, &'a [Phrase])>) -> Self {
        let (stems, synonyms): (Vec<&str>, Vec<&[Phrase]>) = stems.unzip();
        let count = stems.len();
        let mut places: HashMap<&str, usize> = stems.into_iter().zip(0..).collect();
        let mut phrases = Vec::new();
        let forms =
            synonyms.iter().enumerate().flat_map(|(at, of)| of.iter().map(move |it| (at, it)));
        for (term, form) in forms {
            match &**form {
                [word] => {
                    places.entry(word).or_insert(term);
                }
                words => {
                    let mut next = places.len().max(count);
                    let words = words.iter().map(|word| {
                        *places.entry(word).or_insert_with(|| {
                            next += 1;
                            next - 1
                        })
                    });
                    phrases.push((term, words.collect()));
                }
            }
        }
        let hashed = places.into_iter().map(|(stem, place)| (TermHash::new(stem), place));
        let mut terms: Vec<(TermHash, usize)> = hashed.collect();
        terms.sort_unstable();
        let mut lowest = vec![0; usize::try_from(Self::LOWEST / 64).unwrap_or(0)];
        for (term, _) in &terms {
            let (word, bit) = Self::lowest_of(*term);
            lowest[word] |= bit;
        }
        Self { terms, count, phrases, lowest: lowest.into() }
    }

    fn lowest_of(term: TermHash) -> (usize, u64) {
        let lowest = term.bits() % Self::LOWEST;
        (usize::try_from(lowest / 64).unwrap_or(0), 1 << (lowest % 64))
    }

    fn get(&self, term: TermHash) -> Option<usize> {
        let (word, bit) = Self::lowest_of(term);
        if self.lowest.get(word)? & bit == 0 {
            return None;
        }
        let at = self.terms.binary_search_by_key(&term, |(term, _)| *term).ok()?;
        Some(self.terms[at].1)
    }
}

#[derive(Debug, Default)]
struct TermMatches {
    meta: FieldCounts,
    sections: Vec<FieldCounts>,
    whole: FieldCounts,
    count: usize,
    likeness: [f64; TEXTS],
}

impl TermMatches {
    fn new(terms: &StoredTerms, query: &Query<'_>, context: &Context, sources: &SourceMap) -> Self {
        let mut lengths = terms.lengths();
        let meta =
            FieldCounts { lengths: lengths.next().unwrap_or_default(), ..Default::default() };
        let mut found = Self { whole: meta.clone(), meta, ..Self::default() };
        let mut having: Vec<(usize, FieldCounts)> = Vec::new();
        for &(term, place) in &query.places.terms {
            for (section, often) in terms.find(term) {
                let own = if section == 0 {
                    &mut found.meta
                } else {
                    let known = having.iter().position(|(of, _)| *of == section);
                    let at = known.unwrap_or_else(|| {
                        having.push((section, FieldCounts::default()));
                        having.len() - 1
                    });
                    &mut having[at].1
                };
                own.add(place, often);
            }
        }
        for counts in std::iter::once(&mut found.meta).chain(having.iter_mut().map(|(_, it)| it)) {
            counts.join(&query.places);
            counts.found.iter().for_each(|&(place, often)| found.whole.add(place, often));
        }
        let has = |place: &usize| found.whole.found.iter().any(|(own, _)| own == place);
        let first = having.iter().filter(|(section, _)| *section == 1).map(|(_, it)| it);
        let names: Vec<&FieldCounts> = first.chain([&found.meta]).collect();
        let is_name = |number: usize| names.iter().any(|it| it.has_head(number));
        let is_bare = |place: &usize| {
            let at = query.numbers.binary_search_by_key(place, |it| it.place);
            let mut number = at.ok().map(|at| &query.numbers[at]).into_iter();
            number.any(|it| !it.next.iter().any(has) && (it.is_of_item || !is_name(it.place)))
        };
        let is_apart = |place: &usize| {
            let term = &query.terms[*place];
            let has_it = || terms.find(TermHash::new(&term.stem)).next().is_some();
            let is_in_order = |parts: &Phrase| phrases::has(context, sources, parts);
            term.joined && !has_it() && !term.synonyms.iter().any(is_in_order)
        };
        let bare: Vec<usize> = (found.whole.found.iter().map(|(place, _)| *place))
            .filter(|place| is_bare(place) || is_apart(place))
            .collect();
        if !bare.is_empty() {
            let parts = having.iter_mut().map(|(_, it)| it);
            for counts in parts.chain([&mut found.meta, &mut found.whole]) {
                counts.found.retain(|(place, _)| !bare.contains(place));
            }
        }
        having.sort_unstable_by_key(|(section, _)| *section);
        let mut having = having.into_iter().peekable();
        for (at, lengths) in (1..).zip(lengths) {
            found.count += 1;
            for (sum, own) in found.whole.lengths.iter_mut().zip(lengths) {
                *sum += own;
            }
            if let Some((_, section)) = having.next_if(|(section, _)| *section == at) {
                found.sections.push(FieldCounts { lengths, ..section });
            }
        }
        let cosine = |probe: &QueryVector| f64::from(probe.cosine(terms.vector())).max(0.0);
        found.likeness = query.texts.each_ref().map(|text| text.probe.as_ref().map_or(0.0, cosine));
        found
    }
}

struct Statistics {
    rarity: [Vec<f64>; TEXTS],
    bounds: [f64; TEXTS],
    /// Half the idf of a term in a single context: evidence is relative to it.
    rare: f64,
    specific: Vec<bool>,
    /// Of contexts, and of sections with their context's names; without empty fields.
    averages: [[f64; WEIGHTS.len()]; 2],
}

impl Statistics {
    fn new(query: &Query<'_>, all: &[TermMatches]) -> Self {
        let mut having = vec![0_usize; query.terms.len()];
        let mut with_ideographs = 0;
        for found in all {
            let found = &found.whole.found;
            for &(place, _) in found {
                having[place] += 1;
            }
            let has_any = found.iter().any(|&(place, _)| query.terms[place].is_ideographic());
            with_ideographs += usize::from(has_any);
        }
        let idf = |(term, &having): (&Term<'_>, &usize)| {
            // Among texts in other scripts, any pair would be rare.
            let total = if term.is_ideographic() { with_ideographs } else { all.len() };
            let is_part = term.joined || term.is_number();
            if is_part && having == 0 { 0.0 } else { bm25::idf(total, having) }
        };
        let idf: Vec<f64> = query.terms.iter().zip(&having).map(idf).collect();
        let [request, error, material, before] = &query.texts;
        let [request, before] = [request, before].map(|text| -> Vec<f64> {
            text.weights.iter().zip(&idf).map(|(weight, idf)| weight * idf).collect()
        });
        let subjects: Vec<bool> = query
            .terms
            .iter()
            .zip(&having)
            .map(|(term, &having)| having > 0 && term.is_subject())
            .collect();
        let [error, material] =
            [error, material].map(|text| rarest(&text.weights, &idf, &subjects));
        let rarity = [request, error, material, before];
        let average = |field: usize, of: fn(&TermMatches, usize) -> (u64, usize)| {
            let lengths = all.iter().map(|found| of(found, field)).filter(|(sum, _)| *sum > 0);
            let (sum, count) = lengths.fold((0, 0), |(sum, n), (one, of)| (sum + one, n + of));
            bm25::average(sum, count)
        };
        let averages = [
            std::array::from_fn(|field| average(field, |found, at| (found.whole.lengths[at], 1))),
            std::array::from_fn(|field| {
                average(field, |found, at| {
                    let repeated = found.count.saturating_sub(1) as u64 * found.meta.lengths[at];
                    (found.whole.lengths[at] + repeated, found.count.max(1))
                })
            }),
        ];
        let single = bm25::idf(all.len(), 1);
        let least = bm25::bound(std::iter::once(single));
        let bounds = rarity
            .each_ref()
            .map(|rarity| bm25::bound(rarity.iter().copied()))
            .map(|bound| if bound > 0.0 { bound.max(least) } else { 0.0 });
        let is_specific =
            |term: &Term<'_>| term.joined || term.is_name || meaning::weight(term.text).is_none();
        let specific = query.terms.iter().map(is_specific).collect();
        Self { rarity, bounds, rare: single / 2.0, specific, averages }
    }

    fn words(&self, counts: &FieldCounts, averages: &[f64; WEIGHTS.len()]) -> [f64; TEXTS] {
        #[expect(clippy::cast_precision_loss, reason = "texts are far smaller than 2^52 bytes")]
        let lengths = std::array::from_fn(|field| counts.lengths[field] as f64 / averages[field]);
        let sums = counts.sums(lengths, &self.rarity);
        std::array::from_fn(|at| bm25::relevance(sums[at], self.bounds[at]))
    }

    fn relevance(
        &self,
        query: &Query<'_>,
        found: &TermMatches,
        weights: Weights,
        is_called: impl Fn(&Term<'_>) -> bool,
    ) -> Relevance {
        let whole = self.words(&found.whole, &self.averages[0]);
        let mut best = [0.0_f64; TEXTS];
        let alone = found.sections.is_empty().then_some(&FieldCounts::default()).cloned();
        for section in found.sections.iter().chain(&alone) {
            let mut section = section.clone();
            section.merge(&found.meta);
            let words = self.words(&section, &self.averages[1]);
            best = std::array::from_fn(|at| best[at].max(words[at]));
        }
        let fused = (0..TEXTS).map(|at| {
            let words = f64::midpoint(whole[at], best[at]);
            TEXT_WEIGHTS[at] * (weights.semantic * found.likeness[at] + weights.keyword * words)
        });
        let mut places: Vec<usize> = found.whole.found.iter().map(|&(place, _)| place).collect();
        places.sort_unstable();
        let mut subjects = places.iter().filter(|&&place| query.terms[place].is_subject());
        let rarity = |place: usize| self.rarity.iter().map(|of| of[place]).fold(0.0, f64::max);
        let evidence: Vec<f64> = (places.iter())
            .map(|&place| match &query.terms[place] {
                term if term.is_subject() && term.is_thing() => rarity(place) / self.rare,
                _ => 0.0,
            })
            .collect();
        let most = |&place: &usize| if self.specific[place] { 1.0 } else { ORDINARY };
        let sum: f64 = evidence.iter().zip(&places).map(|(own, place)| own.min(most(place))).sum();
        let is_evident = places.is_empty()
            || sum >= 1.0
            || subjects.any(|&place| is_called(&query.terms[place]));
        Relevance {
            score: (fused.fold(0.0, f64::max) * 1000.0).round() / 1000.0,
            is_evident,
            evidence,
            words: places.into_iter().map(|place| query.terms[place].text.to_owned()).collect(),
        }
    }
}

/// Frequency does not count: traces repeat themselves.
fn rarest(weights: &[f64], idf: &[f64], subjects: &[bool]) -> Vec<f64> {
    let known = |&place: &usize| weights[place] > 0.0 && subjects[place];
    let mut places: Vec<usize> = (0..idf.len()).filter(known).collect();
    places.sort_by(|&a, &b| idf[b].total_cmp(&idf[a]).then(a.cmp(&b)));
    let mut rarity = vec![0.0; idf.len()];
    for place in places.into_iter().take(MAX_RAREST) {
        rarity[place] = idf[place];
    }
    rarity
}

#[cfg(test)]
mod tests;
