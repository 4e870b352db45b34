//! Cost does not depend on file size.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use faber_core::escape::same_length;
use faber_core::source::{SourceFile, Span, char_boundary};

/// Bytes within one snippet.
pub(super) const NEAR: u32 = 4096;
const AROUND: usize = 3;
/// In bytes.
const LONG: usize = 400;
pub(super) const MAX_SNIPPET: usize = 3 * NEAR as usize;

#[derive(Debug)]
pub(crate) struct Window {
    text: String,
    start: usize,
    /// First line, from 0.
    line: usize,
    column: usize,
}

impl Window {
    pub(super) fn new(file: &SourceFile, start: usize, text: &str) -> Self {
        let at = file.position(u32::try_from(start).unwrap_or(u32::MAX));
        let text = if text.is_empty() { "\n".to_owned() } else { same_length(text) };
        Self { text, start, line: at.line - 1, column: at.column - 1 }
    }
}

pub(super) fn lines(file: &SourceFile, bytes: Range<usize>) -> Range<usize> {
    let text = &*file.text;
    let from = bytes.start.min(text.len());
    let to = bytes.end.min(text.len()).min(from + MAX_SNIPPET);
    let bytes = char_boundary(text, from)..char_boundary(text, to.max(from));
    let least = char_boundary(text, bytes.start.saturating_sub(AROUND * LONG));
    let most = char_boundary(text, bytes.end + AROUND * LONG);
    let (before, after) = (&text[least..bytes.start], &text[bytes.end..most]);
    let head = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let tail = after.find('\n').unwrap_or(after.len());
    let long = head + tail > LONG;
    let start = if long && head > LONG / 2 {
        char_boundary(text, bytes.start - LONG / 2)
    } else {
        let above = before[..before.len() - head].split_inclusive('\n').rev().take(AROUND);
        let above = above.take_while(|line| line.len() <= LONG).map(str::len);
        bytes.start - head - above.sum::<usize>()
    };
    let end = if long && tail > LONG / 2 {
        char_boundary(text, bytes.end + LONG / 2)
    } else {
        let below = after[tail..].split_inclusive('\n').take(AROUND + 1);
        let below = below.take_while(|line| line.len() <= LONG).map(str::len);
        bytes.end + tail + below.sum::<usize>()
    };
    start..end
}

pub(super) fn shortened(span: Span, file: &SourceFile) -> Span {
    let range = span.range();
    if range.len() <= LONG || range.end > file.text.len() {
        return span;
    }
    let line = file.text[range.clone()].lines().next().unwrap_or_default();
    let end = char_boundary(&file.text, range.start + line.len().clamp(1, LONG / 2));
    Span::new(span.file, range.start, end.max(range.start))
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
        let cut = inner.column().min(outer.offset());
        let before = &self.text[outer.offset() - cut..outer.offset()];
        let mark = self.start == 0 && inner.line() == 0 && before.starts_with('\u{feff}');
        let column = before.chars().count() - usize::from(mark);
        Ok(Box::new(MietteSpanContents::new(
            inner.data(),
            SourceSpan::new((outer.offset() + self.start).into(), outer.len()),
            inner.line() + self.line,
            column + if inner.line() == 0 { self.column } else { 0 },
            inner.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::Masks;
    use faber_core::source::SourceMap;

    #[test]
    fn a_window_knows_its_lines_and_hides_what_is_masked() {
        let mut sources = SourceMap::default();
        let text = (0..20).fold(String::new(), |text, n| text + &format!("line {n}\n"));
        let file = sources.add("a.md".into(), text.clone());
        let at = text.find("line 9").unwrap();
        let masks = Masks::new(&sources, &[Span::new(file, at + 5, at + 6)]);
        let lines = lines(sources.get(file), at..at + 4);
        let shown = masks.masked(&sources, Span::new(file, lines.start, lines.end));
        let window = Window::new(sources.get(file), lines.start, &shown);
        assert_eq!(window.line, 6);
        let span = SourceSpan::new(at.into(), 4);
        let read = window.read_span(&span, 1, 1).unwrap();
        assert_eq!(std::str::from_utf8(read.data()).unwrap(), "line 8\nline *\nline 10\n");
        assert_eq!(read.line(), 8);
    }

    #[test]
    fn only_the_relevant_part_of_a_long_line_is_shown() {
        let mut sources = SourceMap::default();
        let long = "ü".repeat(4_000);
        let text = format!("a\n{long}x{long}\nb\n{long}\nc\n");
        let id = sources.add("a.md".into(), text.clone());
        let file = sources.get(id);
        let at = text.find('x').unwrap();
        assert_eq!(lines(file, at..at + 1), at - LONG / 2..at + 1 + LONG / 2);
        let at = text.find("\nb").unwrap() + 1;
        assert_eq!(&text[lines(file, at..at + 1)], "b\n");
        let line = Span::new(id, 2, 2 + long.len());
        assert_eq!(shortened(line, file).range(), 2..2 + LONG / 2);
        assert_eq!(lines(file, 0..text.len()).start, 0);
    }
}
