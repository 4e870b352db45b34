//! Include directives: `<!-- faber: include PATH#Heading -->`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::markdown::{self, Lines};

const OPEN: &str = "<!-- faber: include ";
const CLOSE: &str = "-->";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeDirective {
    /// From 0.
    pub line: usize,
    pub target: String,
    pub bytes: std::ops::Range<usize>,
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
    markdown::lines_outside_code(text, &lines)
        .filter_map(|line| {
            let shown = lines.text(line);
            let target = shown.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?.trim();
            let start = lines.range(line).start + shown.find(target)?;
            let bytes = start..start + target.len();
            (!target.is_empty()).then(|| IncludeDirective {
                line,
                target: target.to_owned(),
                bytes,
            })
        })
        .collect()
}
