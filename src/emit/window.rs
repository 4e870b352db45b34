//! The lines of a file around a finding, so that printing it does not depend on the size of the
//! file.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::harmless;
use crate::source::{SourceFile, Span};

/// How many bytes two places in one file may be apart to be shown as one piece.
pub(super) const NEAR: u32 = 4096;
/// How many lines are kept on each side; the drawing shows one.
const AROUND: usize = 3;
/// The most bytes that are drawn on each side, and of the place itself; what is longer is no line
/// for people.
pub(super) const MOST: usize = 8 * 1024;

/// Some lines of a file, which answer to the offsets of the whole file.
#[derive(Debug)]
pub(crate) struct Window {
    text: String,
    /// The offset of `text` in the file.
    start: usize,
    /// The number of its first line, from 0.
    line: usize,
    /// The column at which that line is cut off, from 0.
    column: usize,
}

impl Window {
    /// The lines around `bytes` of `file`; bytes of `masks` are shown as `*`.
    pub(super) fn new(file: &SourceFile, bytes: Range<usize>, masks: &[Span]) -> Self {
        let text = file.text.as_str();
        if text.is_empty() {
            // A label needs a character to point at.
            return Self { text: "\n".to_owned(), start: 0, line: 0, column: 0 };
        }
        let from = bytes.start.min(text.len());
        let to = bytes.end.min(text.len()).min(from + MOST + NEAR as usize * 2);
        let bytes = from..floor(text, to.max(from));
        let start = text[..bytes.start].rmatch_indices('\n').nth(AROUND);
        let start = start.map_or(0, |(at, _)| at + 1);
        let end = text[bytes.end..].match_indices('\n').nth(AROUND);
        let end = end.map_or(text.len(), |(at, _)| bytes.end + at + 1);
        let start = floor(text, start.max(bytes.start.saturating_sub(MOST)));
        let end = floor(text, end.min(bytes.end + MOST));
        let at = file.position(u32::try_from(start).unwrap_or(u32::MAX));
        let (line, column) = (at.line - 1, at.column - 1);
        Self { text: harmless(&masked(text, start..end, masks)), start, line, column }
    }
}

/// The last offset up to `at` that no character of `text` stands across.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A part of `text` in which as many `*` stand for what is to be hidden.
fn masked(text: &str, part: Range<usize>, masks: &[Span]) -> String {
    let mut out = String::with_capacity(part.len());
    let mut at = part.start;
    for mask in masks.iter().map(|mask| mask.range()) {
        let hidden = mask.start.clamp(at, part.end)..mask.end.clamp(at, part.end);
        if hidden.is_empty() {
            continue;
        }
        out.push_str(&text[at..hidden.start]);
        let star = |byte: u8| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { '*' };
        out.extend(text.as_bytes()[hidden.clone()].iter().map(|&byte| star(byte)));
        at = hidden.end;
    }
    out.push_str(&text[at..part.end]);
    out
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let offset = span.offset().checked_sub(self.start).ok_or(MietteError::OutOfBounds)?;
        let inner =
            self.text.read_span(&SourceSpan::new(offset.into(), span.len()), before, after)?;
        let outer = inner.span();
        Ok(Box::new(MietteSpanContents::new(
            inner.data(),
            SourceSpan::new((outer.offset() + self.start).into(), outer.len()),
            inner.line() + self.line,
            inner.column() + if inner.line() == 0 { self.column } else { 0 },
            inner.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    #[test]
    fn a_window_knows_its_lines_and_hides_what_is_masked() {
        let mut sources = SourceMap::default();
        let text = (0..20).fold(String::new(), |text, n| text + &format!("line {n}\n"));
        let file = sources.add("a.md".into(), text.clone());
        let at = text.find("line 9").unwrap();
        let mask = Span::new(file, at + 5, at + 6);
        let window = Window::new(sources.get(file), at..at + 4, &[mask]);
        assert_eq!(window.line, 6);
        let span = SourceSpan::new(at.into(), 4);
        let read = window.read_span(&span, 1, 1).unwrap();
        assert_eq!(std::str::from_utf8(read.data()).unwrap(), "line 8\nline *\nline 10\n");
        assert_eq!(read.line(), 8);
    }
}
