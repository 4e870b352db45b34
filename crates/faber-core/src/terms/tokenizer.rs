//! Hashed terms of long texts.

use std::ops::Range;

use super::pieces::{is_stop, pieces, stem_of};
use super::words::Normalizer;

/// The low 48 bits of FNV-1a: among a million stems, any collision has a chance of 0.2 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermHash(u64);

impl TermHash {
    pub(crate) const BITS: u32 = 48;

    pub fn new(stem: &str) -> Self {
        let hash = stem.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self::from_bits(hash)
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits & ((1 << Self::BITS) - 1))
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }
}

const MAX_KNOWN: usize = 1 << 18;

/// Leaves out stop words.
#[derive(Default)]
pub struct Tokenizer {
    normalizer: Normalizer<'static>,
    known: KnownWords,
    terms: Vec<TermHash>,
}

#[derive(Default)]
struct KnownWords {
    short: foldhash::HashMap<u128, Range<u32>>,
    long: foldhash::HashMap<String, Range<u32>>,
}

impl KnownWords {
    fn get(&self, text: &str, word: &Range<usize>) -> Option<Range<usize>> {
        let range = match short_word(text, word) {
            Some(short) => self.short.get(&short),
            None => self.long.get(&text[word.clone()]),
        }?;
        Some(range.start as usize..range.end as usize)
    }

    fn insert(&mut self, text: &str, word: &Range<usize>, Range { start, end }: Range<usize>) {
        let (Ok(start), Ok(end)) = (start.try_into(), end.try_into()) else { return };
        match short_word(text, word) {
            Some(short) => self.short.insert(short, start..end),
            None => self.long.insert(text[word.clone()].to_owned(), start..end),
        };
    }

    fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }
}

const SHORT: usize = size_of::<u128>();

fn short_word(text: &str, word: &Range<usize>) -> Option<u128> {
    let unused = u32::try_from(SHORT.checked_sub(word.len())?).ok()?;
    let rest = &text.as_bytes()[word.start..];
    if let Some(bytes) = rest.first_chunk() {
        return Some(u128::from_le_bytes(*bytes) & u128::MAX.unbounded_shr(8 * unused));
    }
    let mut bytes = [0; SHORT];
    bytes[..word.len()].copy_from_slice(&rest[..word.len()]);
    Some(u128::from_le_bytes(bytes))
}

fn is_plain(word: &str) -> bool {
    let (first, rest) = word.as_bytes().split_at(1.min(word.len()));
    let is_lower = rest.iter().all(u8::is_ascii_lowercase);
    let is_upper = || word.bytes().all(|byte| byte.is_ascii_uppercase());
    first.iter().all(u8::is_ascii_alphabetic) && (is_lower || is_upper())
}

static IN_RUN: [bool; 256] = {
    let mut known = [false; 256];
    let mut at = 0;
    while at < known.len() {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let byte = at as u8;
        known[at] =
            byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'_' | b'+' | b'#');
        at += 1;
    }
    known
};

fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let is_in = |byte: u8| IN_RUN[usize::from(byte)];
    let joins = move |at: usize| match bytes[at..] {
        [b'\'', next, ..] => {
            next.is_ascii_alphabetic() && at.checked_sub(1).is_some_and(|at| is_in(bytes[at]))
        }
        [b'-', next, ..] => next.is_ascii_digit(),
        [b'.', next, ..] => next.is_ascii_digit() || matches!(next, b'n' | b'N'),
        _ => false,
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while !is_in(*bytes.get(at)?) && !joins(at) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && (is_in(bytes[at]) || joins(at)) {
            at += 1;
        }
        Some(start..at)
    })
}

impl Tokenizer {
    pub fn each(&mut self, text: &str, mut found: impl FnMut(TermHash)) {
        for word in runs(text) {
            let range = match self.known.get(text, &word) {
                Some(range) => range,
                None => self.add(text, word),
            };
            self.terms[range].iter().for_each(|&term| found(term));
        }
    }

    fn add(&mut self, text: &str, word: Range<usize>) -> Range<usize> {
        if self.known.len() >= MAX_KNOWN {
            self.known = KnownWords::default();
            self.terms.clear();
        }
        let start = self.terms.len();
        let run = &text[word.clone()];
        if is_plain(run) {
            let term = self.term(run);
            self.terms.extend(term);
        } else {
            for piece in pieces(run) {
                self.add_piece(run, piece.bytes);
            }
        }
        let range = start..self.terms.len();
        self.known.insert(text, &word, range.clone());
        range
    }

    fn add_piece(&mut self, run: &str, piece: Range<usize>) {
        let text = &run[piece.clone()];
        let is_plain = is_plain(text);
        if let Some(range) = self.known.get(run, &piece).filter(|_| is_plain) {
            self.terms.extend_from_within(range);
            return;
        }
        let start = self.terms.len();
        let term = self.term(text);
        self.terms.extend(term);
        if is_plain {
            self.known.insert(run, &piece, start..self.terms.len());
        }
    }

    fn term(&self, piece: &str) -> Option<TermHash> {
        let stem = (!is_stop(piece)).then(|| stem_of(piece, &self.normalizer))?;
        (!stem.is_empty()).then(|| TermHash::new(&stem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query;
    use crate::terms::words::Normalizer;
    use proptest::prelude::*;

    fn hashes(text: &str) -> Vec<TermHash> {
        let (mut tokenizer, mut found) = (Tokenizer::default(), Vec::new());
        tokenizer.each(text, |term| found.push(term));
        found
    }

    #[test]
    fn terms_keep_their_numbers_between_versions() {
        assert_eq!(TermHash::new("a").bits(), 0xdc4c_8601_ec8c);
        assert_eq!(hashes("the Keys, keys, key's"), [TermHash::new("key"); 3]);
    }

    proptest! {
        #[test]
        fn a_text_has_the_terms_of_its_pieces(
            text in "([a-zA-Z]{1,4}|[a-z]?(n't|'(s|ll|[a-z]))|[a-z]?\\.?(net|NET)|C[+#]{1,2}|[ -~]|[0-9.-]{1,5}|[é安ガ\u{a0}“\n]){0,40}",
        ) {
            let normalizer = Normalizer::default();
            let own = pieces(&text).into_iter().map(|piece| &text[piece.bytes]);
            let stems = own.filter(|piece| !is_stop(piece)).map(|piece| stem_of(piece, &normalizer));
            let terms: Vec<_> =
                stems.filter(|stem| !stem.is_empty()).map(|stem| TermHash::new(&stem)).collect();
            prop_assert_eq!(hashes(&text), terms);
        }

        #[test]
        fn a_text_has_the_terms_that_a_question_of_its_words_has(
            text in "([a-zA-Z]{1,4}|dying|die|the|n['’]t|[_.',()+#0-9é安\u{a0} \n-]|[(]?\\.(net|NET)|C[+#]{1,2}[.,)]?){0,40}",
        ) {
            let all = hashes(&text);
            for term in query::terms(&text) {
                let hash = TermHash::new(&term.stem);
                let often = all.iter().filter(|one| **one == hash).count();
                prop_assert!((1..=often).contains(&(term.count as usize)), "{}", term.stem);
            }
        }
    }
}
