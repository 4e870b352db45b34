//! Text as a model reads it, with source offsets: `Ig**nore**`, `&#73;gnore`, `Ig<!-- -->nore`.

use std::ops::Range;

use super::fold;
use super::window;
use crate::chars::{self, CharKind};

const MAX_TAG_BYTES: usize = 200;

#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) text: String,
    /// Offsets in `text` and source after each replacement.
    joints: Vec<(u32, u32)>,
    done: usize,
}

impl Reading {
    pub(super) fn origin(&self, at: usize) -> usize {
        let next = self.joints.partition_point(|joint| joint.0 as usize <= at);
        match next.checked_sub(1).map(|last| self.joints[last]) {
            Some((here, there)) => there as usize + (at - here as usize),
            None => at,
        }
    }

    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.origin(range.end.saturating_sub(1).max(range.start));
        self.origin(range.start)..last + 1
    }

    pub(super) fn is_changed(&self, range: &Range<usize>) -> bool {
        let next = self.joints.partition_point(|joint| (joint.0 as usize) < range.start);
        self.joints.get(next).is_some_and(|joint| (joint.0 as usize) < range.end)
    }

    pub(super) fn is_plain(&self) -> bool {
        self.joints.is_empty()
    }

    fn put(&mut self, source: &str, range: Range<usize>, char: Option<char>) {
        let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        self.text.push_str(&source[self.done..range.start]);
        self.done = range.end;
        let mut joint = |text: &str, source| self.joints.push((narrow(text.len()), narrow(source)));
        if let Some(char) = char {
            joint(&self.text, range.start);
            self.text.push(char);
        }
        joint(&self.text, range.end);
    }

    fn finished(mut self, source: &str) -> Self {
        if !self.is_plain() {
            self.text.push_str(&source[self.done..]);
        }
        self
    }
}

pub(super) fn decoded(text: &str, is_code: impl Fn(usize) -> bool) -> Reading {
    let mut reading = Reading::default();
    for at in memchr::memchr_iter(b'&', text.as_bytes()) {
        if at >= reading.done
            && let Some((length, char)) = fold::entity(window::after(text, at, 40))
            && !is_code(at)
        {
            reading.put(text, at..at + length, Some(char));
        }
    }
    reading.finished(text)
}

pub(super) fn unmarked(text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut at = 0;
    let mut comments = true;
    let bytes = text.as_bytes();
    while let Some(found) = next_mark(&bytes[at..]) {
        at += found;
        let (end, said) = piece(text, at, &mut comments);
        let in_word = || {
            let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            before && text[end..].chars().next().is_some_and(char::is_alphanumeric)
        };
        match said {
            ReadPiece::Letter(plain) => reading.put(text, at..end, Some(plain)),
            ReadPiece::Mark if in_word() => reading.put(text, at..end, None),
            ReadPiece::Mark | ReadPiece::Other => {}
        }
        at = end;
    }
    reading.finished(text)
}

fn next_mark(bytes: &[u8]) -> Option<usize> {
    const AT_ONCE: usize = 32;
    let is_mark = |byte: &u8| matches!(byte, b'*' | b'`' | b'~' | b'<' | b'\\' | b'_' | 0x80..);
    let mut at = 0;
    // No early exit, for vectorization.
    for block in bytes.chunks(AT_ONCE) {
        if block.iter().fold(false, |any, byte| any | is_mark(byte)) {
            return block.iter().position(is_mark).map(|found| at + found);
        }
        at += block.len();
    }
    None
}

enum ReadPiece {
    Letter(char),
    Mark,
    Other,
}

fn piece(text: &str, at: usize, comments: &mut bool) -> (usize, ReadPiece) {
    let mut end = at;
    while let Some(char) = text[end..].chars().next() {
        let after = end + char.len_utf8();
        end = match char {
            '*' | '`' | '~' => after,
            '_' if text[after..].starts_with('_') => after + 1,
            '\\' if text[after..].starts_with(|char: char| char.is_ascii_punctuation()) => after,
            '<' => match tag(text, end, comments) {
                Some(end) => end,
                None => break,
            },
            _ if char.is_ascii() => break,
            '\u{334}'..='\u{338}' | '\u{20d2}' | '\u{20d3}' | '\u{20e5}' => after,
            _ if chars::kind(char) != CharKind::Ordinary => after,
            _ => break,
        };
    }
    if end > at {
        return (end, ReadPiece::Mark);
    }
    let char = text[at..].chars().next().unwrap_or(' ');
    let piece = fold::latin(char).map_or(ReadPiece::Other, ReadPiece::Letter);
    (at + char.len_utf8(), piece)
}

fn tag(text: &str, at: usize, comments: &mut bool) -> Option<usize> {
    if text[at..].starts_with("<!--") {
        let rest = if *comments { &text.as_bytes()[at + 4..] } else { &[] };
        let end = memchr::memmem::find(rest, b"-->");
        *comments &= end.is_some();
        return end.map(|length| at + 4 + length + 3);
    }
    let inner = window::after(text, at + 1, MAX_TAG_BYTES);
    let named = inner.trim_start_matches('/').starts_with(|char: char| char.is_ascii_alphabetic());
    let length = inner.find(['>', '<']).filter(|&length| inner[length..].starts_with('>'))?;
    named.then_some(at + 1 + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_pieces_are_read_as_one() {
        for (source, plain) in [
            ("dis**reg**ard it", "disregard it"),
            ("dis<b>reg</b>ard", "disregard"),
            ("dis<!-- x --><!-- y -->regard", "disregard"),
            ("dis\u{ad}reg\u{200b}ard", "disregard"),
            ("\u{ff44}\u{ff49}\u{ff53} \u{1d41a}", "dis a"),
            ("a `b` **c** d_e <i>f</i>", "a `b` **c** d_e <i>f</i>"),
        ] {
            let reading = unmarked(source);
            let text = if reading.is_plain() { source } else { &reading.text };
            assert_eq!(text, plain);
        }
        let reading = unmarked("x dis**reg**ard");
        assert_eq!(reading.range(&(2..11)), 2..15);
        assert!(unmarked("plain <b>words</b> and *more*, naïve").is_plain());
    }

    #[test]
    fn character_references_are_decoded() {
        let reading = decoded("a &#100;is&zwj;x &nosuch; `&#65;`", |at| at > 20);
        assert_eq!(reading.text, "a dis\u{200d}x &nosuch; `&#65;`");
        assert_eq!(reading.range(&(2..3)), 2..3);
        assert_eq!(reading.origin(reading.text.len()), 33);
    }
}
