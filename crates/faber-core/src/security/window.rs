//! Pieces of at most `length` bytes of text, so that checking every offset takes linear time.

use crate::source::char_boundary;

pub(super) fn before(text: &str, at: usize, length: usize) -> &str {
    let mut start = at.saturating_sub(length);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..at]
}

pub(super) fn after(text: &str, at: usize, length: usize) -> &str {
    &text[at..char_boundary(text, at + length)]
}

pub(super) fn line_before(text: &str, at: usize, length: usize) -> &str {
    let before = before(text, at, length);
    before.rfind('\n').map_or(before, |end| &before[end + 1..])
}

pub(super) fn line_after(text: &str, at: usize, length: usize) -> &str {
    let after = after(text, at, length);
    after.find('\n').map_or(after, |end| &after[..end])
}

/// Letters, digits, `_` and `-`.
pub(super) fn word_start(text: &str, at: usize) -> usize {
    let before = before(text, at, 60);
    let length = before.bytes().rev().take_while(|&byte| is_word(byte)).count();
    at - length
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
