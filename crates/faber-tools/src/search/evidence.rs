//! Reranks passages by figures and by adjacent question words.

use std::collections::HashMap;

use faber_core::terms::figures::{asks_for_figure, figures};
use faber_core::terms::query;
use faber_core::terms::tokenizer::{TermHash, Tokenizer};

const CLOSE: usize = 8;
const CLOSE_VALUE: f64 = 0.5;
const PAIRS: f64 = 0.2;
const FIGURES: f64 = 0.1;

pub(crate) struct PassageEvidence {
    terms: Vec<(TermHash, f64)>,
    pairs: Vec<(TermHash, TermHash, f64)>,
    total: f64,
    asks_for_figure: bool,
    tokenizer: Tokenizer,
}

impl PassageEvidence {
    pub(crate) fn new(question: &str, rarity: impl Fn(&query::Term<'_>) -> f64) -> Self {
        let terms: Vec<(TermHash, f64)> = query::terms(question)
            .iter()
            .map(|term| (TermHash::new(&term.stem), rarity(term)))
            .collect();
        let rarities: HashMap<TermHash, f64> = terms.iter().copied().collect();
        let mut tokenizer = Tokenizer::default();
        let mut words = Vec::new();
        tokenizer.each(question, |term| words.push(term));
        let rarity = |term: &TermHash| rarities.get(term).copied().unwrap_or(0.0);
        let pairs: Vec<(TermHash, TermHash, f64)> = words
            .windows(2)
            .filter(|pair| pair[0] != pair[1])
            .map(|pair| (pair[0], pair[1], rarity(&pair[0]).min(rarity(&pair[1]))))
            .collect();
        let total = pairs.iter().map(|(.., rarity)| rarity).sum();
        let asks_for_figure = asks_for_figure(question);
        Self { terms, pairs, total, asks_for_figure, tokenizer }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.total <= 0.0 && !self.asks_for_figure
    }

    pub(crate) fn relevance(&mut self, before: f64, title: &str, text: &str) -> f64 {
        let mut added = PAIRS * self.closeness(title, text);
        if self.asks_for_figure {
            added += FIGURES * figures(text);
        }
        before + (1.0 - before) * added
    }

    /// The first of the best; `None` without any question word.
    pub(crate) fn best<'t>(
        &mut self,
        sections: impl Iterator<Item = Vec<(&'t str, u32)>>,
    ) -> Option<usize> {
        let mut best = (0.0, None);
        for (at, texts) in sections.enumerate() {
            let mut counts = vec![0; self.terms.len()];
            for (text, weight) in texts {
                self.tokenizer.each(text, |term| {
                    if let Some(at) = self.terms.iter().position(|(known, _)| *known == term) {
                        counts[at] += weight;
                    }
                });
            }
            let worth = |((_, rarity), count): (&(TermHash, f64), u32)| {
                rarity * f64::from(count) / f64::from(count + 1)
            };
            let score = self.terms.iter().zip(counts).map(worth).sum();
            if score > best.0 {
                best = (score, Some(at));
            }
        }
        best.1
    }

    fn closeness(&mut self, title: &str, text: &str) -> f64 {
        if self.total <= 0.0 {
            return 0.0;
        }
        let mut places: HashMap<TermHash, Vec<usize>> =
            self.pairs.iter().flat_map(|(a, b, _)| [(*a, Vec::new()), (*b, Vec::new())]).collect();
        let mut at = 0;
        for text in [title, text] {
            self.tokenizer.each(text, |term| {
                if let Some(places) = places.get_mut(&term) {
                    places.push(at);
                }
                at += 1;
            });
        }
        let found = self.pairs.iter().map(|(a, b, rarity)| {
            rarity
                * match distance(&places[a], &places[b]) {
                    Some(1) => 1.0,
                    Some(..=CLOSE) => CLOSE_VALUE,
                    _ => 0.0,
                }
        });
        found.sum::<f64>() / self.total
    }
}

fn distance(a: &[usize], b: &[usize]) -> Option<usize> {
    let (mut i, mut j) = (0, 0);
    let mut least = None;
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        let between = x.abs_diff(y);
        least = Some(least.map_or(between, |known: usize| known.min(between)));
        if x < y { i += 1 } else { j += 1 }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relevance(question: &str, text: &str) -> f64 {
        PassageEvidence::new(question, |_| 1.0).relevance(0.5, "", text)
    }

    #[test]
    fn adjacent_words_add() {
        let question = "rotate signing keys";
        let apart = format!("rotate {} signing {} keys", "x ".repeat(20), "x ".repeat(20));
        let [none, close, adjacent] = [
            relevance(question, &apart),
            relevance(question, "rotate all of the old signing or other keys"),
            relevance(question, "Rotate signing keys."),
        ];
        assert!((none - 0.5).abs() < 1e-12, "{none}");
        assert!(none < close && close < adjacent, "{close} {adjacent}");
        assert!((adjacent - 0.6).abs() < 1e-12, "all pairs add a fifth of what is missing");
    }

    #[test]
    fn a_question_for_a_figure_prefers_figures() {
        let [without, with] =
            ["a while", "90 days"].map(|text| relevance("how long are logs kept", text));
        assert!(with > without, "{with} {without}");
        let [without, with] =
            ["a while", "90 days"].map(|text| relevance("where are logs kept", text));
        assert!((with - without).abs() < 1e-12);
    }

    #[test]
    fn the_best_section_has_most_of_the_question() {
        let mut evidence = PassageEvidence::new("retry a deadlock", |_| 1.0);
        let mut best = |texts: &[&[(&'static str, u32)]]| {
            evidence.best(texts.iter().map(|texts| texts.to_vec()))
        };
        assert_eq!(best(&[&[("hosts", 1)], &[("deadlocks", 1)], &[("deadlock", 1)]]), Some(1));
        assert_eq!(best(&[&[("deadlock retry", 1)], &[("deadlock", 1), ("retry", 2)]]), Some(1));
        assert_eq!(best(&[&[("hosts", 1)]]), None);
    }

    #[test]
    fn distances_are_the_smallest() {
        assert_eq!(distance(&[1, 20], &[5, 18]), Some(2));
        assert_eq!(distance(&[], &[1]), None);
    }
}
