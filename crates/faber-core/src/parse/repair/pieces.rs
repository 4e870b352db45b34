//! Parses pieces of the text under repair.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scan::{self, ScannedLine};
use super::{FIRST_USED, Repair};
use crate::rules::duplicate_key;
use crate::source::Span;
use crate::yaml::{self, Entry, Node, Value, YamlError};

impl Repair {
    pub(super) fn next_content(&self, mut lines: Range<usize>) -> Option<usize> {
        lines.find(|&at| self.lines[at].has_content)
    }

    pub(super) fn content(&self, line: usize) -> &str {
        let line = self.lines[line];
        &self.text[line.content..line.end]
    }

    pub(super) fn parse(&self, lines: Range<usize>) -> Result<Node, YamlError> {
        let (start, end) = (self.lines[lines.start].start, self.lines[lines.end - 1].next);
        self.parse_at(&self.text[start..end], start)
    }

    pub(super) fn parse_at(&self, piece: &str, start: usize) -> Result<Node, YamlError> {
        let shift = |span: Span| {
            let range = span.range();
            Span::new(self.file, range.start + start, range.end + start)
        };
        // The parser skips it at the start of a text.
        if piece.starts_with('\u{feff}') {
            let mark = self.span(start..start + '\u{feff}'.len_utf8());
            return Err(YamlError::syntax("byte-order mark inside the text", mark));
        }
        match yaml::parse_text(piece, self.file) {
            Ok(mut node) => {
                node.map_spans(&shift);
                Ok(node)
            }
            Err(error) => Err(YamlError { span: shift(error.span), ..error }),
        }
    }

    pub(super) fn blank(&mut self, line: usize, at: usize, length: usize) {
        self.text.replace_range(at..at + length, &" ".repeat(length));
        let ScannedLine { start, next, .. } = self.lines[line];
        self.lines[line] = ScannedLine::measure(&self.text, start, next);
    }

    pub(super) fn blank_anchors(&mut self, line: usize, at: usize) -> bool {
        let length = scan::anchors_length(&self.text[at..self.lines[line].end]);
        if length > 0 {
            let name = self.text[at..at + length].trim_end().len();
            let span = self.span(at..at + name);
            self.found.push(super::finding(&YamlError::anchor(span)));
            self.blank(line, at, length);
        }
        length > 0
    }

    pub(super) fn add(&mut self, pairs: &mut Pairs, entries: Vec<Entry>) {
        for entry in entries {
            let Some(&first) = pairs.places.get(&entry.key) else {
                pairs.places.insert(entry.key.clone(), entry.key_span);
                pairs.entries.push(entry);
                continue;
            };
            self.unread += 1;
            let message = format!("duplicate key `{}`{FIRST_USED}", entry.key);
            self.found.push(
                duplicate_key::RULE
                    .at(entry.key_span, message)
                    .related(first, "first defined here")
                    .help("keep one of them"),
            );
        }
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }
}

#[derive(Default)]
pub(super) struct Pairs {
    pub(super) entries: Vec<Entry>,
    places: BTreeMap<String, Span>,
}

pub(super) fn depth(node: &Node) -> usize {
    match &node.value {
        Value::Scalar(_) => 0,
        Value::Seq(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Map(entries) => {
            1 + entries.iter().map(|entry| depth(&entry.value)).max().unwrap_or(0)
        }
    }
}
