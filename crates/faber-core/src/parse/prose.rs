//! Resolved lines as a tree of Markdown blocks, each with the plain text of its inline content.
//!
//! The outline in [`markdown`](crate::markdown) stops at top-level blocks and whole lines. Directives stand inside:
//! in items of nested lists and cells of tables, and what they name must be traced to its bytes.

mod inline;
pub mod tokens;
mod walk;

use std::ops::Range;

pub(crate) use inline::Inline;
pub use tokens::{Token, TokenKind, tokens};

use crate::line::{self, Line};
use crate::markdown::Lines;
use crate::source::{SourceMap, Span, Spanned};

/// Lines, read as Markdown.
pub struct Prose<'a> {
    /// The top-level blocks.
    pub(crate) blocks: Vec<Block>,
    lines: &'a [Line],
    /// The byte in the joined text at which each line begins, and one for the end.
    starts: Vec<usize>,
}

/// One block.
pub(crate) struct Block {
    /// What it is.
    pub(crate) node: Node,
    /// Its lines, from 0.
    pub(crate) lines: Range<usize>,
}

/// What a [`Block`] is.
pub(crate) enum Node {
    /// A heading of level 1 to 6.
    Heading(u8, Inline),
    /// A paragraph.
    Paragraph(Inline),
    /// A list of any kind.
    List(Vec<Item>),
    /// A table.
    Table(Table),
    /// A block quote.
    Quote(Vec<Block>),
    /// Code, HTML, and whatever is nested too deeply to be meant.
    Opaque,
}

/// One item of a list.
pub(crate) struct Item {
    /// Its first paragraph; empty when it begins with another block.
    pub(crate) inline: Inline,
    /// The lines of the first paragraph, from 0.
    pub(crate) own: Range<usize>,
    /// What follows the first paragraph.
    pub(crate) children: Vec<Block>,
}

/// A table.
pub(crate) struct Table {
    /// The cells of the header.
    pub(crate) header: Vec<Inline>,
    /// The cells of each row below it.
    pub(crate) rows: Vec<Vec<Inline>>,
}

impl<'a> Prose<'a> {
    /// Reads `lines`.
    pub fn read(sources: &SourceMap, lines: &'a [Line]) -> Self {
        let text = line::join(sources, lines);
        let mut starts = vec![0];
        let mut at = 0;
        for line in lines {
            at += line.text(sources).len() + 1;
            starts.push(at);
        }
        let text = without_tags(text);
        let blocks = walk::blocks(&text, &Lines::new(&text));
        Self { blocks, lines, starts }
    }

    /// All inline content, in the order of the text.
    pub fn inlines(&self) -> Vec<&Inline> {
        let mut all = Vec::new();
        gather(&self.blocks, &mut all);
        all
    }

    /// The line, from 0, on which the words of `inline` in `range` begin.
    pub(crate) fn line_of(&self, inline: &Inline, range: &Range<usize>) -> usize {
        self.line_at(inline.source(range).start)
    }

    /// The line, from 0, on which they end.
    pub(crate) fn last_line_of(&self, inline: &Inline, range: &Range<usize>) -> usize {
        let bytes = inline.source(range);
        self.line_at(bytes.end.saturating_sub(1).max(bytes.start))
    }

    /// The line, from 0, that holds the byte at `offset` of the joined text.
    fn line_at(&self, offset: usize) -> usize {
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        line.min(self.lines.len().saturating_sub(1))
    }

    /// Where the words of `inline` in `range` come from. Words that go over several lines are
    /// traced to their first one, and words in a line that faber set in to what it is there for.
    fn span(&self, inline: &Inline, range: &Range<usize>) -> Span {
        let bytes = inline.source(range);
        let number = self.line_at(bytes.start);
        let line = &self.lines[number];
        if line.shown.is_some() {
            return line.origin;
        }
        let origin = line.origin.range();
        let place =
            |at: usize| (origin.start + at.saturating_sub(self.starts[number])).min(origin.end);
        Span::new(line.origin.file, place(bytes.start), place(bytes.end))
    }

    /// The words of `inline` in `range`, with single spaces, and their place.
    pub fn spanned(&self, inline: &Inline, range: &Range<usize>) -> Spanned<String> {
        let value = crate::markdown::collapse(&inline.text()[range.clone()]);
        Spanned { value, span: self.span(inline, range) }
    }
}

/// `text` with spaces for the lines that are a tag and nothing else, such as `<rules>`: what stands
/// between them is Markdown to the people who write prompts. What a tag calls an example, and what HTML
/// takes verbatim, stays as it is.
fn without_tags(mut text: String) -> String {
    let mut tags = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if is_tag(line.trim()) {
            tags.push(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    for tag in tags {
        text.replace_range(tag.clone(), &" ".repeat(tag.len()));
    }
    text
}

fn is_tag(line: &str) -> bool {
    let Some(inner) = line.strip_prefix('<').and_then(|line| line.strip_suffix('>')) else {
        return false;
    };
    let name = inner.strip_prefix('/').unwrap_or(inner);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let (name, rest) = name.split_at(name.find(|c| !is_part(c)).unwrap_or(name.len()));
    let verbatim = ["example", "pre", "sample", "script", "style", "textarea"];
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && rest.is_empty() | rest.starts_with([' ', '/'])
        && !rest.contains(['<', '>'])
        && !verbatim.iter().any(|it| name.to_ascii_lowercase().starts_with(it))
}

/// Adds the inline content of `blocks` to `all`; blocks are nested a few levels at most.
fn gather<'b>(blocks: &'b [Block], all: &mut Vec<&'b Inline>) {
    for block in blocks {
        match &block.node {
            Node::Heading(_, inline) | Node::Paragraph(inline) => all.push(inline),
            Node::List(items) => {
                for item in items {
                    all.push(&item.inline);
                    gather(&item.children, all);
                }
            }
            Node::Table(table) => {
                all.extend(table.header.iter().chain(table.rows.iter().flatten()));
            }
            Node::Quote(blocks) => gather(blocks, all),
            Node::Opaque => {}
        }
    }
}
