//! Scores texts against a question.
//!
//! rel = w·max(cos, 0) + (1 − w)·√(bm25f / bound); ½ by the best chunk, ½ by the whole text.
//! Statistics are of the view alone.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::search::part::{self, DocAddress, IndexEntry, IndexRow, OpenPart};
use crate::search::postings::IndexField;
use faber_core::config::Weights;
use faber_core::meaning::{self, QueryVector};
use faber_core::terms::abbreviations::spelled_out;
use faber_core::terms::bm25::{self, BODY, HEAD, WEIGHTS};
use faber_core::terms::query::{self, Term};
use faber_core::terms::translation::translated;

/// Unrelated texts have 0.1 to 0.2.
const FAINT: f64 = 0.2;
const NOT_IN_VIEW: u32 = u32::MAX;
const MAX_UNKNOWN: usize = 5;

struct Doc {
    part: usize,
    entry: IndexEntry,
    rows: Range<usize>,
}

pub struct Corpus<'a> {
    parts: &'a [OpenPart],
    figures: &'a CorpusFigures,
}

pub struct CorpusFigures {
    docs: Vec<Doc>,
    owners: Vec<Vec<u32>>,
    rows: Vec<IndexRow>,
    averages: Averages,
    wider: Option<Arc<CorpusStatistics>>,
}

pub(super) type Averages = [[f64; WEIGHTS.len()]; 2];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LengthSums([[(u64, u64); WEIGHTS.len()]; 2]);

impl LengthSums {
    pub(super) fn add(&mut self, meta: u32, rows: impl Iterator<Item = [u32; WEIGHTS.len()]>) {
        let mut lengths = [0; WEIGHTS.len()];
        lengths[HEAD] = u64::from(meta);
        for row in rows {
            for (sum, own) in lengths.iter_mut().zip(row) {
                *sum += u64::from(own);
            }
            self.add_field(0, HEAD, u64::from(meta) + u64::from(row[HEAD]));
            self.add_field(0, BODY, u64::from(row[BODY]));
        }
        for (field, length) in lengths.into_iter().enumerate() {
            self.add_field(1, field, length);
        }
    }

    fn add_field(&mut self, kind: usize, field: usize, length: u64) {
        let (sum, count) = &mut self.0[kind][field];
        *sum += length;
        *count += u64::from(length > 0);
    }

    pub fn add_sums(&mut self, other: &Self) {
        let own = self.0.iter_mut().flatten();
        for ((sum, count), (more, others)) in own.zip(other.0.into_iter().flatten()) {
            *sum += more;
            *count += others;
        }
    }

    pub(super) fn averages(&self) -> Averages {
        let average = |(sum, count): (u64, u64)| {
            bm25::average(sum, usize::try_from(count).unwrap_or(usize::MAX))
        };
        self.0.map(|fields| fields.map(average))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CorpusStatistics {
    pub docs: usize,
    pub lengths: LengthSums,
    pub having: HashMap<String, usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    pub doc: usize,
    pub relevance: f64,
    pub chunks: Vec<f64>,
}

struct Occurrences {
    meta: Vec<u32>,
    rows: [Vec<u32>; WEIGHTS.len()],
    seen: Vec<bool>,
    docs: Vec<usize>,
}

impl CorpusFigures {
    pub fn new(parts: &[OpenPart], texts: &[DocAddress]) -> Self {
        let mut owners: Vec<Vec<u32>> =
            parts.iter().map(|part| vec![NOT_IN_VIEW; part.rows()]).collect();
        let mut docs = Vec::with_capacity(texts.len());
        let count = texts.iter().map(|text| text.entry.rows as usize).sum();
        let mut rows: Vec<IndexRow> = Vec::with_capacity(count);
        let mut sums = LengthSums::default();
        for &DocAddress { part, entry } in texts {
            let range = entry.first..entry.first + entry.rows;
            let number = u32::try_from(docs.len()).unwrap_or(NOT_IN_VIEW);
            owners[part][range.start as usize..range.end as usize].fill(number);
            let start = rows.len();
            rows.extend(range.map(|row| parts[part].row(row)));
            sums.add(entry.meta, rows[start..].iter().map(|row| row.lengths));
            docs.push(Doc { part, entry, rows: start..rows.len() });
        }
        Self { docs, owners, rows, averages: sums.averages(), wider: None }
    }

    #[must_use]
    pub(super) fn with_statistics(self, wider: Arc<CorpusStatistics>) -> Self {
        Self { averages: wider.lengths.averages(), wider: Some(wider), ..self }
    }

    fn idf(&self, stem: &str, own: usize) -> (f64, bool) {
        let (docs, having) = match &self.wider {
            Some(wider) => (wider.docs, wider.having.get(stem).copied().unwrap_or(0).max(own)),
            None => (self.docs.len(), own),
        };
        (bm25::idf(docs.max(having), having), having > 0)
    }

    fn lengths(&self, doc: &Doc) -> [u64; WEIGHTS.len()] {
        let mut lengths = [0; WEIGHTS.len()];
        lengths[HEAD] = u64::from(doc.entry.meta);
        for row in &self.rows[doc.rows.clone()] {
            for (sum, own) in lengths.iter_mut().zip(row.lengths) {
                *sum += u64::from(own);
            }
        }
        lengths
    }
}

impl Deref for Corpus<'_> {
    type Target = CorpusFigures;

    fn deref(&self) -> &CorpusFigures {
        self.figures
    }
}

impl<'a> Corpus<'a> {
    pub fn of(parts: &'a [OpenPart], figures: &'a CorpusFigures) -> Self {
        Self { parts, figures }
    }

    pub fn chunks(&self, doc: usize) -> Vec<(Range<usize>, &str)> {
        let Doc { part, entry, .. } = self.docs[doc];
        part::chunks(self.parts, DocAddress { part, entry })
    }

    pub fn vector(&self, doc: usize, chunk: usize) -> [i8; meaning::DIMENSIONS] {
        let doc = &self.docs[doc];
        let row = doc.entry.first + u32::try_from(chunk).unwrap_or(u32::MAX);
        let bytes = self.parts[doc.part].vector(row);
        std::array::from_fn(|at| bytes[at].cast_signed())
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub fn rank(&self, question: &str, weights: Weights) -> Vec<Scored> {
        let weights = weights.of_text(question);
        let (words, meanings) = rayon::join(
            || (weights.keyword > 0.0).then(|| self.words(question)),
            || (weights.semantic > 0.0).then(|| self.meanings(question)).flatten(),
        );
        let mut found: Vec<Scored> = Vec::new();
        for (at, doc) in self.docs.iter().enumerate() {
            let fused = |of: &dyn Fn(&RankScores) -> f64| {
                let part = |weight: f64, scores: &Option<RankScores>| {
                    scores.as_ref().map_or(0.0, |scores| weight * of(scores))
                };
                part(weights.keyword, &words) + part(weights.semantic, &meanings)
            };
            let whole = fused(&|scores| scores.docs[at]);
            let chunks: Vec<f64> = doc
                .rows
                .clone()
                .map(|row| fused(&|scores| scores.rows[row]))
                .map(|own| if own > 0.0 { f64::midpoint(whole, own) } else { 0.0 })
                .collect();
            let best = chunks.iter().copied().fold(0.0, f64::max);
            let worded = words.as_ref().is_some_and(|scores| scores.docs[at] > 0.0);
            let meant = meanings.as_ref().map_or(0.0, |scores| scores.best(at, doc));
            if best > 0.0 && (worded || meant >= FAINT) {
                let relevance = (best * 10_000.0).round().max(1.0) / 10_000.0;
                found.push(Scored { doc: at, relevance, chunks });
            }
        }
        found.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.doc.cmp(&b.doc)));
        found
    }

    fn words(&self, question: &str) -> RankScores {
        let mut scores =
            RankScores { docs: vec![0.0; self.docs.len()], rows: vec![0.0; self.rows.len()] };
        let mut occurrences = Occurrences {
            meta: vec![0; self.docs.len()],
            rows: std::array::from_fn(|_| vec![0; self.rows.len()]),
            seen: vec![false; self.docs.len()],
            docs: Vec::new(),
        };
        let mut rarities = Vec::new();
        for term in query::terms(question) {
            rarities.push(self.add_term(&term, &mut occurrences, &mut scores));
        }
        let bound = bm25::bound(rarities.into_iter());
        for score in scores.docs.iter_mut().chain(&mut scores.rows) {
            *score = bm25::relevance(*score, bound);
        }
        scores
    }

    pub fn unknown(&self, question: &str) -> Vec<String> {
        let question = &*self.translated(question);
        let terms = query::terms(question);
        let mut unknown: Vec<&Term<'_>> = terms
            .iter()
            .filter(|term| term.is_specific(question))
            .filter(|term| !self.idf(&term.stem, self.having(term.stems())).1)
            .collect();
        let whole: Vec<&str> =
            unknown.iter().filter(|term| term.joined).map(|term| term.text).collect();
        unknown.retain(|term| term.joined || !whole.iter().any(|whole| whole.contains(term.text)));
        unknown.iter().take(MAX_UNKNOWN).map(|term| term.text.to_owned()).collect()
    }

    /// 0 for unknown identifiers.
    pub fn rarity(&self, term: &Term<'_>) -> f64 {
        let (idf, is_known) = self.idf(&term.stem, self.having(term.stems()));
        if term.joined && !is_known { 0.0 } else { idf }
    }

    pub fn translated<'q>(&self, question: &'q str) -> Cow<'q, str> {
        let english = translated(question, &|stem| self.having([stem].into_iter()) > 0);
        english.map_or(Cow::Borrowed(question), Cow::Owned)
    }

    fn having<'s>(&self, stems: impl Iterator<Item = &'s str>) -> usize {
        let mut having = vec![false; self.docs.len()];
        for stem in stems {
            for (part, owners) in self.parts.iter().zip(&self.owners) {
                for column in IndexField::ALL {
                    part.each(column, stem, |row, _| {
                        if let Some(seen) = having.get_mut(owners[row as usize] as usize) {
                            *seen = true;
                        }
                    });
                }
            }
        }
        having.into_iter().filter(|seen| *seen).count()
    }

    fn add_term(&self, term: &Term<'_>, found: &mut Occurrences, scores: &mut RankScores) -> f64 {
        term.stems().for_each(|stem| self.find_term(stem, found));
        let (idf, is_known) = self.idf(&term.stem, found.docs.len());
        if term.joined && !is_known {
            return 0.0;
        }
        let idf = term.weight() * idf;
        for at in std::mem::take(&mut found.docs) {
            let doc = &self.docs[at];
            let meta = std::mem::take(&mut found.meta[at]);
            let mut often = [meta, 0];
            for index in doc.rows.clone() {
                let own: [u32; WEIGHTS.len()] =
                    std::array::from_fn(|field| std::mem::take(&mut found.rows[field][index]));
                let mut lengths = self.rows[index].lengths.map(u64::from);
                lengths[HEAD] += u64::from(doc.entry.meta);
                scores.rows[index] +=
                    idf * worth([own[HEAD] + meta, own[BODY]], lengths, self.averages[0]);
                for (sum, own) in often.iter_mut().zip(own) {
                    *sum += own;
                }
            }
            scores.docs[at] += idf * worth(often, self.lengths(doc), self.averages[1]);
            found.seen[at] = false;
        }
        idf
    }

    fn find_term(&self, stem: &str, found: &mut Occurrences) {
        for (at, part) in self.parts.iter().enumerate() {
            let owners = &self.owners[at];
            for column in IndexField::ALL {
                part.each(column, stem, |row, often| {
                    let owner = owners[row as usize];
                    if owner == NOT_IN_VIEW {
                        return;
                    }
                    let owner = owner as usize;
                    let doc = &self.docs[owner];
                    let index = doc.rows.start + (row - doc.entry.first) as usize;
                    match column {
                        IndexField::Meta => found.meta[owner] += often,
                        IndexField::Head => found.rows[HEAD][index] += often,
                        IndexField::Body => found.rows[BODY][index] += often,
                    }
                    if !std::mem::replace(&mut found.seen[owner], true) {
                        found.docs.push(owner);
                    }
                });
            }
        }
    }

    fn meanings(&self, question: &str) -> Option<RankScores> {
        let question = meaning::embed(&spelled_out(question));
        if question.length == 0.0 {
            return None;
        }
        let probe = QueryVector::new(&question);
        let mut scores = RankScores {
            docs: Vec::with_capacity(self.docs.len()),
            rows: vec![0.0; self.rows.len()],
        };
        for doc in &self.docs {
            let mut sum = 0.0;
            for (row, index) in (doc.entry.first..).zip(doc.rows.clone()) {
                let cosine = f64::from(probe.cosine(self.parts[doc.part].vector(row)));
                sum += cosine * f64::from(self.rows[index].weight);
                scores.rows[index] = cosine.max(0.0);
            }
            let whole = if doc.entry.whole > 0.0 { sum / f64::from(doc.entry.whole) } else { 0.0 };
            scores.docs.push(whole.clamp(0.0, 1.0));
        }
        Some(scores)
    }
}

struct RankScores {
    docs: Vec<f64>,
    rows: Vec<f64>,
}

impl RankScores {
    fn best(&self, at: usize, doc: &Doc) -> f64 {
        self.rows[doc.rows.clone()].iter().copied().fold(self.docs[at], f64::max)
    }
}

pub(super) fn worth(
    counts: [u32; WEIGHTS.len()],
    lengths: [u64; WEIGHTS.len()],
    averages: [f64; WEIGHTS.len()],
) -> f64 {
    let relative = |field: usize| {
        f64::from(u32::try_from(lengths[field]).unwrap_or(u32::MAX)) / averages[field]
    };
    bm25::saturated(counts, std::array::from_fn(relative))
}

#[cfg(test)]
mod tests;
