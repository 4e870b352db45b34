//! How much each context of a view has to do with a request.
//!
//! BM25F over names, headings and bodies, and the meaning of names and headings, in memory: never
//! from an index, since a bundle may not depend on the state of a cache. Scores are on the absolute
//! scale of search, so one threshold serves all requests and workspaces.

mod scan;

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::config::Weights;
use crate::meaning::{self, Embedder, EmbedderPool, Pool, Probe};
use crate::resolve::catalog::{Body, Resolved};
use crate::select::headings::Headings;
use crate::select::status;
use crate::source::{SourceMap, char_boundary};
use crate::terms::bm25::{self, BODY, HEAD, WEIGHTS};
use crate::terms::query::{self, Term};
use scan::Scanner;

/// How many contexts are read in one go: enough that words repeat and are stemmed once.
const AT_ONCE: usize = 64;

/// The most terms of an error text that count: the rarest that any context has. Traces are long, and
/// most of their words are names that occur nowhere else.
const MOST_ERROR_TERMS: usize = 24;

/// Bytes of an error text whose meaning counts: its message, and not the frames below it.
const ERROR_MESSAGE: usize = 1024;

/// Bytes at each end of an error text whose words count: traces begin with the message, logs end with it.
const ERROR_END: usize = 16 * 1024;

/// How much a context has to do with a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relevance {
    /// From 0 to 1, with three decimals.
    pub score: f64,
    /// The words of the request and the error text that it has, in their order there.
    pub words: Vec<String>,
}

/// What contexts and their parts score against a request and an error text.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// The relevance of each context, in the order of the contexts.
    pub contexts: Vec<Relevance>,
    /// What parts of their texts score.
    pub passages: Passages,
}

/// Scores parts of texts against what contexts were scored against.
#[derive(Clone, Debug, Default)]
pub struct Passages {
    /// The place of each term in `rarity`.
    places: HashMap<String, usize>,
    /// For request and error text.
    rarity: [Vec<f64>; 2],
    bounds: [f64; 2],
    /// Their vectors, unless meaning does not count.
    probes: [Option<Probe>; 2],
    embedders: Arc<EmbedderPool>,
}

/// A chunk of a text goes on over a heading up to so many bytes, and ends before so many: the sizes of
/// the units of search.
const SMALL: usize = 1_600;
const LARGEST: usize = 2_048;

/// Bytes of a part of a text of usual length.
const PASSAGE: f64 = 400.0;
/// Bytes of the headings above it.
const HEADINGS: f64 = 60.0;
/// How much the cosine of a part counts, next to the share of the words of the question that it has.
const MEANING: f64 = 0.5;

impl Passages {
    /// Whether there is nothing to score against.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Scores parts of one text, given the headings above each: bm25f / bound + ½·max(cos, 0), so from 0
    /// to 1.5.
    pub fn scorer(&self) -> impl FnMut(&str, &str) -> f64 + '_ {
        let mut scanner = Scanner::new(&self.places);
        move |headings, text| {
            let mut counts = Counts::default();
            scanner.scan(headings, &mut |place| counts.add_one(place, HEAD));
            scanner.scan(text, &mut |place| counts.add_one(place, BODY));
            #[expect(clippy::cast_precision_loss, reason = "texts are far smaller than 2^52 bytes")]
            let lengths = [headings.len() as f64 / HEADINGS, text.len() as f64 / PASSAGE];
            let mut sums = [0.0; 2];
            for &(place, often) in &counts.found {
                let saturated = bm25::saturated(often, lengths);
                for (sum, rarity) in sums.iter_mut().zip(&self.rarity) {
                    *sum += rarity[place] * saturated;
                }
            }
            let values = self.probes.iter().any(Option::is_some).then(|| {
                self.embedders.with(|embedder| {
                    let mut pool = Pool::new();
                    embedder.add(&mut pool, headings);
                    embedder.add(&mut pool, text);
                    pool.finish().values.map(i8::cast_unsigned)
                })
            });
            let relative = |at: usize| {
                let words = sums[at] / self.bounds[at].max(f64::MIN_POSITIVE);
                let cosine = self.probes[at].as_ref().zip(values.as_ref());
                let cosine = cosine.map_or(0.0, |(probe, values)| f64::from(probe.cosine(values)));
                words + MEANING * cosine.max(0.0)
            };
            relative(0).max(relative(1))
        }
    }
}

/// Scores `contexts` against the texts of a question.
///
/// A score is the higher of those against request and error text: w·max(cos, 0) + (1 − w)·√(bm25f /
/// bound), where w is `weights.semantic`, cos that of the vectors of the question and of what the
/// context calls itself, and bound the most that the terms of the question could score.
pub fn score(
    question: Question<'_>,
    contexts: &[&Resolved],
    sources: &SourceMap,
    weights: Weights,
    embedders: &Arc<EmbedderPool>,
) -> Scores {
    let query = Query::new(question, weights);
    if query.terms.is_empty() {
        let contexts = vec![Relevance::default(); contexts.len()];
        return Scores { contexts, passages: Passages::default() };
    }
    let read = |chunk: &[&Resolved]| {
        embedders.with(|embedder| {
            let mut reader = Reader { query: &query, scanner: query.scanner(), embedder };
            chunk.iter().map(|context| reader.read(context, sources)).collect::<Vec<Found>>()
        })
    };
    let counts: Vec<Found> = contexts.par_chunks(AT_ONCE).map(read).flatten_iter().collect();
    let statistics = Statistics::new(&query, &counts);
    let relevance = |found: &Found| statistics.relevance(&query, found, weights);
    let contexts = counts.iter().map(relevance).collect();
    let Statistics { rarity, bounds, .. } = statistics;
    let probes = [query.request.probe, query.error.probe];
    Scores {
        contexts,
        passages: Passages {
            places: query.places,
            rarity,
            bounds,
            probes,
            embedders: Arc::clone(embedders),
        },
    }
}

/// The texts to score against; each may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What is asked for.
    pub request: &'a str,
    /// Error text.
    pub error: &'a str,
}

/// One text to score against.
struct QueryText {
    /// None when meaning counts for nothing, or the question has none.
    probe: Option<Probe>,
    /// How often it has each term of the query.
    often: Vec<u32>,
}

/// The terms of a request and an error text.
struct Query<'a> {
    terms: Vec<Term<'a>>,
    request: QueryText,
    error: QueryText,
    /// The place of each stem in `terms`.
    places: HashMap<String, usize>,
}

impl<'a> Query<'a> {
    fn new(Question { request, error }: Question<'a>, weights: Weights) -> Self {
        let mut terms: Vec<Term<'a>> = Vec::new();
        let mut places = HashMap::new();
        let mut question = |texts: &[&'a str], meant: &str| {
            let own: Vec<Term<'a>> = texts.iter().flat_map(|text| query::terms(text)).collect();
            let probe = (weights.semantic > 0.0 && !own.is_empty()).then(|| meaning::embed(meant));
            let probe = probe.filter(|vector| vector.length > 0.0);
            let probe = probe.map(|vector| Probe::new(&vector));
            let mut often = vec![0; terms.len()];
            for term in own {
                let place = *places.entry(term.stem.clone()).or_insert(terms.len());
                if place == terms.len() {
                    often.push(0);
                    terms.push(term.clone());
                }
                often[place] += term.often;
            }
            QueryText { probe, often }
        };
        let mut asked = question(&[request], request);
        let message = &error[..char_boundary(error, ERROR_MESSAGE)];
        let mut read: Vec<&'a str> = if error.len() <= 2 * ERROR_END {
            vec![error]
        } else {
            let last = char_boundary(error, error.len() - ERROR_END);
            vec![&error[..char_boundary(error, ERROR_END)], &error[last..]]
        };
        read.extend(status::meanings(message));
        let error = question(&read, message);
        asked.often.resize(terms.len(), 0);
        Self { terms, request: asked, error, places }
    }

    fn scanner(&self) -> Scanner<'_> {
        Scanner::new(&self.places)
    }

    fn questions(&self) -> [&QueryText; 2] {
        [&self.request, &self.error]
    }
}

/// What a text has of the query, by field.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// In bytes: of lengths only the proportion to the average counts.
    lengths: [u64; WEIGHTS.len()],
    /// The terms that it has, and how often.
    found: Vec<(usize, [u32; WEIGHTS.len()])>,
}

impl Counts {
    fn add(&mut self, place: usize, often: [u32; WEIGHTS.len()]) {
        let at = self.found.iter().position(|&(known, _)| known == place).unwrap_or_else(|| {
            self.found.push((place, [0; WEIGHTS.len()]));
            self.found.len() - 1
        });
        for (sum, own) in self.found[at].1.iter_mut().zip(often) {
            *sum += own;
        }
    }

    fn add_one(&mut self, place: usize, field: usize) {
        self.add(place, std::array::from_fn(|of| u32::from(of == field)));
    }

    /// Takes in the counts of a part.
    fn merge(&mut self, part: &Self) {
        for (sum, own) in self.lengths.iter_mut().zip(part.lengths) {
            *sum += own;
        }
        part.found.iter().for_each(|&(place, often)| self.add(place, often));
    }
}

/// What a context has of the query.
#[derive(Debug, Default)]
struct Found {
    /// Name, description, keywords, tags and summary.
    meta: Counts,
    /// The chunks of its text that have any term, each under the headings in it.
    chunks: Vec<Counts>,
    /// All of these, and the lengths of the chunks that have none.
    whole: Counts,
    /// How many chunks it has.
    count: usize,
    /// max(cos, 0) of what it calls itself and what request and error text mean.
    likeness: [f64; 2],
}

impl Found {
    fn close(&mut self, chunk: &mut Counts) {
        if chunk.lengths.iter().sum::<u64>() == 0 {
            return;
        }
        self.count += 1;
        self.whole.merge(chunk);
        let chunk = std::mem::take(chunk);
        if !chunk.found.is_empty() {
            self.chunks.push(chunk);
        }
    }
}

struct Reader<'q, 'a> {
    query: &'q Query<'q>,
    scanner: Scanner<'a>,
    embedder: &'q mut Embedder,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self, context: &'a Resolved, sources: &'a SourceMap) -> Found {
        let mut found = Found::default();
        let mut pool = Pool::new();
        let probes = self.query.questions().map(|question| question.probe.as_ref());
        let has_probe = probes.iter().any(Option::is_some);
        let mut add = |text: &'a str, field: usize, counts: &mut Counts| {
            counts.lengths[field] += text.len() as u64;
            self.scanner.scan(text, &mut |place| counts.add_one(place, field));
            if field == HEAD && has_probe {
                self.embedder.add(&mut pool, text);
            }
        };
        let fields = &context.front.fields;
        add(&context.id.name, HEAD, &mut found.meta);
        for text in fields.description.iter().chain(&fields.keywords).chain(&fields.tags) {
            add(&text.value, HEAD, &mut found.meta);
        }
        if let Some(text) = &fields.summary {
            add(&text.value, BODY, &mut found.meta);
        }
        found.whole.merge(&found.meta.clone());
        let (mut headings, mut chunk) = (Headings::default(), Counts::default());
        let mut line = |text: &'a str| {
            let heading = headings.next(text);
            let size = usize::try_from(chunk.lengths[BODY]).unwrap_or(usize::MAX);
            if size.saturating_add(text.len()) > LARGEST || (heading.is_some() && size > SMALL) {
                found.close(&mut chunk);
            }
            match heading {
                Some(heading) => add(heading, HEAD, &mut chunk),
                None => add(text, BODY, &mut chunk),
            }
        };
        match &context.body {
            Body::Whole(span) => lines(sources.text(*span)).for_each(&mut line),
            Body::Lines(lines) => lines.iter().for_each(|one| line(one.text(sources))),
        }
        found.close(&mut chunk);
        if has_probe {
            let values = pool.finish().values.map(i8::cast_unsigned);
            found.likeness = probes
                .map(|probe| probe.map_or(0.0, |probe| f64::from(probe.cosine(&values)).max(0.0)));
        }
        found
    }
}

/// The lines of a text, quicker than the standard library has them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end + 1)..end]))
}

/// What all contexts together say about terms and fields.
struct Statistics {
    /// For request and error text: the rarity of each term, times how often it is asked for.
    rarity: [Vec<f64>; 2],
    bounds: [f64; 2],
    /// The average lengths of the fields that are there at all: of contexts, and of their chunks with
    /// what contexts are called.
    averages: [[f64; WEIGHTS.len()]; 2],
}

impl Statistics {
    fn new(query: &Query<'_>, all: &[Found]) -> Self {
        let mut having = vec![0_usize; query.terms.len()];
        for &(place, _) in all.iter().flat_map(|found| &found.whole.found) {
            having[place] += 1;
        }
        let idf = |(term, &having): (&Term<'_>, &usize)| {
            // That no context has an identifier in one word is no sign that it is about something
            // else; that none uses a word is.
            if term.joined && having == 0 { 0.0 } else { bm25::idf(all.len(), having) }
        };
        let idf: Vec<f64> = query.terms.iter().zip(&having).map(idf).collect();
        let asked = query.request.often.iter().zip(&idf);
        let request: Vec<f64> = asked.map(|(&often, idf)| f64::from(often) * idf).collect();
        let error = rarest_of_error(&query.error.often, &idf, &having);
        let average = |field: usize, of: fn(&Found, usize) -> (u64, usize)| {
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
        let bounds = [&request, &error].map(|rarity| bm25::bound(rarity.iter().copied()));
        Self { rarity: [request, error], bounds, averages }
    }

    /// √(bm25f / bound) of a text, or of a chunk with what its context is called.
    fn words(&self, counts: &Counts, averages: &[f64; WEIGHTS.len()]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        #[expect(clippy::cast_precision_loss, reason = "texts are far smaller than 2^52 bytes")]
        let lengths = std::array::from_fn(|field| counts.lengths[field] as f64 / averages[field]);
        for &(place, often) in &counts.found {
            let saturated = bm25::saturated(often, lengths);
            for (sum, rarity) in sums.iter_mut().zip(&self.rarity) {
                *sum += rarity[place] * saturated;
            }
        }
        std::array::from_fn(|at| bm25::relevance(sums[at], self.bounds[at]))
    }

    /// With three decimals, so that the last bits of a logarithm decide nothing.
    fn relevance(&self, query: &Query<'_>, found: &Found, weights: Weights) -> Relevance {
        let whole = self.words(&found.whole, &self.averages[0]);
        let mut best = [0.0_f64; 2];
        let alone = found.chunks.is_empty().then_some(&Counts::default()).cloned();
        for chunk in found.chunks.iter().chain(&alone) {
            let mut chunk = chunk.clone();
            chunk.merge(&found.meta);
            let words = self.words(&chunk, &self.averages[1]);
            best = std::array::from_fn(|at| best[at].max(words[at]));
        }
        let fused = (0..2).map(|at| {
            let words = f64::midpoint(whole[at], best[at]);
            weights.semantic * found.likeness[at] + weights.keyword * words
        });
        let mut places: Vec<usize> = found.whole.found.iter().map(|&(place, _)| place).collect();
        places.sort_unstable();
        Relevance {
            score: (fused.fold(0.0, f64::max) * 1000.0).round() / 1000.0,
            words: places.into_iter().map(|place| query.terms[place].text.to_owned()).collect(),
        }
    }
}

/// The rarity of the terms of an error text that count; of all others 0. A trace repeats itself, so
/// each term counts once, and words that no context has say nothing.
fn rarest_of_error(often: &[u32], idf: &[f64], having: &[usize]) -> Vec<f64> {
    let known = |&place: &usize| often[place] > 0 && having[place] > 0;
    let mut places: Vec<usize> = (0..idf.len()).filter(known).collect();
    places.sort_by(|&a, &b| idf[b].total_cmp(&idf[a]).then(a.cmp(&b)));
    let mut rarity = vec![0.0; idf.len()];
    for place in places.into_iter().take(MOST_ERROR_TERMS) {
        rarity[place] = idf[place];
    }
    rarity
}

#[cfg(test)]
mod tests;
