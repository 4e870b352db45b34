//! Words and pairs that distinguish texts.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use super::confidence::wilson;
use crate::keywords::is_indicative;
use faber_core::numbers::float;
use faber_core::terms::pieces::is_stop;
use faber_core::terms::words::{stems, words};

pub const MIN_TEXTS: usize = 4;
pub(super) const MIN_SESSIONS: usize = 3;
pub(super) const SHARE: f64 = 0.5;
pub(super) const SHARE_OF_ALL: f64 = 0.25;

#[derive(Clone, Debug)]
pub(super) struct UsagePhrase {
    pub text: String,
    pub stems: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallSide {
    Yes,
    No,
    Silent,
    Out,
}

#[derive(Clone, Debug)]
pub(super) struct IndicativePhrase {
    pub phrase: UsagePhrase,
    pub hits: usize,
    pub of: usize,
    pub low: f64,
    pub texts: Vec<usize>,
}

impl IndicativePhrase {
    fn compare(&self, other: &Self) -> Ordering {
        let by_texts = self.texts.len().cmp(&other.texts.len());
        let by_share = self.low.total_cmp(&other.low);
        let by_words = self.phrase.stems.len().cmp(&other.phrase.stems.len());
        let by_spelling = other.phrase.text.cmp(&self.phrase.text);
        by_texts.then(by_share).then(by_words).then(by_spelling)
    }
}

#[derive(Debug, Default)]
pub(super) struct PhraseIndex {
    phrases: Vec<UsagePhrase>,
    texts: Vec<Vec<usize>>,
    of_text: Vec<Vec<usize>>,
}

impl PhraseIndex {
    pub(super) fn new<'a>(all: impl IntoIterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        let mut known: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut spellings: Vec<BTreeMap<String, usize>> = Vec::new();
        for (at, text) in all.into_iter().enumerate() {
            let mut own = BTreeSet::new();
            for phrase in phrases(text) {
                let number = *known.entry(phrase.stems.clone()).or_insert_with(|| {
                    index.phrases.push(phrase.clone());
                    index.texts.push(Vec::new());
                    spellings.push(BTreeMap::new());
                    spellings.len() - 1
                });
                *spellings[number].entry(phrase.text).or_default() += 1;
                own.insert(number);
            }
            for &number in &own {
                index.texts[number].push(at);
            }
            index.of_text.push(own.into_iter().collect());
        }
        for (phrase, spellings) in index.phrases.iter_mut().zip(spellings) {
            let best =
                spellings.into_iter().max_by_key(|(text, count)| (*count, Reverse(text.clone())));
            if let Some((text, _)) = best {
                phrase.text = text;
            }
        }
        index
    }

    pub(super) fn indicative_phrases(
        &self,
        member: impl Fn(usize) -> CallSide,
        session: impl Fn(usize) -> usize,
        is_taken: impl Fn(&[String]) -> bool,
    ) -> Vec<IndicativePhrase> {
        let is_possible = |UsagePhrase { text, stems }: &UsagePhrase| {
            is_indicative(&text.split(' ').collect::<Vec<_>>()) && !is_taken(stems)
        };
        let mut open: BTreeSet<usize> =
            (0..self.of_text.len()).filter(|&at| member(at) == CallSide::Yes).collect();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for &at in &open {
            for &phrase in &self.of_text[at] {
                *counts.entry(phrase).or_default() += 1;
            }
        }
        let frequent = counts
            .into_iter()
            .filter(|&(phrase, hits)| hits >= MIN_TEXTS && is_possible(&self.phrases[phrase]));
        let mut candidates: Vec<IndicativePhrase> =
            frequent.filter_map(|(phrase, _)| self.candidate(phrase, &member, &session)).collect();
        let mut chosen = Vec::new();
        loop {
            for candidate in &mut candidates {
                candidate.texts.retain(|at| open.contains(at));
            }
            candidates.retain(|candidate| candidate.texts.len() >= MIN_TEXTS);
            let best = candidates.iter().enumerate().max_by(|(_, a), (_, b)| a.compare(b));
            let Some((at, _)) = best else { break };
            let best = candidates.swap_remove(at);
            for text in &best.texts {
                open.remove(text);
            }
            chosen.push(best);
        }
        chosen
    }

    fn candidate(
        &self,
        phrase: usize,
        member: &impl Fn(usize) -> CallSide,
        session: &impl Fn(usize) -> usize,
    ) -> Option<IndicativePhrase> {
        let (mut hits, mut others, mut silent) = (Vec::new(), 0, 0);
        for &at in &self.texts[phrase] {
            match member(at) {
                CallSide::Yes => hits.push(at),
                CallSide::No => others += 1,
                CallSide::Silent => silent += 1,
                CallSide::Out => {}
            }
        }
        let sessions: BTreeSet<usize> = hits.iter().map(|&at| session(at)).collect();
        let (count, of) = (hits.len(), hits.len() + others);
        let low = wilson(count, of).low;
        let of_all = float(count) / float(of + silent);
        let is_indicative =
            sessions.len() >= MIN_SESSIONS && low >= SHARE && of_all >= SHARE_OF_ALL;
        let phrase = self.phrases[phrase].clone();
        is_indicative.then_some(IndicativePhrase { phrase, hits: count, of, low, texts: hits })
    }
}

fn phrases(text: &str) -> Vec<UsagePhrase> {
    let mut found = Vec::new();
    let mut before: Option<(usize, String)> = None;
    for (word, stem) in words(text).zip(stems(text)) {
        let raw = &text[word.bytes.clone()];
        let is_word =
            raw.chars().nth(1).is_some() && raw.chars().any(char::is_alphabetic) && !is_stop(raw);
        if !is_word {
            before = None;
            continue;
        }
        if let Some((start, first)) = before.filter(|_| !word.barred) {
            let text = text[start..word.bytes.end].split_whitespace().collect::<Vec<_>>().join(" ");
            found.push(UsagePhrase { text: text.to_lowercase(), stems: vec![first, stem.clone()] });
        }
        found.push(UsagePhrase { text: raw.to_lowercase(), stems: vec![stem.clone()] });
        before = Some((word.bytes.start, stem));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indicative(texts: &[(&str, CallSide)]) -> Vec<(String, usize, usize)> {
        let index = PhraseIndex::new(texts.iter().map(|(text, _)| *text));
        let phrases = index.indicative_phrases(|at| texts[at].1, |at| at, |_| false);
        phrases.into_iter().map(|it| (it.phrase.text, it.hits, it.of)).collect()
    }

    #[test]
    fn a_phrase_tells_if_most_texts_with_it_are_of_the_kind() {
        use CallSide::{No, Out, Silent, Yes};
        let texts = [
            ("fix the pager", Yes),
            ("the pagers again", Yes),
            ("my pager", Yes),
            ("pager broken", Yes),
            ("fix the build", No),
            ("pager", Out),
            ("pager please", Silent),
        ];
        assert_eq!(indicative(&texts), [("pager".to_owned(), 4, 4)]);
        assert_eq!(indicative(&texts[1..]), [], "3 of 3 may be chance");
        let mut often = texts.to_vec();
        often.extend([("pager", Silent); 20]);
        assert_eq!(indicative(&often), [], "most users of the word ask for nothing");
    }

    #[test]
    fn two_words_are_better_if_they_tell_more() {
        use CallSide::{No, Yes};
        let mut texts = vec![("access review", Yes); 6];
        texts.extend([("access denied", No); 6]);
        texts.extend([("code review", No); 6]);
        assert_eq!(indicative(&texts), [("access review".to_owned(), 6, 6)]);
    }
}
