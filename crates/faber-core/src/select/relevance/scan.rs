//! Finding the terms of a query in long texts, without reading most of their words.

use std::collections::HashMap;

use crate::terms::pieces::{pieces, stem_of};
use crate::terms::words::Normalizer;

/// Finds terms, and remembers what words are.
pub(super) struct Scanner<'a> {
    /// The place of each stem.
    places: &'a HashMap<String, usize>,
    normalizer: Normalizer<'static>,
    begins: Begins,
    /// The terms in what stands between white space.
    known: HashMap<String, Vec<usize>>,
}

/// The bytes with which words of the wanted stems can begin.
struct Begins {
    /// By the first two bytes.
    pairs: Vec<[bool; 256]>,
    /// By the first three bytes, where all are letters: five bits of each.
    triples: Vec<bool>,
    /// Letters and digits that are words of their own.
    singles: [bool; 256],
    /// Whether a stem begins with a letter outside ASCII.
    foreign: bool,
}

/// What a byte is to the borders of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Sign,
    Lower,
    Upper,
    Digit,
    Foreign,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Sign; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => Class::Space,
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            0x80.. => Class::Foreign,
            _ => Class::Sign,
        };
        if byte == 255 {
            return classes;
        }
        byte += 1;
    }
}

impl Begins {
    fn new<'s>(stems: impl Iterator<Item = &'s String>) -> Self {
        let pairs = vec![[false; 256]; 256];
        let triples = vec![false; 1 << 15];
        let mut begins = Self { pairs, triples, singles: [false; 256], foreign: false };
        for stem in stems {
            let bytes = stem.as_bytes();
            let Some(&first) = bytes.first() else { continue };
            begins.foreign |= !first.is_ascii();
            if let [single] = *bytes {
                begins.add_single(single);
                continue;
            }
            begins.add_triples(bytes);
            let row = &mut begins.pairs[usize::from(first)];
            match bytes.get(1) {
                // Stemming keeps the first two letters of a word, but for `dying` and its like; what
                // stands in one word may have an underscore.
                Some(second) if second.is_ascii() => {
                    row[usize::from(*second)] = true;
                    row[usize::from(b'y')] |= *second == b'i';
                    row[usize::from(b'_')] = true;
                    // An accent may be a character of its own, or part of the letter.
                    row[0x80..].fill(true);
                }
                _ => row.fill(true),
            }
        }
        begins
    }

    /// Adds a stem of one letter or digit.
    fn add_single(&mut self, single: u8) {
        self.singles[usize::from(single)] = true;
        // Stemming leaves a vowel of nothing longer than this.
        if b"aeiouy".contains(&single) {
            self.triples[triple([single, b'e', b'd'])] = true;
            self.triples[triple([single, b'i', b'n'])] = true;
        }
    }

    /// Adds the first three letters of words that a stem can be of: stemming keeps them, but for `y`
    /// that becomes `i` or the reverse, and for letters that a short stem has lost.
    fn add_triples(&mut self, stem: &[u8]) {
        let letters = |at: usize| -> Vec<u8> {
            match stem.get(at) {
                Some(b'i' | b'y') if at > 0 => vec![b'i', b'y'],
                Some(letter) if letter.is_ascii_alphabetic() => vec![*letter],
                _ => (b'a'..=b'z').collect(),
            }
        };
        // `dying` is of `die`, so after a `y` for an `i` any letter may follow.
        let after_y =
            |second: u8| if second == b'y' { (b'a'..=b'z').collect() } else { letters(2) };
        for first in letters(0) {
            for second in letters(1) {
                for third in after_y(second) {
                    self.triples[triple([first, second, third])] = true;
                }
            }
        }
    }

    /// Whether a word of a wanted stem can begin as these bytes do.
    fn has(&self, bytes: &[u8]) -> bool {
        let goes_on = match bytes.get(1) {
            Some(second) if bytes[0].is_ascii_digit() => second.is_ascii_digit(),
            second => second.is_some_and(u8::is_ascii_lowercase),
        };
        if !goes_on && self.singles[usize::from(bytes[0].to_ascii_lowercase())] {
            return true;
        }
        if let [first, second, third, ..] = *bytes
            && first.is_ascii_alphabetic()
            && second.is_ascii_alphabetic()
            && third.is_ascii_alphabetic()
        {
            return self.triples[triple([first, second, third])];
        }
        let second = bytes.get(1).copied().unwrap_or(b' ');
        let row = &self.pairs[usize::from(bytes[0].to_ascii_lowercase())];
        row[usize::from(second.to_ascii_lowercase())]
    }
}

/// The place of three letters, in either case, in [`Begins::triples`].
fn triple(letters: [u8; 3]) -> usize {
    letters.into_iter().fold(0, |place, letter| place << 5 | usize::from(letter & 31))
}

impl<'a> Scanner<'a> {
    pub(super) fn new(places: &'a HashMap<String, usize>) -> Self {
        let (begins, known) = (Begins::new(places.keys()), HashMap::new());
        Self { places, normalizer: Normalizer::default(), begins, known }
    }

    /// Calls `found` with the place of each term in `text`, as often as it stands there.
    pub(super) fn scan(&mut self, text: &str, found: &mut impl FnMut(usize)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let (mut before, mut hit) = (Class::Space, false);
            while let Some(&byte) = bytes.get(at) {
                let class = CLASSES[usize::from(byte)];
                match class {
                    Class::Space => break,
                    Class::Sign => {}
                    Class::Foreign => hit |= self.begins.foreign,
                    // In the middle of a word; a capital may begin one in the middle of another.
                    Class::Lower if matches!(before, Class::Lower | Class::Upper) => {}
                    Class::Digit if before == Class::Digit => {}
                    Class::Lower | Class::Upper | Class::Digit => {
                        hit |= self.begins.has(&bytes[at..]);
                    }
                }
                before = class;
                at += 1;
            }
            if hit {
                self.places_in(&text[start..at]).iter().for_each(|&place| found(place));
            }
            at += 1;
        }
    }

    fn places_in(&mut self, chunk: &str) -> &[usize] {
        if !self.known.contains_key(chunk) {
            let texts = pieces(chunk).into_iter().map(|piece| &chunk[piece.bytes]);
            let places =
                texts.filter_map(|text| self.places.get(&stem_of(text, &self.normalizer)).copied());
            let places = places.collect();
            self.known.insert(chunk.to_owned(), places);
        }
        &self.known[chunk]
    }
}
