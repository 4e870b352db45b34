//! Which contexts resemble a request that none of their keywords is in.
//!
//! BM25 and meaning, over front matter and headings, in memory: never from an index, since a bundle
//! may not depend on the state of a cache. Scores are on an absolute scale, so one threshold serves
//! all requests and workspaces.

use std::cell::RefCell;
use std::collections::HashMap;

use rayon::prelude::*;

use crate::config::Weights;
use crate::document::ContextId;
use crate::meaning::{self, Embedder, Pool, Probe};
use crate::resolve::catalog::{Body, Resolved};
use crate::select::headings::Headings;
use crate::source::SourceMap;
use crate::terms::bm25::{self, HEAD, WEIGHTS};
use crate::terms::pieces::{pieces, stem_of};
use crate::terms::query::{self, Term};
use crate::terms::words::Normalizer;

/// The field of the `summary`, which stands for the body.
const SUMMARY: usize = bm25::BODY;

thread_local! {
    /// How words are cut is remembered from one run of a process to the next, as the words are
    /// mostly the same; no result depends on it.
    static EMBEDDER: RefCell<Embedder> = RefCell::new(Embedder::new());
}

/// How many contexts are read in one go: enough that words repeat and are stemmed once.
const AT_ONCE: usize = 64;

/// A context that resembles the request.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored<'a> {
    /// The context.
    pub id: &'a ContextId,
    /// How much, from 0 to 1, with three decimals.
    pub score: f64,
    /// The words of the request that it has, in the order of the request.
    pub words: Vec<&'a str>,
}

/// Ranks `contexts`, in whichever order they come: all that have anything to do with the request, by
/// score, then by id. A request without a term that says something ranks none.
///
/// A score is w·max(cos, 0) + (1 − w)·√(bm25 / bound), where w is `weights.semantic`, cos that of the
/// vectors of request and context, and bound the most that the terms of the request could score:
/// Σ idf·(k₁ + 1) · Σ field weights.
pub fn rank<'a>(
    request: &'a str,
    contexts: &[&'a Resolved],
    sources: &SourceMap,
    weights: Weights,
) -> Vec<Scored<'a>> {
    let query = Query::new(request, weights);
    if query.terms.is_empty() {
        return Vec::new();
    }
    let read = |chunk: &[&'a Resolved]| {
        EMBEDDER.with_borrow_mut(|embedder| {
            let (normalizer, known) = (Normalizer::new(), HashMap::new());
            let mut reader = Reader { query: &query, normalizer, known, embedder };
            chunk.iter().map(|context| reader.read(context, sources)).collect::<Vec<Counts>>()
        })
    };
    let counts = contexts.par_chunks(AT_ONCE).map(read);
    let counts: Vec<Counts> = counts.flatten_iter().collect();
    let statistics = Statistics::new(&query, &counts);
    let scored = contexts.iter().zip(&counts).map(|(context, counts)| Scored {
        id: &context.id,
        score: statistics.score(counts, weights),
        words: query.words(counts),
    });
    let mut best: Vec<Scored<'a>> = scored.filter(|scored| scored.score > 0.0).collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(b.id)));
    best
}

/// What a request says: its terms, each once, and what it means.
struct Query<'a> {
    terms: Vec<Term<'a>>,
    /// None when meaning counts for nothing, or there is none.
    probe: Option<Probe>,
    /// The place of each stem in `terms`.
    places: HashMap<String, usize>,
    /// Bytes with which stems begin. No stem begins otherwise than its word, so what begins with
    /// none of these need not be stemmed.
    begins: [bool; 256],
}

impl<'a> Query<'a> {
    fn new(request: &'a str, weights: Weights) -> Self {
        let terms = query::terms(request);
        let probe = (weights.semantic > 0.0 && !terms.is_empty()).then(|| meaning::embed(request));
        let probe = probe.filter(|vector| vector.length > 0.0).map(|vector| Probe::new(&vector));
        let mut query = Self { terms, probe, places: HashMap::new(), begins: [false; 256] };
        for (place, term) in query.terms.iter().enumerate() {
            query.begins[usize::from(term.stem.as_bytes()[0])] = true;
            query.places.insert(term.stem.clone(), place);
        }
        query
    }

    /// The term that a piece of a context is.
    fn place(&self, piece: &str, normalizer: &Normalizer<'_>) -> Option<usize> {
        let first = piece.bytes().next()?.to_ascii_lowercase();
        if piece.is_ascii() && !self.begins[usize::from(first)] {
            return None;
        }
        self.places.get(&stem_of(piece, normalizer)).copied()
    }

    fn words(&self, counts: &Counts) -> Vec<&'a str> {
        let mut places: Vec<usize> = counts.found.iter().map(|&(place, _)| place).collect();
        places.sort_unstable();
        places.into_iter().map(|place| self.terms[place].text).collect()
    }
}

/// What a context has of the request, by field.
#[derive(Debug, Default)]
struct Counts {
    /// How many pieces there are, stop words included.
    lengths: [u32; WEIGHTS.len()],
    /// The terms that it has, and how often.
    found: Vec<(usize, [u32; WEIGHTS.len()])>,
    /// max(cos, 0) of what it and the request mean.
    likeness: f64,
}

/// Reads contexts, and remembers what words are.
struct Reader<'q, 'a> {
    query: &'q Query<'q>,
    embedder: &'q mut Embedder,
    normalizer: Normalizer<'q>,
    /// What stands between white space: the number of its pieces, and the terms among them.
    known: HashMap<&'a str, (u32, Vec<usize>)>,
}

impl<'a> Reader<'_, 'a> {
    fn read(&mut self, context: &'a Resolved, sources: &'a SourceMap) -> Counts {
        let mut counts = Counts::default();
        let mut pool = Pool::new();
        let mut add = |text: &'a str, field: usize| {
            self.count(text, field, &mut counts);
            if self.query.probe.is_some() {
                self.embedder.add(&mut pool, text);
            }
        };
        let fields = &context.front.fields;
        add(&context.id.name, HEAD);
        for text in fields.description.iter().chain(&fields.keywords).chain(&fields.tags) {
            add(&text.value, HEAD);
        }
        if let Some(text) = &fields.summary {
            add(&text.value, SUMMARY);
        }
        let mut headings = Headings::default();
        let mut line = |text: &'a str| {
            if let Some(heading) = headings.next(text) {
                add(heading, HEAD);
            }
        };
        match &context.body {
            Body::Whole(span) => lines(sources.text(*span)).for_each(&mut line),
            Body::Lines(lines) => lines.iter().for_each(|one| line(one.text(sources))),
        }
        if let Some(probe) = &self.query.probe {
            let values = pool.finish().values.map(i8::cast_unsigned);
            counts.likeness = f64::from(probe.cosine(&values)).max(0.0);
        }
        counts
    }

    fn count(&mut self, text: &'a str, field: usize, counts: &mut Counts) {
        for chunk in text.split_ascii_whitespace() {
            if initial_of_one(chunk).is_some_and(|first| !self.query.begins[usize::from(first)]) {
                counts.lengths[field] += 1;
                continue;
            }
            let (query, normalizer) = (self.query, &self.normalizer);
            let (length, places) = self.known.entry(chunk).or_insert_with(|| {
                let pieces = pieces(chunk);
                let length = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
                let texts = pieces.into_iter().map(|piece| &chunk[piece.bytes]);
                (length, texts.filter_map(|text| query.place(text, normalizer)).collect())
            });
            counts.lengths[field] = counts.lengths[field].saturating_add(*length);
            for &place in &*places {
                counts.add(place, field);
            }
        }
    }
}

/// The first letter, as stems have it, of what is plainly one word: letters of which only the first
/// may be a capital, perhaps in punctuation. Most words are, and need no closer look.
fn initial_of_one(chunk: &str) -> Option<u8> {
    let mut bytes = chunk.bytes().skip_while(u8::is_ascii_punctuation);
    let first = bytes.next().filter(u8::is_ascii_alphabetic)?;
    let mut rest = bytes.skip_while(u8::is_ascii_lowercase);
    rest.all(|byte| byte.is_ascii_punctuation()).then(|| first.to_ascii_lowercase())
}

/// The lines of a text, quicker than the standard library has them: nine tenths of what is read are
/// lines without a heading.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    ends.scan(0, |start, end| Some(&text[std::mem::replace(start, end + 1)..end]))
}

impl Counts {
    fn add(&mut self, place: usize, field: usize) {
        let at = self.found.iter().position(|&(known, _)| known == place).unwrap_or_else(|| {
            self.found.push((place, [0; WEIGHTS.len()]));
            self.found.len() - 1
        });
        self.found[at].1[field] += 1;
    }
}

/// What all contexts together say about terms and fields.
struct Statistics {
    /// How rare each term of the request is.
    idf: Vec<f64>,
    /// The average length of each field that is there at all.
    average: [f64; WEIGHTS.len()],
    bound: f64,
}

impl Statistics {
    fn new(query: &Query<'_>, all: &[Counts]) -> Self {
        let mut having = vec![0_usize; query.terms.len()];
        for &(place, _) in all.iter().flat_map(|counts| &counts.found) {
            having[place] += 1;
        }
        let rarity = |(term, &having): (&Term<'_>, &usize)| {
            // That nobody writes an identifier in one word is no sign that it is about something
            // else; that nobody uses a word is.
            if term.joined && having == 0 { 0.0 } else { bm25::idf(all.len(), having) }
        };
        let idf: Vec<f64> = query.terms.iter().zip(&having).map(rarity).collect();
        let average = std::array::from_fn(|field| {
            let lengths = all.iter().map(|counts| u64::from(counts.lengths[field]));
            let (sum, count) = lengths
                .filter(|&length| length > 0)
                .fold((0, 0), |(sum, n), one| (sum + one, n + 1));
            bm25::average(sum, count)
        });
        let bound = bm25::bound(idf.iter().copied());
        Self { idf, average, bound }
    }

    /// With three decimals, so that the last bits of a logarithm decide nothing.
    fn score(&self, counts: &Counts, weights: Weights) -> f64 {
        let of_term = |&(place, ref often): &(usize, [u32; WEIGHTS.len()])| {
            let fields = often.iter().enumerate().filter(|(_, often)| **often > 0);
            let fields = fields.map(|(field, &often)| {
                bm25::part(field, often, f64::from(counts.lengths[field]) / self.average[field])
            });
            self.idf[place] * fields.sum::<f64>()
        };
        let score: f64 = counts.found.iter().map(of_term).sum();
        let words = bm25::relevance(score, self.bound);
        let fused = weights.semantic * counts.likeness + weights.keyword * words;
        (fused * 1000.0).round() / 1000.0
    }
}

#[cfg(test)]
mod tests;
