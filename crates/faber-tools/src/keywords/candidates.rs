use std::collections::BTreeMap;

use super::errors;
use super::term::{KeywordCandidate, TermKind, TermSource};
use super::texts::KeywordTexts;
use faber_core::category::Category;
use faber_core::meaning;
use faber_core::terms::pieces::is_stop;
use faber_core::terms::words::{stems, words};

const MAX_WORDS: usize = 3;

const ONE_WORD: f64 = 2.9;
/// Least weight of the heaviest word, and least sum.
const PHRASE: (f64, f64) = (2.5, 4.0);
const UNKNOWN_WORD_WEIGHT: f64 = 3.2;

pub(super) fn of(texts: &KeywordTexts, category: Category) -> Vec<KeywordCandidate> {
    let mut found: BTreeMap<(TermKind, Vec<String>), KeywordCandidate> = BTreeMap::new();
    let mut add = |candidate: KeywordCandidate| {
        let key = (candidate.kind, candidate.stems.clone());
        found.entry(key).or_insert(candidate);
    };
    let own = [
        (TermSource::Name, &texts.name),
        (TermSource::Title, &texts.title),
        (TermSource::Description, &texts.description),
    ];
    let headings = texts.headings.iter().map(|text| (TermSource::Heading, text));
    for (source, text) in own.into_iter().chain(headings) {
        phrases(text, source).into_iter().for_each(&mut add);
        errors::names(text, source).into_iter().for_each(&mut add);
    }
    if category == Category::Troubleshooting {
        errors::names(&texts.prose, TermSource::Text).into_iter().for_each(&mut add);
        errors::messages(&texts.prose).into_iter().for_each(&mut add);
    }
    found.into_values().collect()
}

struct PlacedWord<'a> {
    text: &'a str,
    start: usize,
    is_barred: bool,
}

fn phrases(text: &str, source: TermSource) -> Vec<KeywordCandidate> {
    let placed = |word: faber_core::terms::words::Word| PlacedWord {
        text: &text[word.bytes.clone()],
        start: word.bytes.start,
        is_barred: word.barred,
    };
    let all: Vec<PlacedWord<'_>> = words(text).map(placed).collect();
    let mut found = Vec::new();
    for first in 0..all.len() {
        for count in 1..=MAX_WORDS {
            let Some(phrase) = all.get(first..first + count) else { break };
            let last = &phrase[count - 1];
            if is_stop(last.text) || (count > 1 && last.is_barred) {
                break;
            }
            let is_in_sentence = first > 0 && !phrase[0].is_barred;
            if !is_distinctive(phrase, source, is_in_sentence) {
                continue;
            }
            let next = all.get(first + count).filter(|next| !next.is_barred);
            let is_cut = count > 1 && next.is_some_and(|next| !is_stop(next.text));
            if is_cut && !matches!(source, TermSource::Name | TermSource::Title) {
                continue;
            }
            let text = &text[phrase[0].start..last.start + last.text.len()];
            found.extend(KeywordCandidate::new(TermKind::Keyword, source, text).map(|candidate| {
                KeywordCandidate { is_name: is_name(phrase[0].text, is_in_sentence), ..candidate }
            }));
        }
    }
    found
}

fn is_distinctive(phrase: &[PlacedWord<'_>], source: TermSource, is_in_sentence: bool) -> bool {
    let is_letter = |text: &str| text.chars().nth(1).is_none() && text.is_ascii();
    let is_part = |text: &str| is_letter(text) || text.bytes().all(|byte| byte.is_ascii_digit());
    if let [word] = phrase {
        let is_possible = match source {
            TermSource::Name | TermSource::Title => true,
            TermSource::Description => {
                is_name(word.text, is_in_sentence) || known_weight(word.text).is_none()
            }
            TermSource::Heading | TermSource::Text => false,
        };
        return is_possible && !is_part(word.text) && is_indicative(&[word.text]);
    }
    let words: Vec<&str> = phrase.iter().map(|word| word.text).collect();
    !is_part(words[0]) && !words.last().is_some_and(|word| is_letter(word)) && is_indicative(&words)
}

pub(crate) fn is_indicative(words: &[&str]) -> bool {
    match words {
        [word] => weight(word) >= ONE_WORD,
        words => {
            let weights = || words.iter().map(|word| weight(word));
            weights().fold(0.0, f64::max) >= PHRASE.0 && weights().sum::<f64>() >= PHRASE.1
        }
    }
}

fn is_name(word: &str, is_in_sentence: bool) -> bool {
    let mut rest = word.chars();
    let is_capital = rest.next().is_some_and(char::is_uppercase);
    let is_marked = rest.any(|c| c.is_uppercase() || c.is_ascii_digit() || c == '+' || c == '#');
    is_marked || (is_capital && is_in_sentence)
}

fn weight(word: &str) -> f64 {
    known_weight(word).unwrap_or(UNKNOWN_WORD_WEIGHT)
}

fn known_weight(word: &str) -> Option<f64> {
    let stem = stems(word).concat();
    let forms = [word.to_owned(), format!("{stem}e"), stem];
    forms.iter().filter_map(|form| meaning::weight(form)).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, source: TermSource) -> Vec<String> {
        phrases(text, source).into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn names_have_words_and_phrases() {
        assert_eq!(texts("fault injection", TermSource::Name), ["fault injection"]);
        assert_eq!(texts("code and use", TermSource::Name), [""; 0]);
        assert_eq!(texts("multi-stage dockerfile", TermSource::Name).last().unwrap(), "dockerfile");
    }

    #[test]
    fn sentences_have_names_and_rare_words() {
        let text = "Use when implementing a web server. Fix tests with Playwright, and goroutines.";
        let found = texts(text, TermSource::Description);
        assert!(
            found.contains(&"Playwright".to_owned()) && found.contains(&"goroutines".to_owned())
        );
        for common in ["implementing", "Use", "tests", "server", "a web", "Playwright and"] {
            assert!(!found.contains(&common.to_owned()), "{common}: {found:?}");
        }
        assert_eq!(texts("Playwright", TermSource::Heading), [""; 0]);
    }

    #[test]
    fn no_phrase_crosses_punctuation() {
        let found = texts("Kafka topics. Redis streams", TermSource::Title);
        assert!(
            found.contains(&"Kafka topics".to_owned())
                && !found.contains(&"topics Redis".to_owned())
        );
    }
}
