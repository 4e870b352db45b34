//! Pieces of at most `length` bytes, so checking every offset takes linear time.

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
    memchr::memrchr(b'\n', before.as_bytes()).map_or(before, |end| &before[end + 1..])
}

pub(super) fn line_after(text: &str, at: usize, length: usize) -> &str {
    let after = after(text, at, length);
    memchr::memchr(b'\n', after.as_bytes()).map_or(after, |end| &after[..end])
}

/// For short texts and rare strings, building a searcher takes longest.
pub(super) fn find_all(text: &str, needle: &'static str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let first = memchr::memchr(needle.as_bytes()[0], bytes);
    first.into_iter().flat_map(move |first| {
        memchr::memmem::find_iter(&bytes[first..], needle).map(move |at| first + at)
    })
}

/// Each line with its end, and where it starts.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    let mut start = 0;
    ends.chain([text.len()]).map_while(move |end| {
        let line = (start, &text[start..end]);
        start = end;
        (!line.1.is_empty()).then_some(line)
    })
}

pub(super) fn word_start(text: &str, at: usize) -> usize {
    let before = before(text, at, 60);
    let length = before.bytes().rev().take_while(|&byte| is_word(byte)).count();
    at - length
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn first_sentence(text: &str) -> &str {
    let end = (0..text.len()).find(|&at| ends_sentence(text, at));
    end.map_or(text, |at| &text[..at])
}

pub(super) fn last_sentence(text: &str) -> &str {
    let at = (0..text.len()).rev().find(|&at| ends_sentence(text, at));
    at.map_or(text, |at| &text[at + 1..])
}

fn ends_sentence(text: &str, at: usize) -> bool {
    let rest = &text.as_bytes()[at + 1..];
    match text.as_bytes()[at] {
        b'!' | b'?' | b';' => true,
        b'.' => rest.first().is_some_and(u8::is_ascii_whitespace),
        b'\n' => {
            let line = rest.trim_ascii_start();
            let is_blank =
                rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n');
            let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let marks = &line[digits..];
            is_blank
                || marks.starts_with(b"|")
                || marks.starts_with(b"#")
                || [b"- ", b"* ", b"+ ", b". ", b") "].iter().any(|mark| marks.starts_with(*mark))
        }
        _ => false,
    }
}
