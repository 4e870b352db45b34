//! Include directives: `<!-- faber: include PATH#Heading -->`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::markdown::{self, BlockKind, Lines};

pub(super) const OPEN: &str = "<!-- faber: include ";
const CLOSE: &str = "-->";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeDirective {
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
    let (blocks, code) = markdown::blocks_and_code(text, &lines);
    let directive = |line: usize| {
        let shown = lines.text(line);
        let target = target(shown)?;
        let indent = match markdown::block_of(&blocks, line).map(|block| &block.kind) {
            Some(BlockKind::List { .. }) => &shown[..shown.len() - shown.trim_start().len()],
            _ => "",
        };
        let start = lines.range(line).start + shown.find(target)?;
        Some(IncludeDirective {
            line,
            target: target.to_owned(),
            bytes: start..start + target.len(),
            indent: indent.to_owned(),
        })
    };
    let outside_code = (0..lines.len()).filter(|&line| !markdown::has_line(&code, line));
    outside_code.filter_map(directive).collect()
}

pub(super) fn target(line: &str) -> Option<&str> {
    let target = line.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?.trim();
    Some(target).filter(|target| !target.is_empty())
}
