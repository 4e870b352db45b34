//! Scores the parts of one text.

use std::sync::Arc;

use super::terms::SectionReader;
use super::{FieldCounts, Places, Ranker, TEXTS};
use crate::meaning::QueryVector;
use crate::terms::abbreviations::Phrase;
use crate::terms::bm25;
use crate::terms::figures::{self, asks_for_figure};

/// Usual lengths in bytes.
const PASSAGE: f64 = 400.0;
const HEADINGS: f64 = 60.0;
const MEANING: f64 = 0.5;

const FIGURES: f64 = 0.5;

#[derive(Clone, Debug, Default)]
pub struct Passages {
    pub(super) places: Places,
    pub(super) rarity: [Vec<f64>; TEXTS],
    pub(super) bounds: [f64; TEXTS],
    pub(super) probes: [Option<QueryVector>; TEXTS],
    pub(super) asks_for_figure: bool,
    pub(super) ranker: Arc<Ranker>,
}

pub struct SectionText<'a> {
    /// Those above, one per line.
    pub headings: &'a str,
    pub parts: Vec<&'a str>,
    pub gaps: Vec<&'a str>,
}

/// bm25f / bound + ½·max(cos, 0), summed over texts with the higher one of request and error: 0 to
/// 4½. Figures multiply parts by up to 1½.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionScores {
    pub parts: Vec<f64>,
    pub whole: f64,
}

impl Passages {
    pub fn new<'a>(
        question: &str,
        terms: impl Iterator<Item = (&'a str, &'a [Phrase], f64)>,
        probe: Option<QueryVector>,
        ranker: Arc<Ranker>,
    ) -> Self {
        let terms = terms.map(|(stem, synonyms, rarity)| ((stem, synonyms), rarity));
        let (words, rarity): (Vec<(&str, &[Phrase])>, Vec<f64>) = terms.unzip();
        let bound = bm25::bound(rarity.iter().copied());
        let none = || vec![0.0; rarity.len()];
        Self {
            places: Places::new(words.into_iter()),
            rarity: [rarity.clone(), none(), none(), none()],
            bounds: [bound, 0.0, 0.0, 0.0],
            probes: [probe, None, None, None],
            asks_for_figure: asks_for_figure(question),
            ranker,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.places.terms.is_empty()
    }

    pub fn read<'a>(&self, sections: impl Iterator<Item = SectionText<'a>>) -> Vec<u8> {
        self.ranker.with_reader(|reader| {
            let mut bytes = Vec::new();
            sections.for_each(|section| reader.read_section(&section, &mut bytes));
            bytes
        })
    }

    pub fn scores(&self, read: &[u8]) -> impl Iterator<Item = SectionScores> {
        let mut reader = SectionReader::new(read);
        std::iter::from_fn(move || self.section(&mut reader))
    }

    fn section(&self, reader: &mut SectionReader<'_>) -> Option<SectionScores> {
        let count = reader.number()?;
        let above = FieldCounts::of(&reader.terms()?, &self.places);
        let gaps = FieldCounts::of(&reader.terms()?, &self.places);
        let vector = reader.vector()?;
        let mut whole = above.clone();
        whole.merge(&gaps);
        let parts = (0..count).map(|_| {
            let part = FieldCounts::of(&reader.terms()?, &self.places);
            let vector = reader.vector()?;
            let figures = figures::share(reader.number()?);
            whole.merge(&part);
            if part.lengths == [0, 0] {
                return Some(0.0);
            }
            let mut alone = above.clone();
            alone.merge(&part);
            let figures = if self.asks_for_figure { FIGURES * figures } else { 0.0 };
            Some(self.score_of(&alone, vector) * (1.0 + figures))
        });
        let parts: Option<Vec<f64>> = parts.collect();
        Some(SectionScores { parts: parts?, whole: self.score_of(&whole, vector) })
    }

    fn score_of(&self, counts: &FieldCounts, vector: &[u8]) -> f64 {
        let [headings, text] = counts.lengths;
        #[expect(clippy::cast_precision_loss, reason = "texts are far smaller than 2^52 bytes")]
        let lengths = [headings as f64 / HEADINGS, text as f64 / PASSAGE];
        let sums = counts.sums(lengths, &self.rarity);
        let relative = |at: usize| {
            let words = sums[at] / self.bounds[at].max(f64::MIN_POSITIVE);
            let cosine = self.probes[at].as_ref().map(|probe| f64::from(probe.cosine(vector)));
            words + MEANING * cosine.unwrap_or(0.0).max(0.0)
        };
        relative(0).max(relative(1)) + relative(2) + relative(3)
    }
}
