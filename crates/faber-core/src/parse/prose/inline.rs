//! Inline content as plain text with origins.

use std::ops::Range;

/// A link is its destination, a line break `\n`.
#[derive(Default)]
pub struct Inline {
    text: String,
    segments: Vec<Segment>,
}

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) text: Range<usize>,
    /// Has another length if there are entities or escapes.
    source: Range<usize>,
    pub(crate) kind: SegmentKind,
    strong: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    Plain,
    Code,
    Link,
}

impl Inline {
    pub(super) fn push(
        &mut self,
        words: &str,
        source: Range<usize>,
        kind: SegmentKind,
        strong: bool,
    ) {
        if words.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(words);
        self.segments.push(Segment { text: start..self.text.len(), source, kind, strong });
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn all(&self) -> Range<usize> {
        0..self.text.len()
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn is_bold(&self, range: &Range<usize>) -> bool {
        let from = self.segments.partition_point(|segment| segment.text.end <= range.start);
        let here = self.segments[from..].iter().take_while(|it| it.text.start < range.end);
        here.filter(|it| self.text[it.text.clone()].contains(char::is_alphanumeric))
            .all(|segment| segment.strong)
    }

    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let after = if is_end {
                self.segments.partition_point(|segment| segment.text.end < at)
            } else {
                self.segments.partition_point(|segment| segment.text.end <= at)
            };
            let Some(segment) = self.segments.get(after) else {
                return self.segments.last().map_or(0, |segment| segment.source.end);
            };
            if segment.text.len() == segment.source.len() {
                segment.source.start + (at.saturating_sub(segment.text.start))
            } else if is_end {
                segment.source.end
            } else {
                segment.source.start
            }
        };
        let start = place(range.start, false);
        start..place(range.end, true).max(start)
    }
}
