//! Words about errors.

use crate::word_list::words;

pub(crate) fn names_error(term: &str) -> bool {
    const SIGNS: &[&str] = words!(
        "error, exception, fail, timeout, timed out, time-out, denied, refused, crash, limit",
        "fault, unauthorized, forbidden, broken, unavailable, unreachable",
    );
    let term = term.to_lowercase();
    SIGNS.iter().any(|sign| term.contains(sign)) || is_status(&term)
}

pub(crate) fn ends_as_error(term: &str) -> bool {
    const ENDS: &[&str] = words!(
        "crash, crashes, error, errors, exception, exceptions, failed, failing, fails, failure",
        "failures",
    );
    let term = term.to_lowercase();
    ENDS.iter().any(|end| term.ends_with(end))
}

pub(crate) fn is_error_type(word: &str) -> bool {
    let is_inner = |c: char| c.is_uppercase() || c == '_';
    ends_as_error(word) && word.chars().skip(1).any(is_inner) && word.contains(char::is_lowercase)
}

pub(crate) fn is_status(term: &str) -> bool {
    matches!(term.as_bytes(), [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'])
}
