//! Lowercase words with a marker for their case.

use super::classes::is_letter_or_mark;
use super::stream::{CAPS, SHIFT};

pub(super) struct Cased {
    pub(super) marker: Option<u8>,
    pub(super) text: String,
}

impl Cased {
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

fn in_capitals(word: &str, least: usize) -> bool {
    word.chars().count() >= least
        && word.chars().any(is_upper)
        && !word.chars().any(char::is_lowercase)
        && !word.chars().any(|c| is_letter_or_mark(c) && !is_upper(c))
}

/// `ϴ` measures as caseless. Only `İ` has a longer lowercase.
fn lower(c: char) -> char {
    if c == 'ϴ' { c } else { c.to_lowercase().next().unwrap_or(c) }
}

fn is_upper(c: char) -> bool {
    c.is_uppercase() && lower(c) != c
}
