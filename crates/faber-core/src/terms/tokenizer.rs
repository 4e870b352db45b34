//! The terms of long texts, by number.

use std::ops::Range;

use super::pieces::{WordPiece, is_stop, pieces, stem_of};
use super::words::Normalizer;

/// A term: the low 48 bits of the FNV-1a hash of its stem.
///
/// Of a million different stems, the chance that any two share a number is 0.2 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermHash(u64);

impl TermHash {
    /// How many bits a term has.
    pub(crate) const BITS: u32 = 48;

    pub fn new(stem: &str) -> Self {
        let hash = stem.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self::from_bits(hash)
    }

    /// The term in the low bits of a number.
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits & ((1 << Self::BITS) - 1))
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

/// How many words a tokenizer remembers, at most, and how many pieces of words.
const MAX_KNOWN: usize = 1 << 18;

/// Splits texts into terms, without stop words, and remembers how it split each word.
#[derive(Default)]
pub struct Tokenizer {
    normalizer: Normalizer<'static>,
    /// Where the terms of a run without white space are in `terms`.
    known: foldhash::HashMap<String, Range<usize>>,
    terms: Vec<TermHash>,
    /// The term of a piece; none of a stop word. A piece is in several runs, and to stem it takes far longer
    /// than to look it up.
    stems: foldhash::HashMap<String, Option<TermHash>>,
}

impl Tokenizer {
    /// Calls `found` with each term of `text`, in order.
    pub fn each(&mut self, text: &str, mut found: impl FnMut(TermHash)) {
        for word in text.split_ascii_whitespace() {
            // `C++`, `C#` and `.NET` are words; no other sign at either end is part of one.
            let sign = |c: char| c.is_ascii_punctuation() && c != '+' && c != '#';
            let word = word.trim_end_matches(sign).trim_start_matches(|c| sign(c) && c != '.');
            if word.is_empty() {
                continue;
            }
            let range = match self.known.get(word) {
                Some(range) => range.clone(),
                None => self.add(word),
            };
            self.terms[range].iter().for_each(|&term| found(term));
        }
    }

    fn add(&mut self, word: &str) -> Range<usize> {
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
            self.terms.clear();
        }
        if self.stems.len() >= MAX_KNOWN {
            self.stems.clear();
        }
        let start = self.terms.len();
        let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
        let whole = is_plain.then_some(WordPiece { bytes: 0..word.len(), joined: false });
        let parts = if is_plain { Vec::new() } else { pieces(word) };
        for piece in whole.into_iter().chain(parts) {
            let term = self.term(&word[piece.bytes]);
            self.terms.extend(term);
        }
        let range = start..self.terms.len();
        self.known.insert(word.to_owned(), range.clone());
        range
    }

    fn term(&mut self, piece: &str) -> Option<TermHash> {
        if let Some(term) = self.stems.get(piece) {
            return *term;
        }
        let stem = (!is_stop(piece)).then(|| stem_of(piece, &self.normalizer));
        let term = stem.filter(|stem| !stem.is_empty()).map(|stem| TermHash::new(&stem));
        self.stems.insert(piece.to_owned(), term);
        term
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query;
    use proptest::prelude::*;

    fn hashes(text: &str) -> Vec<TermHash> {
        let (mut tokenizer, mut found) = (Tokenizer::default(), Vec::new());
        tokenizer.each(text, |term| found.push(term));
        found
    }

    #[test]
    fn terms_keep_their_numbers_between_versions() {
        // The FNV-1a hash of "a" is af63dc4c8601ec8c.
        assert_eq!(TermHash::new("a").bits(), 0xdc4c_8601_ec8c);
        assert_eq!(hashes("the Keys, keys"), [TermHash::new("key"); 2]);
    }

    proptest! {
        #[test]
        fn a_text_has_the_terms_that_a_question_of_its_words_has(
            text in "([a-zA-Z]{1,4}|dying|die|the|[_.,()+#0-9é安\u{a0} \n-]|[(]?\\.(net|NET)|C[+#]{1,2}[.,)]?){0,40}",
        ) {
            let mut all = hashes(&text);
            let often = |term: &query::Term<'_>| vec![TermHash::new(&term.stem); term.often as usize];
            let mut asked: Vec<TermHash> = query::terms(&text).iter().flat_map(often).collect();
            all.sort_unstable();
            asked.sort_unstable();
            prop_assert_eq!(all, asked);
        }
    }
}
