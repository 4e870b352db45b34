//! Markdown blocks as a tree, with plain text and byte origins.

mod inline;
mod tokens;
mod walk;

use std::ops::Range;

pub(crate) use inline::Inline;
pub(crate) use tokens::tokens;
pub use tokens::{Token, TokenKind};

use crate::line::{self, Line};
use crate::markdown::Lines;
use crate::source::{SourceMap, Span, Spanned};

pub struct Prose<'a> {
    pub(crate) blocks: Vec<ProseBlock>,
    lines: &'a [Line],
    starts: Vec<usize>,
}

pub(crate) struct ProseBlock {
    pub(crate) node: ProseNode,
    pub(crate) lines: Range<usize>,
}

pub(crate) enum ProseNode {
    Heading(u8, Inline),
    Paragraph(Inline),
    List(Vec<ListItem>),
    Table(Table),
    Quote(Vec<ProseBlock>),
    Opaque,
}

pub(crate) struct ListItem {
    pub(crate) inline: Inline,
    pub(crate) own: Range<usize>,
    pub(crate) children: Vec<ProseBlock>,
}

pub(crate) struct Table {
    pub(crate) header: Vec<Inline>,
    pub(crate) rows: Vec<Vec<Inline>>,
}

impl<'a> Prose<'a> {
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

    pub fn inlines(&self) -> Vec<&Inline> {
        let mut all = Vec::new();
        gather(&self.blocks, &mut all);
        all
    }

    pub(crate) fn lines_of(&self, inline: &Inline, range: &Range<usize>) -> Range<usize> {
        let Range { start, end } = inline.source(range);
        self.line_at(start)..self.line_at(end.saturating_sub(1).max(start)) + 1
    }

    fn line_at(&self, offset: usize) -> usize {
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        line.min(self.lines.len().saturating_sub(1))
    }

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

    pub fn spanned(&self, inline: &Inline, range: &Range<usize>) -> Spanned<String> {
        let value = crate::markdown::collapse(&inline.text()[range.clone()]);
        Spanned { value, span: self.span(inline, range) }
    }
}

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

fn gather<'b>(blocks: &'b [ProseBlock], all: &mut Vec<&'b Inline>) {
    for block in blocks {
        match &block.node {
            ProseNode::Heading(_, inline) | ProseNode::Paragraph(inline) => all.push(inline),
            ProseNode::List(items) => {
                for item in items {
                    all.push(&item.inline);
                    gather(&item.children, all);
                }
            }
            ProseNode::Table(table) => {
                all.extend(table.header.iter().chain(table.rows.iter().flatten()));
            }
            ProseNode::Quote(blocks) => gather(blocks, all),
            ProseNode::Opaque => {}
        }
    }
}
