//! Byte offsets and editor positions (from 0).

use faber_core::source::char_boundary;
use lsp_types::{Position, PositionEncodingKind, Range};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnUnit {
    Utf8,
    #[default]
    Utf16,
}

impl ColumnUnit {
    pub(crate) fn agreed(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offers_bytes = offered.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8));
        if offers_bytes { Self::Utf8 } else { Self::Utf16 }
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn len(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }
}

/// Lines end with LF, CRLF or CR.
#[derive(Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    encoding: ColumnUnit,
    starts: Vec<usize>,
    bom_length: usize,
}

impl<'a> LineIndex<'a> {
    pub(crate) fn new(text: &'a str, encoding: ColumnUnit) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
        let ends = ends.filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
        let starts = std::iter::once(0).chain(ends.map(|at| at + 1)).collect();
        Self { text, encoding, starts, bom_length: 0 }
    }

    pub(crate) fn on_disk(text: &'a str, encoding: ColumnUnit) -> Self {
        let bom_length = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { bom_length, ..Self::new(text, encoding) }
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = char_boundary(self.text, offset.max(self.bom_length));
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let start = if line == 0 { self.bom_length } else { self.starts[line] };
        let column = self.encoding.len(&self.text[start..offset.max(start)]);
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: narrow(line), character: narrow(column) }
    }

    pub(crate) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// Rounds down to a character; clamps to line and text.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let start = if line == 0 { self.bom_length } else { start };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let shown = self.text[start..end].trim_end_matches(['\n', '\r']);
        let wanted = position.character as usize;
        if self.encoding == ColumnUnit::Utf8 {
            return start + char_boundary(shown, wanted);
        }
        let mut column = 0;
        for (at, character) in shown.char_indices() {
            column += character.len_utf16();
            if column > wanted {
                return start + at;
            }
        }
        start + shown.len()
    }

    pub(crate) fn bytes(&self, range: Range) -> std::ops::Range<usize> {
        let start = self.offset(range.start);
        start..self.offset(range.end).max(start)
    }

    pub(crate) fn line(&self, line: usize) -> std::ops::Range<usize> {
        let Some(&start) = self.starts.get(line) else { return self.text.len()..self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len()
    }

    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_count_what_was_agreed_on() {
        let text = "aü😀b\r\nx\ry\n\nz";
        let wide = LineIndex::new(text, ColumnUnit::Utf16);
        let bytes = LineIndex::new(text, ColumnUnit::Utf8);
        for (offset, in_wide, in_bytes) in [
            (0, at(0, 0), at(0, 0)),
            (1, at(0, 1), at(0, 1)),
            (3, at(0, 2), at(0, 3)),
            (7, at(0, 4), at(0, 7)),
            (8, at(0, 5), at(0, 8)),
            (10, at(1, 0), at(1, 0)),
            (12, at(2, 0), at(2, 0)),
            (14, at(3, 0), at(3, 0)),
            (16, at(4, 1), at(4, 1)),
        ] {
            assert_eq!((wide.position(offset), bytes.position(offset)), (in_wide, in_bytes));
            assert_eq!((wide.offset(in_wide), bytes.offset(in_bytes)), (offset, offset));
        }
        assert_eq!(wide.offset(at(0, 3)), 3, "half of a character is none of it");
        assert_eq!((wide.position(5), bytes.offset(at(0, 5))), (at(0, 2), 3));
        assert_eq!(wide.offset(at(0, 99)), 8, "behind a line is its end");
        assert_eq!(wide.offset(at(99, 0)), text.len());
        assert_eq!(wide.position(99), at(4, 1));
    }

    #[test]
    fn a_byte_order_mark_on_disk_is_not_shown() {
        let disk = LineIndex::on_disk("\u{feff}ab\nc", ColumnUnit::Utf16);
        assert_eq!(disk.position(0), at(0, 0));
        assert_eq!(disk.position(4), at(0, 1));
        assert_eq!(disk.offset(at(0, 1)), 4);
        let open = LineIndex::new("\u{feff}ab\nc", ColumnUnit::Utf16);
        assert_eq!(open.position(4), at(0, 2));
    }
}
