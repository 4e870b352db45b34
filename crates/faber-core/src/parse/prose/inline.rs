//! Inline content as plain text that remembers where it comes from.

use std::ops::Range;

/// The text of a paragraph, heading, item or cell without mark-up. A link shows its destination in
/// place of its text, a line break is a line feed.
#[derive(Default)]
pub struct Inline {
    text: String,
    segments: Vec<Segment>,
}

/// A stretch of an [`Inline`] that comes from one place.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Its bytes in the plain text.
    pub(crate) text: Range<usize>,
    /// Its bytes in the Markdown; of another length only where an entity or escape stands.
    source: Range<usize>,
    /// What it is.
    pub(crate) kind: SegmentKind,
    /// Whether it is in bold.
    strong: bool,
}

/// What a [`Segment`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    /// Plain text, emphasized or not.
    Plain,
    /// A code span.
    Code,
    /// The destination of a link.
    Link,
}

impl Inline {
    /// Adds `words`, which come from `source`; `strong` tells that they are in bold.
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

    /// The plain text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The whole plain text as a range.
    pub fn all(&self) -> Range<usize> {
        0..self.text.len()
    }

    /// The stretches that it consists of, in order.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether all words in `range` stand in bold.
    pub(crate) fn is_bold(&self, range: &Range<usize>) -> bool {
        let from = self.segments.partition_point(|segment| segment.text.end <= range.start);
        let here = self.segments[from..].iter().take_while(|it| it.text.start < range.end);
        here.filter(|it| self.text[it.text.clone()].contains(char::is_alphanumeric))
            .all(|segment| segment.strong)
    }

    /// The bytes of the Markdown that show `range` of the plain text.
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
