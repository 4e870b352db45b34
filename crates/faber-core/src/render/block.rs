//! Blocks: the parts of a bundle before they are one text.

use crate::budget::level::Section;
use crate::document::ContextId;
use crate::line::Line;
use crate::source::{SourceMap, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleLine {
    /// Without line break.
    pub text: String,
    /// The bytes of the file that it shows; `None` for faber's own lines.
    pub origin: Option<Span>,
}

impl BundleLine {
    pub fn own(text: impl Into<String>) -> Self {
        Self { text: text.into(), origin: None }
    }

    pub fn of(line: &Line, sources: &SourceMap) -> Self {
        Self { text: line.text(sources).to_owned(), origin: Some(line.origin) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleBlockKind {
    Prompt,
    Instruction,
    /// The heading above a group of contexts, or the tag around all of them.
    Frame,
    Context(ContextId),
    Catalog,
    /// The heading above the conversation.
    Conversation,
    /// The line about omitted messages.
    Note,
    /// A message of the conversation, by its index among the included ones.
    Message(usize),
    Input,
    Error,
    Request,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleBlock {
    pub kind: BundleBlockKind,
    pub section: Section,
    /// The last is empty, so that blocks are separated.
    pub lines: Vec<BundleLine>,
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

/// The text of a bundle, as printed.
pub(crate) fn bundle_text(blocks: &[BundleBlock]) -> String {
    bundle_lines(blocks).iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

/// The lines of a bundle, ending with exactly one line break.
pub fn bundle_lines(blocks: &[BundleBlock]) -> Vec<&BundleLine> {
    let mut lines: Vec<&BundleLine> = blocks.iter().flat_map(|block| &block.lines).collect();
    while lines.last().is_some_and(|line| line.text.is_empty()) {
        lines.pop();
    }
    lines
}
