//! Include directives: `<!-- faber: include PATH#Heading -->`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::markdown::{self, BlockKind, Lines};

const OPEN: &str = "<!-- faber: include ";
const CLOSE: &str = "-->";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeDirective {
    /// From 0.
    pub line: usize,
    pub target: String,
    pub bytes: std::ops::Range<usize>,
    pub indent: String,
}

pub fn may_have_directives(text: &str) -> bool {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(OPEN));
    FINDER.find(text.as_bytes()).is_some()
}

pub fn directives(text: &str) -> Vec<IncludeDirective> {
    if !may_have_directives(text) {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let blocks = markdown::blocks(text);
    let directive = |line: usize| {
        let shown = lines.text(line);
        let target = shown.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?.trim();
        let indent = match markdown::block_of(&blocks, line).map(|block| &block.kind) {
            Some(BlockKind::Fence | BlockKind::IndentedCode) => return None,
            Some(BlockKind::List { .. }) => &shown[..shown.len() - shown.trim_start().len()],
            _ => "",
        };
        let start = lines.range(line).start + shown.find(target)?;
        (!target.is_empty()).then(|| IncludeDirective {
            line,
            target: target.to_owned(),
            bytes: start..start + target.len(),
            indent: indent.to_owned(),
        })
    };
    (0..lines.len()).filter_map(directive).collect()
}
