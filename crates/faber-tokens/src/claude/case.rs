//! Words in lower case, with a marker that says what they were.

use super::classes::is_letter_or_mark;
use super::stream::{CAPS, SHIFT};

/// A word as it is written to the stream.
pub(super) struct Cased {
    pub(super) marker: Option<u8>,
    pub(super) text: String,
}

impl Cased {
    /// `caps` is how many letters a word in capitals needs for a marker of its own, if there is one.
    pub(super) fn new(word: &str, caps: Option<usize>) -> Self {
        let marker = marker(word, caps);
        let text = match marker {
            None => word.to_owned(),
            Some(_) => word.chars().map(|c| if c == 'İ' { c } else { lower(c) }).collect(),
        };
        Self { marker, text }
    }
}

fn marker(word: &str, caps: Option<usize>) -> Option<u8> {
    let first = word.chars().next()?;
    let mut rest = word.chars().skip(1);
    if word.contains('ẞ') {
        return None;
    }
    if word.contains('İ') {
        let only_first = first != 'İ' && is_upper(first) && !rest.any(|c| c != 'İ' && is_upper(c));
        return only_first.then_some(SHIFT);
    }
    if caps.is_some_and(|least| in_capitals(word, least)) {
        return Some(CAPS);
    }
    (is_upper(first) && !rest.any(is_upper)).then_some(SHIFT)
}

/// All cased characters are capitals, and nothing else could be lower case.
fn in_capitals(word: &str, least: usize) -> bool {
    word.chars().count() >= least
        && word.chars().any(is_upper)
        && !word.chars().any(char::is_lowercase)
        && !word.chars().any(|c| is_letter_or_mark(c) && !is_upper(c))
}

/// `ϴ` measures as a letter without case. Only `İ` has more than one character in lower case.
fn lower(c: char) -> char {
    if c == 'ϴ' { c } else { c.to_lowercase().next().unwrap_or(c) }
}

/// A capital that has a lower case.
fn is_upper(c: char) -> bool {
    c.is_uppercase() && lower(c) != c
}
