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

/// The pairs of bytes with which words of the wanted stems can begin.
struct Begins {
    pairs: Vec<[bool; 256]>,
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
        let mut begins = Self { pairs: vec![[false; 256]; 256], foreign: false };
        for stem in stems {
            let bytes = stem.as_bytes();
            let Some(&first) = bytes.first() else { continue };
            begins.foreign |= !first.is_ascii();
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

    /// Whether a word of a wanted stem can begin with these bytes.
    fn has(&self, first: u8, second: u8) -> bool {
        self.pairs[usize::from(first.to_ascii_lowercase())]
            [usize::from(second.to_ascii_lowercase())]
    }
}

impl<'a> Scanner<'a> {
    pub(super) fn new(places: &'a HashMap<String, usize>) -> Self {
        let (begins, known) = (Begins::new(places.keys()), HashMap::new());
        Self { places, normalizer: Normalizer::new(), begins, known }
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
                        hit |= self.begins.has(byte, bytes.get(at + 1).copied().unwrap_or(b' '));
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
