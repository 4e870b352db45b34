//! `globs` and its aliases.

use crate::source::{SourceMap, Span, Spanned};
use crate::yaml::{Entry, Node};

use super::reader::FieldReader;

pub(super) fn read(entry: &Entry, reader: &mut FieldReader<'_>) -> Vec<Spanned<String>> {
    let nodes = entry.value.items().unwrap_or(std::slice::from_ref(&entry.value));
    let mut globs = Vec::new();
    for node in nodes.iter().filter(|node| !node.is_null()) {
        let Some(text) = node.as_str() else {
            reader.wrong_type(entry, node, "patterns: text, or a list of text");
            continue;
        };
        globs.extend(located(node, text, reader.sources));
    }
    globs
}

pub(super) fn located(node: &Node, text: &str, sources: &SourceMap) -> Vec<Spanned<String>> {
    let start = text_start(node, text, sources.text(node.span));
    let located = split(text).map(|(at, part)| {
        let span = start.map_or(node.span, |start| {
            Span::new(node.span.file, start + at, start + at + part.len())
        });
        Spanned { value: part.to_owned(), span }
    });
    located.collect()
}

fn text_start(node: &Node, text: &str, written: &str) -> Option<usize> {
    let start = node.span.range().start;
    let quoted = |quote| written.strip_prefix(quote)?.strip_suffix(quote);
    if written == text {
        Some(start)
    } else if quoted('\'') == Some(text) || quoted('"') == Some(text) {
        Some(start + 1)
    } else {
        None
    }
}

pub fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut depth, mut escaped) = (0_usize, false);
    let mut start = 0;
    let mut parts = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push((start, &text[start..]));
    parts.into_iter().filter_map(|(at, part)| {
        let trimmed = part.trim();
        let blanks = part.len() - part.trim_start().len();
        (!trimmed.is_empty()).then_some((at + blanks, trimmed))
    })
}
