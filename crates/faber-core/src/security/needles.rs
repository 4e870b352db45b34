//! Finds the strings to check.
//!
//! The four rarest bytes of each needle are hashed in two groups of three, one at an even offset,
//! so only those are looked up. An automaton takes longer to build than most scans.

use std::sync::LazyLock;

use super::disguise::{DISGUISED, Disguise};
use super::{acts, conceal, fixed, fold, hidden, remote, secret, send, stems};
use crate::word_list::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needle {
    Token(usize),
    Assignment,
    PrivateKey,
    WebToken,
    Verb,
    Fixed(usize),
    Comment,
    Definition,
    Style,
    Hidden,
    Source,
    Data,
    SendVerb,
    Raw,
    Image,
    Disguised(Disguise),
    Open(usize),
    Close(usize),
    Conceal(usize),
    Unaware(usize),
    Void(usize),
}

const OTHERS: &[(&[&str], Needle)] = &[
    (&["-----begin"], Needle::PrivateKey),
    (&["eyja", "eyjh", "eyj0", "eyjr", "eyjj"], Needle::WebToken),
    (&["<!--"], Needle::Comment),
    (&["]: #", "]:# ", "]: <>"], Needle::Definition),
    (&["style="], Needle::Style),
    (&[" hidden", "\nhidden", "\thidden", "<font"], Needle::Hidden),
    (&["data:", "](javascript:", "](vbscript:"], Needle::Data),
    (&["=\"javascript:", "='javascript:"], Needle::Data),
    (
        words!("<style, <script, <template, <textarea, <noscript, <title, <xmp, <plaintext"),
        Needle::Raw,
    ),
    (hidden::NOT_DRAWN, Needle::Raw),
    (&["<img "], Needle::Image),
];

pub(super) const PARTS: &[(&str, &str)] = &[
    ("<context", "</context"),
    ("<contexts", "</contexts"),
    ("<bundle", "</bundle"),
    ("<request", "</request"),
    ("<catalog", "</catalog"),
    ("<conversation", "</conversation"),
    ("<role", "</role"),
    ("<system", "</system"),
    ("<instructions", "</instructions"),
    ("<user", "</user"),
    ("<assistant", "</assistant"),
];

const HASH_BITS: u32 = 15;

pub(super) struct Needles {
    rows: Vec<(Vec<u8>, Needle)>,
    /// The first four bytes of each.
    fours: Vec<u32>,
    /// By hash: bit `n` if a needle may begin `n` bytes earlier.
    filter: Box<[u8; 1 << HASH_BITS]>,
    /// By hash of the first four bytes, a bit each.
    beginnings: Vec<u64>,
}

pub(super) static NEEDLES: LazyLock<Needles> = LazyLock::new(|| {
    let all =
        |words: &'static [&'static str], kind: Needle| words.iter().map(move |word| (*word, kind));
    let mut rows: Vec<_> = OTHERS.iter().flat_map(|(words, kind)| all(words, *kind)).collect();
    rows.extend(all(secret::NAMES, Needle::Assignment));
    rows.extend(all(stems::VERBS.strings, Needle::Verb));
    rows.extend(all(remote::SOURCES, Needle::Source));
    rows.extend(all(send::VERBS, Needle::SendVerb));
    rows.extend(DISGUISED.iter().flat_map(|(words, kind)| all(words, Needle::Disguised(*kind))));
    let conceals = conceal::LANGUAGES.iter().enumerate();
    rows.extend(conceals.flat_map(|(at, (words, _))| all(words, Needle::Conceal(at))));
    let unaware = acts::UNAWARE.iter().enumerate();
    rows.extend(unaware.flat_map(|(at, row)| all(row.users, Needle::Unaware(at))));
    let void = acts::VOID.iter().enumerate();
    rows.extend(void.flat_map(|(at, row)| all(row.needles, Needle::Void(at))));
    let fixed = fixed::FIXED.iter().enumerate();
    rows.extend(fixed.flat_map(|(at, row)| all(row.needles, Needle::Fixed(at))));
    let tokens = secret::TOKENS.iter().enumerate().filter(|(_, row)| row.prefix.len() >= 4);
    rows.extend(tokens.map(|(at, row)| (row.prefix, Needle::Token(at))));
    for (at, (open, close)) in PARTS.iter().enumerate() {
        rows.extend([(*open, Needle::Open(at)), (*close, Needle::Close(at))]);
    }
    Needles::new(&rows)
});

impl Needles {
    fn new(rows: &[(&'static str, Needle)]) -> Self {
        let lower = |(needle, kind): &(&str, Needle)| (needle.to_ascii_lowercase().into(), *kind);
        // Case is ignored only for ASCII.
        let other = rows.iter().filter(|(needle, _)| !needle.is_ascii());
        let capital = other.map(|(needle, kind)| (capitalized(needle), *kind));
        let accented = rows.iter().filter(|(needle, kind)| {
            matches!(kind, Needle::Conceal(_) | Needle::Void(_)) && !needle.is_ascii()
        });
        let plain = accented.map(|(needle, kind)| (fold::plain(needle).into_bytes(), *kind));
        let mut rows: Vec<(Vec<u8>, Needle)> =
            rows.iter().map(lower).chain(capital).chain(plain).collect();
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        rows.dedup();
        let rarity = Rarity::new();
        let filter = vec![0; 1 << HASH_BITS].into_boxed_slice();
        let mut filter: Box<[u8; 1 << HASH_BITS]> = filter.try_into().expect("it is this long");
        for (needle, _) in &rows {
            let start = rarity.rarest(needle);
            for offset in [start, start + 1] {
                filter[hash([needle[offset], needle[offset + 1], needle[offset + 2]])] |=
                    1 << offset;
            }
        }
        let mut beginnings = vec![0; 1 << HASH_BITS >> 6];
        let fours = rows.iter().map(|(needle, _)| [needle[0], needle[1], needle[2], needle[3]]);
        let fours: Vec<_> = fours.collect();
        for hash in fours.iter().map(|four| hash_of_four(*four)) {
            beginnings[hash >> 6] |= 1 << (hash & 63);
        }
        let fours = fours.into_iter().map(u32::from_be_bytes).collect();
        Self { rows, fours, filter, beginnings }
    }

    fn at_start(&self, bytes: &[u8]) -> Option<&(Vec<u8>, Needle)> {
        let four = bytes.first_chunk()?;
        let hash = hash_of_four(*four);
        if self.beginnings[hash >> 6] >> (hash & 63) & 1 == 0 {
            return None;
        }
        let four = u32::from_be_bytes(four.map(|byte| byte.to_ascii_lowercase()));
        let first = self.fours.partition_point(|&other| other < four);
        let same = self.fours[first..].iter().take_while(|&&other| other == four);
        let rows = self.rows[first..].iter().zip(same).map(|(row, _)| row);
        let is_there = |needle: &[u8]| {
            bytes.get(..needle.len()).is_some_and(|start| start.eq_ignore_ascii_case(needle))
        };
        // A longer one sorts later.
        rows.filter(|(needle, _)| is_there(needle)).last()
    }

    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Needle, usize, usize)) {
        let bytes = text.as_bytes();
        let mark = |at: usize| match bytes.get(at..at + 3) {
            Some(&[first, second, third]) => self.filter[hash([first, second, third])],
            _ => 0,
        };
        let mut look = |at: usize| {
            let before = at.checked_sub(1).map_or(0, mark) << 1;
            let mut starts = mark(at) & (before | mark(at + 1) >> 1);
            while starts != 0 {
                let offset = starts.trailing_zeros() as usize;
                starts &= starts - 1;
                let Some(start) = at.checked_sub(offset) else { return };
                if let Some((needle, kind)) = self.at_start(&bytes[start..]) {
                    found(*kind, start, start + needle.len());
                }
            }
        };
        let mut at = 0;
        while let Some(block) = bytes[at..].first_chunk::<{ BLOCK + 2 }>() {
            // No early exit: most blocks have no hit.
            let mut hits = 0_u32;
            for offset in (0..BLOCK).step_by(2) {
                let three = [block[offset], block[offset + 1], block[offset + 2]];
                hits |= u32::from(self.filter[hash(three)] != 0) << offset;
            }
            while hits != 0 {
                look(at + hits.trailing_zeros() as usize);
                hits &= hits - 1;
            }
            at += BLOCK;
        }
        (at..bytes.len()).step_by(2).filter(|&at| mark(at) != 0).for_each(&mut look);
    }
}

/// Even.
const BLOCK: usize = 16;

/// A mark has eight bits.
const LAST: usize = 6;

const COMMON: &str = "the and ing ion ent for tio ere her ate ver all ter hat our you are not ith ive \
    con pre pro com est res sta men ove ell tel new ign use ser ins ide end out put tor ect ord hid \
    wor ard inf orm sys tem are rom nte ode ted sho how ess act ire mes ctx ass iss log";

/// Most common first.
const LETTERS: &[u8] = b" etaoinsrhldcumfpgwybvkxjqz";

struct Rarity {
    bytes: [usize; 256],
    common: Vec<usize>,
}

impl Rarity {
    fn new() -> Self {
        let mut bytes = [LETTERS.len(); 256];
        LETTERS.iter().enumerate().for_each(|(at, &letter)| bytes[usize::from(letter)] = at);
        let common = COMMON.as_bytes().chunks(4).map(|three| hash([three[0], three[1], three[2]]));
        let mut common: Vec<usize> = common.collect();
        common.sort_unstable();
        Self { bytes, common }
    }

    fn rarest(&self, needle: &[u8]) -> usize {
        let score = |three: &[u8]| {
            let is_common =
                self.common.binary_search(&hash([three[0], three[1], three[2]])).is_ok();
            if is_common {
                0
            } else {
                three.iter().map(|&byte| self.bytes[usize::from(byte.to_ascii_lowercase())]).sum()
            }
        };
        let last = (needle.len() - 4).min(LAST);
        let best = (0..=last).max_by_key(|&at| {
            let four = &needle[at..at + 4];
            let (one, other): (usize, usize) = (score(&four[..3]), score(&four[1..]));
            one.min(other) * 100 + one + other
        });
        best.unwrap_or(0)
    }
}

fn capitalized(word: &str) -> Vec<u8> {
    let mut chars = word.chars();
    let first = chars.next().filter(|char| !char.is_ascii());
    let first = first.map_or_else(String::new, |char| char.to_uppercase().collect());
    let rest = if first.is_empty() { word } else { chars.as_str() };
    [first.as_bytes(), rest.as_bytes()].concat()
}

fn hash([first, second, third]: [u8; 3]) -> usize {
    hash_of_four([first, second, third, 0])
}

fn hash_of_four(bytes: [u8; 4]) -> usize {
    let key = u32::from_le_bytes(bytes) & 0xdfdf_dfdf;
    (key.wrapping_mul(0x85eb_ca6b) >> (32 - HASH_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_needle_is_found_at_any_offset_and_in_any_case() {
        for pad in ["", ".", ". ", ".. ", "................... ", "................"] {
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
    fn of_several_needles_the_longest_is_found() {
        let rows = ["abcd", "abcdef", "abcdeg", "abce", "bcde"];
        let rows = rows.map(|row| (row, Needle::Raw));
        let needles = Needles::new(&rows);
        let longest = |text: &str| {
            needles.at_start(text.as_bytes()).map(|row| str::from_utf8(&row.0).unwrap())
        };
        assert_eq!(longest("ABCDEFG"), Some("abcdef"));
        assert_eq!(longest("abcdeh"), Some("abcd"));
        assert_eq!(longest("abcdz"), Some("abcd"));
        assert_eq!((longest("abc"), longest("b"), longest("")), (None, None, None));
    }

    #[test]
    fn no_needle_is_there_twice() {
        for pair in NEEDLES.rows.windows(2) {
            assert_ne!(pair[0].0, pair[1].0);
        }
    }

    #[test]
    fn needles_are_long_enough_for_the_filter() {
        let verbs = stems::VERBS.strings.iter().chain(secret::NAMES).chain(remote::SOURCES);
        let verbs = verbs.chain(send::VERBS).chain(PARTS.iter().map(|row| &row.0));
        let others = OTHERS.iter().flat_map(|row| row.0);
        let fixed = fixed::FIXED.iter().flat_map(|row| row.needles);
        for needle in verbs.chain(others).chain(fixed) {
            assert!(needle.len() >= 4, "{needle}");
        }
    }
}
