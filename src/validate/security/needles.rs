//! The strings at which the text is looked at closely.
//!
//! Nearly no place of a text has one. So every second byte is asked whether the three bytes from it
//! on, case aside, are at the beginning of any needle, and only where they may be, an automaton
//! looks which needle it is. Needles have at least four bytes: wherever one stands, three bytes of
//! its first four begin at an even offset.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};

use super::{phrase, remote, secret};

/// What is looked for where a needle is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needle {
    /// A token: a row of [`secret::TOKENS`].
    Token(usize),
    /// A name that may be given a secret value.
    Assignment,
    /// A private key.
    PrivateKey,
    /// A JSON web token.
    WebToken,
    /// A verb of [`phrase::VERBS`].
    Verb,
    /// A phrase that says it all: a row of [`phrase::FIXED`].
    Fixed(usize),
    /// An HTML comment.
    Comment,
    /// A link reference definition that is a comment.
    Definition,
    /// An attribute with a style.
    Style,
    /// An attribute that hides an element.
    Hidden,
    /// A program that fetches or decodes.
    Source,
    /// An address that is its own content.
    Data,
}

/// Needles that are not listed where they are judged.
const OTHERS: &[(&str, Needle)] = &[
    ("-----begin", Needle::PrivateKey),
    ("eyja", Needle::WebToken),
    ("eyjh", Needle::WebToken),
    ("eyj0", Needle::WebToken),
    ("eyjr", Needle::WebToken),
    ("eyjj", Needle::WebToken),
    ("<!--", Needle::Comment),
    ("]: #", Needle::Definition),
    ("]:# ", Needle::Definition),
    ("]: <>", Needle::Definition),
    ("style=", Needle::Style),
    (" hidden", Needle::Hidden),
    ("\nhidden", Needle::Hidden),
    ("\thidden", Needle::Hidden),
    ("<font", Needle::Hidden),
    ("data:", Needle::Data),
];

/// How many bits the hash of three bytes has.
const BITS: u32 = 14;

/// All needles, ready to be looked for.
pub(super) struct Needles {
    automaton: AhoCorasick,
    kinds: Vec<Needle>,
    /// For the hash of three bytes, bit 0: a needle may begin here; bit 1: one byte before.
    filter: Vec<u8>,
}

/// All needles, ready to be looked for.
pub(super) static NEEDLES: LazyLock<Needles> = LazyLock::new(|| {
    let tokens = secret::TOKENS.iter().enumerate();
    let tokens = tokens.filter(|(_, row)| row.prefix.len() >= 4);
    let tokens = tokens.map(|(at, row)| (row.prefix, Needle::Token(at)));
    let names = secret::NAMES.iter().map(|name| (*name, Needle::Assignment));
    let verbs = phrase::VERBS.iter().map(|verb| (*verb, Needle::Verb));
    let fixed = phrase::FIXED.iter().enumerate().map(|(at, row)| (row.needle, Needle::Fixed(at)));
    let sources = remote::SOURCES.iter().map(|source| (*source, Needle::Source));
    let rows = tokens.chain(names).chain(verbs).chain(fixed).chain(sources);
    Needles::new(&rows.chain(OTHERS.iter().copied()).collect::<Vec<_>>())
});

impl Needles {
    fn new(rows: &[(&str, Needle)]) -> Self {
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Anchored)
            .kind(Some(AhoCorasickKind::DFA))
            .build(rows.iter().map(|row| row.0))
            .expect("the needles are constants that fit an automaton");
        let mut filter = vec![0; 1 << BITS];
        for (needle, _) in rows {
            for (offset, three) in needle.as_bytes().windows(3).take(2).enumerate() {
                filter[hash(three[0], three[1], three[2])] |= 1 << offset;
            }
        }
        Self { automaton, kinds: rows.iter().map(|row| row.1).collect(), filter }
    }

    /// Calls `found` with each needle in `text`, its start and its end. Of several that begin at
    /// one byte it is the longest.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Needle, usize, usize)) {
        let bytes = text.as_bytes();
        let marked = |at: usize, bit: u8| match bytes.get(at..at + 3) {
            Some(&[first, second, third]) => self.filter[hash(first, second, third)] & bit != 0,
            _ => false,
        };
        let mut look = |at: usize| {
            // The first four bytes hold three at both offsets.
            if !(marked(at, 1) && marked(at + 1, 2)) {
                return;
            }
            let input = Input::new(bytes).range(at..).anchored(Anchored::Yes);
            if let Some(hit) = self.automaton.find(input) {
                found(self.kinds[hit.pattern().as_usize()], hit.start(), hit.end());
            }
        };
        // Two bytes at a time, with the byte after them.
        for (at, three) in bytes.windows(3).enumerate().step_by(2) {
            let mark = self.filter[hash(three[0], three[1], three[2])];
            if mark != 0 {
                if mark & 2 != 0 && at > 0 {
                    look(at - 1);
                }
                if mark & 1 != 0 {
                    look(at);
                }
            }
        }
    }
}

/// A hash of three bytes that does not depend on the case of ASCII letters.
fn hash(first: u8, second: u8, third: u8) -> usize {
    let key = u32::from_le_bytes([first, second, third, 0]) & 0x00df_dfdf;
    (key.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_needle_is_found_at_any_offset_and_in_any_case() {
        for pad in ["", ".", ". ", ".. "] {
            for (at, row) in secret::TOKENS.iter().enumerate().filter(|row| row.1.prefix.len() > 3)
            {
                let text = format!("{pad}{}x", row.prefix.to_uppercase());
                let mut seen = Vec::new();
                NEEDLES.find(&text, |needle, start, _| seen.push((needle, start)));
                assert!(seen.contains(&(Needle::Token(at), pad.len())), "{text}");
            }
        }
    }

    #[test]
    fn needles_are_long_enough_for_the_filter() {
        let verbs = phrase::VERBS.iter().chain(secret::NAMES).chain(remote::SOURCES);
        let others = OTHERS.iter().map(|row| &row.0);
        let fixed = phrase::FIXED.iter().map(|row| &row.needle);
        for needle in verbs.chain(others).chain(fixed) {
            assert!(needle.len() >= 4, "{needle}");
        }
    }
}
