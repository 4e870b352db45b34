use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::term::{KeywordCandidate, SuggestedTerm, TermKind, TermSource};
use super::texts::KeywordTexts;
use faber_core::numbers::float;
use faber_core::terms::matcher::Matcher;

const MAX_FEW_CONTEXTS: usize = 3;

pub(super) struct Counts<'a> {
    places: BTreeMap<&'a [String], usize>,
    heads: Vec<usize>,
    texts: Vec<usize>,
    own: Vec<BTreeMap<usize, usize>>,
}

#[derive(Debug)]
pub(super) struct Ranked<'a> {
    pub kind: TermKind,
    pub stems: &'a [String],
    /// In thousandths.
    pub score: u64,
    pub term: SuggestedTerm,
}

impl<'a> Counts<'a> {
    pub(super) fn new(found: &'a [Vec<KeywordCandidate>], contexts: &[KeywordTexts]) -> Self {
        let mut terms: Vec<&str> = Vec::new();
        let mut places = BTreeMap::new();
        for candidate in found.iter().flatten() {
            places.entry(&*candidate.stems).or_insert_with(|| {
                terms.push(&candidate.text);
                terms.len() - 1
            });
        }
        let texts: Vec<[String; 2]> =
            contexts.iter().map(|texts| [texts.head(), texts.all()]).collect();
        let said: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        let matcher = Matcher::new(&terms, &said);
        let count = |[head, all]: &[String; 2]| {
            let head: BTreeSet<usize> = matcher.hits(head).iter().map(|hit| hit.term).collect();
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for hit in matcher.hits(all) {
                *counts.entry(hit.term).or_default() += 1;
            }
            (head, counts)
        };
        let counted: Vec<_> = texts.par_iter().map(count).collect();
        let mut counts = Self {
            places,
            heads: vec![0; terms.len()],
            texts: vec![0; terms.len()],
            own: Vec::with_capacity(counted.len()),
        };
        for (head, all) in counted {
            for term in head {
                counts.heads[term] += 1;
            }
            for &term in all.keys() {
                counts.texts[term] += 1;
            }
            counts.own.push(all);
        }
        counts
    }

    pub(super) fn ranked<'c>(
        &self,
        at: usize,
        candidates: &'c [KeywordCandidate],
    ) -> Vec<Ranked<'c>> {
        let mut ranked: Vec<_> =
            candidates.iter().filter_map(|candidate| self.rank(at, candidate)).collect();
        ranked.sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.term.text.cmp(&b.term.text)));
        ranked
    }

    fn rank<'c>(&self, at: usize, candidate: &'c KeywordCandidate) -> Option<Ranked<'c>> {
        let place = *self.places.get(&*candidate.stems)?;
        let often = self.own[at].get(&place).copied().unwrap_or_default();
        let (heads, texts) = (self.heads[place], self.texts[place]);
        if !self.is_distinctive(candidate, often, heads, texts) {
            return None;
        }
        let part = match candidate.source {
            TermSource::Name => 3.0,
            TermSource::Title => 2.5,
            TermSource::Description => 2.0,
            TermSource::Heading | TermSource::Text => 1.0,
        };
        let rarity = (1.0 + float(self.own.len()) / (1.0 + float(texts))).ln();
        let score = part * rarity * (1.0 + float(often).ln());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10 000")]
        let score = (score * 1000.0).round() as u64;
        let KeywordCandidate { kind, source, text, stems, .. } = candidate;
        let (text, found_in) = (text.clone(), *source);
        let term = SuggestedTerm { text, found_in, often, contexts: texts };
        Some(Ranked { kind: *kind, stems, score, term })
    }

    fn is_distinctive(
        &self,
        candidate: &KeywordCandidate,
        count: usize,
        heads: usize,
        texts: usize,
    ) -> bool {
        let all = self.own.len();
        let few = all.div_ceil(3).min(MAX_FEW_CONTEXTS);
        if candidate.kind == TermKind::Error {
            return (1..=few).contains(&texts);
        }
        let is_one = candidate.stems.len() == 1;
        let is_plain = candidate.source == TermSource::Description && !candidate.is_name;
        let share = if is_one && !is_plain { 4 } else { 1 };
        let least = if candidate.source == TermSource::Heading { 3 } else { 2 };
        count >= least
            && heads <= (all / 4).clamp(1, if is_one { 4 } else { 3 })
            && texts <= few.max(all * share / 100)
    }
}

impl Ranked<'_> {
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let has =
            |long: &[String], short: &[String]| long.windows(short.len()).any(|it| it == short);
        has(self.stems, other.stems) || has(other.stems, self.stems)
    }
}
