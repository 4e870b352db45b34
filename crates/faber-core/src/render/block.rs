//! Blocks: the parts of a bundle before they are one text.

use crate::budget::level::Section;
use crate::document::ContextId;
use crate::line::Line;
use crate::source::{SourceMap, Span};

/// One line of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleLine {
    /// What it shows, without line break.
    pub text: String,
    /// The bytes of a file that it shows or stands for; none for what faber says itself.
    pub origin: Option<Span>,
}

impl BundleLine {
    /// A line of faber's own.
    pub fn own(text: impl Into<String>) -> Self {
        Self { text: text.into(), origin: None }
    }

    /// A line of a file.
    pub fn of(line: &Line, sources: &SourceMap) -> Self {
        Self { text: line.text(sources).to_owned(), origin: Some(line.origin) }
    }
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// The role's prompt.
    Prompt,
    /// A task or flow.
    Instruction,
    /// The heading above a group of contexts, or the tag around all of them.
    Frame,
    /// One context.
    Context(ContextId),
    /// The catalog.
    Catalog,
    /// The heading above past messages.
    Conversation,
    /// What is said of past messages that are not there.
    Note,
    /// A past turn, by its place among those that are there.
    Message(usize),
    /// Material to work on.
    Input,
    /// The error text.
    Error,
    /// The request.
    Request,
}

/// A part of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// The section whose budget it takes.
    pub section: Section,
    /// Its lines; the last is empty, so that blocks are set off.
    pub lines: Vec<BundleLine>,
    /// Its tokens.
    pub tokens: usize,
}

/// The text of some lines, each ended by a line feed.
pub fn text_of(lines: &[BundleLine]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
    for line in lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

/// The text of a whole bundle, as it is printed.
pub fn bundle_text(blocks: &[Block]) -> String {
    bundle_lines(blocks).iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

/// The lines of a whole bundle: those of its blocks, ending with exactly one line break.
pub fn bundle_lines(blocks: &[Block]) -> Vec<&BundleLine> {
    let mut lines: Vec<&BundleLine> = blocks.iter().flat_map(|block| &block.lines).collect();
    while lines.last().is_some_and(|line| line.text.is_empty()) {
        lines.pop();
    }
    lines
}
