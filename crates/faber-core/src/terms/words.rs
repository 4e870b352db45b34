//! Words for matching: runs of letters and digits, compared by stem (NFKC, full case folding,
//! English Snowball).

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::word_list::words as list;

/// In bytes. Stemming takes quadratic time.
const MAX_STEMMED: usize = 64;

/// Beginnings of words that are their own stems: "important" must not match `import`.
const APART: [&str; 35] = *list!(
    "accessib, applicab, authori, container, controller, conversation, customer, customs",
    "directive, emergenc, executive, experiment, expression, extensiv, identical, importan",
    "informal, integrity, locale, objective, organis, organiz, original, paste, position",
    "production, publication, relative, responsib, responsiv, several, temporar",
    "terminal, transition, universit",
);

/// Without those that are also other words, as "found".
const IRREGULAR: [&str; 100] = *list!(
    "analyses analysis, appendices appendix, arisen arise, arose arise, became become",
    "began begin, begun begin, bought buy, brought bring, burnt burn, came come, caught catch",
    "children child, chose choose, chosen choose, crises crisis, criteria criterion",
    "dealt deal, drawn draw, drew draw, fallen fall, forgot forget, forgotten forget",
    "fought fight, froze freeze, frozen freeze, got get, gotten get, grew grow, grown grow",
    "halves half, heard hear, held hold, hid hide, hidden hide, hung hang",
    "hypotheses hypothesis, indices index, kept keep, learnt learn, made make",
    "matrices matrix, met meet, misled mislead, misunderstood misunderstand",
    "overcame overcome, overridden override, overrode override, oversaw oversee",
    "overseen oversee, overwritten overwrite, overwrote overwrite, paid pay",
    "parentheses parenthesis, phenomena phenomenon, proven prove, ran run, rebuilt rebuild",
    "redid redo, redone redo, reran rerun, resent resend, rewritten rewrite, rewrote rewrite",
    "said say, schemata schema, sent send, shaken shake, shelves shelf, shook shake",
    "shown show, shrank shrink, shrunk shrink, slept sleep, slid slide, sold sell",
    "sought seek, spelt spell, spent spend, spun spin, stole steal, stolen steal, swept sweep",
    "taken take, taught teach, threw throw, thrown throw, told tell, took take",
    "understood understand, undid undo, undone undo, vertices vertex, withdrawn withdraw",
    "withdrew withdraw, withheld withhold, woke wake, woken wake, written write, wrote write",
);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub bytes: Range<usize>,
    pub barred: bool,
}

pub fn stems(text: &str) -> Vec<String> {
    Normalizer::default().stems(text)
}

pub fn words(text: &str) -> impl Iterator<Item = Word> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut gap = Gap::default();
        for (offset, first) in text[at..].char_indices() {
            if !first.is_alphanumeric() {
                gap.add(first);
                continue;
            }
            let start = at + offset;
            at = end_of_word(text, start, first);
            return Some(Word { bytes: start..at, barred: gap.is_barrier() });
        }
        at = text.len();
        None
    })
}

fn end_of_word(text: &str, start: usize, first: char) -> usize {
    let alone = is_unspaced(first);
    let continues = |c: char| extends(c) || (!alone && c.is_alphanumeric() && !is_unspaced(c));
    let rest = start + first.len_utf8();
    let end = text[rest..].find(|c| !continues(c)).map_or(text.len(), |length| rest + length);
    if alone {
        return end;
    }
    // `C++20` has the word `C++`, while `a+b` has two.
    let signs = text[end..].find(|c| c != '+' && c != '#').unwrap_or(text.len() - end);
    let next = text[end + signs..].chars().next();
    let is_version = &text[end..end + signs] == "++" && next.is_some_and(|c| c.is_ascii_digit());
    if next.is_some_and(char::is_alphanumeric) && !is_version { end } else { end + signs }
}

#[derive(Default)]
struct Gap {
    space: bool,
    breaks: usize,
    other: bool,
}

impl Gap {
    fn add(&mut self, c: char) {
        if c.is_whitespace() {
            self.space = true;
            self.breaks += usize::from(c == '\n');
        } else if is_dash(c) {
            self.other |= self.breaks > 0;
        } else {
            self.other = true;
        }
    }

    fn is_barrier(&self) -> bool {
        (self.space && self.other) || self.breaks > 1
    }
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '_' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn extends(c: char) -> bool {
    !c.is_ascii()
        && (is_combining_mark(c) || is_ignorable(c) || matches!(c, '\u{ff9e}' | '\u{ff9f}'))
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}')
}

/// Ideographs, kana, Thai, Lao, Burmese and Khmer.
pub(crate) fn is_unspaced(c: char) -> bool {
    is_cjk(c)
        || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3041}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

pub(crate) fn subwords(word: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut before = None;
    let mut chars = word.char_indices().filter(|&(_, c)| !extends(c)).peekable();
    while let Some((at, c)) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(|&(_, next)| next.is_lowercase());
        let boundary = before.is_some_and(|before: char| {
            c.is_uppercase() && (!before.is_uppercase() || next_is_lower)
        });
        if boundary {
            found.push(start..at);
            start = at;
        }
        before = Some(c);
    }
    found.push(start..word.len());
    found
}

pub struct Normalizer<'a> {
    stemmer: Stemmer,
    known: HashMap<&'a str, Arc<str>>,
}

impl Default for Normalizer<'_> {
    fn default() -> Self {
        Self { stemmer: Stemmer::new(Algorithm::English), known: HashMap::new() }
    }
}

impl<'a> Normalizer<'a> {
    pub(crate) fn stem(&mut self, word: &'a str) -> Arc<str> {
        if let Some(stem) = self.known.get(word) {
            return Arc::clone(stem);
        }
        let stem: Arc<str> = self.compute(word).into();
        self.known.insert(word, Arc::clone(&stem));
        stem
    }

    pub(crate) fn stems(&mut self, text: &'a str) -> Vec<String> {
        words(text).map(|word| self.stem(&text[word.bytes]).to_string()).collect()
    }

    pub(crate) fn compute(&self, word: &str) -> String {
        let folded = if word.is_ascii() {
            word.to_ascii_lowercase()
        } else {
            let composed: String = word.nfkc().filter(|&c| !is_ignorable(c)).collect();
            caseless::default_case_fold_str(&composed).nfkc().collect()
        };
        if folded.len() > MAX_STEMMED || !folded.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return folded;
        }
        let folded = base(&folded).unwrap_or(&folded);
        if let Some(stem) = own_stem(folded) {
            return stem.to_owned();
        }
        // As `verify`: the stem of "specification" would be that of "specific".
        let noun = folded.strip_suffix('s').unwrap_or(folded).strip_suffix("ication");
        match noun.filter(|noun| noun.ends_with('f')) {
            Some(verb) => self.stemmer.stem(&format!("{verb}y")).into_owned(),
            None => self.stemmer.stem(folded).into_owned(),
        }
    }
}

fn base(word: &str) -> Option<&'static str> {
    let form = |entry: &&'static str| entry.split(' ').next().unwrap_or(entry);
    let at = IRREGULAR.binary_search_by_key(&word, form).ok()?;
    IRREGULAR[at].split_once(' ').map(|(_, base)| base)
}

fn own_stem(word: &str) -> Option<&'static str> {
    let before = APART[..APART.partition_point(|start| *start <= word)].last()?;
    word.starts_with(before).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        words(text).map(|word| &text[word.bytes]).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(split("Fix C++, C# and a+b (v2)!"), ["Fix", "C++", "C#", "and", "a", "b", "v2"]);
        assert_eq!(split("C++20 1+2 x#3"), ["C++", "20", "1", "2", "x", "3"]);
        assert_eq!(split("检查ABCかガ"), ["检", "查", "ABC", "か", "ガ"]);
        assert_eq!(split("ฐานข้อมูล db"), ["ฐ", "า", "น", "ข้", "อ", "มู", "ล", "db"]);
        assert_eq!(split("e\u{301}te\u{301} snake_case"), ["e\u{301}te\u{301}", "snake", "case"]);
        assert!(split(" -- ++ \u{301}").is_empty());
    }

    #[test]
    fn punctuation_bars_only_beside_white_space() {
        let barred = |text| words(text).nth(1).map(|word| word.barred);
        for joint in ["node.js", "CI/CD", "a b", "a-b", "a - b", "a_b", "a\nb", "a-\nb"] {
            assert_eq!(barred(joint), Some(false), "{joint:?}");
        }
        for barrier in ["a. b", "a, b", "a\n\nb", "a (b)", "a\n- b"] {
            assert_eq!(barred(barrier), Some(true), "{barrier:?}");
        }
    }

    #[test]
    fn subwords_begin_at_capitals() {
        let split = |word: &'static str| -> Vec<&str> {
            subwords(word).into_iter().map(|hump| &word[hump]).collect()
        };
        assert_eq!(split("RateLimitError"), ["Rate", "Limit", "Error"]);
        assert_eq!(split("HTTPError"), ["HTTP", "Error"]);
        assert_eq!(split("OAuth2Error"), ["O", "Auth2", "Error"]);
        assert_eq!(split("iOS"), ["i", "OS"]);
        assert_eq!(split("plain"), ["plain"]);
        assert_eq!(split("HTTP"), ["HTTP"]);
    }

    #[test]
    fn stems_fold_case_compatibility_and_endings() {
        assert_eq!(stems("Vulnerabilities"), stems("vulnerability"));
        assert_eq!(stems("Straße"), stems("STRASSE"));
        assert_eq!(stems("ｏﬃce"), stems("office"));
        assert_eq!(stems("vulnera\u{ad}bility"), stems("vulnerability"));
        assert_ne!(stems("latest"), stems("test"));
        assert_eq!(stems("notifications"), stems("notify"));
        assert_eq!(stems("customers"), stems("customer"));
        assert_eq!(stems("indices"), stems("indexes"));
        assert_eq!(stems("important"), stems("importance"));
        assert_eq!(stems("Undone, sent, overridden"), stems("undoing sends overrides"));
        assert!(APART.is_sorted() && IRREGULAR.is_sorted());
        for (word, other) in [
            ("important", "imports"),
            ("customers", "customized"),
            ("authorization", "authors"),
            ("specification", "specific"),
            ("production", "products"),
        ] {
            assert_ne!(stems(word), stems(other));
        }
        let long = "y".repeat(1 << 20);
        assert_eq!(stems(&long), [long]);
    }
}
