//! The parts of a bundle.

use crate::budget::level::Section;
use crate::context_id::ContextId;
use crate::line::Line;
use crate::source::{SourceMap, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleLine {
    pub text: String,
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
    Frame,
    Context(ContextId),
    Catalog,
    Conversation,
    Note,
    Message(usize),
    Input,
    Error,
    Request,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleBlock {
    pub kind: BundleBlockKind,
    pub section: Section,
    /// The last line is empty.
    pub lines: Vec<BundleLine>,
    pub tokens: usize,
}

pub fn text_of(lines: &[BundleLine]) -> String {
    let mut text = String::with_capacity(lines.iter().map(|line| line.text.len() + 1).sum());
    for line in lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

pub(crate) fn bundle_text(blocks: &[BundleBlock]) -> String {
    bundle_lines(blocks).iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
}

pub fn bundle_lines(blocks: &[BundleBlock]) -> Vec<&BundleLine> {
    let mut lines: Vec<&BundleLine> = blocks.iter().flat_map(|block| &block.lines).collect();
    while lines.pop_if(|line| line.text.is_empty()).is_some() {}
    lines
}
