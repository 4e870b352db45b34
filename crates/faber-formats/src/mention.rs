//! `@path` imports of Claude Code.

use std::ops::Range;

use faber_core::line::Line;
use faber_core::markdown::Lines;
use faber_core::parse::prose::{Prose, TokenKind, tokens};
use faber_core::source::{SourceMap, Span};

/// The limit of Claude Code.
pub(crate) const MAX_DEPTH: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileMention {
    /// Includes the `@`.
    pub(crate) span: Span,
    pub(crate) path: String,
    /// The line, if it has nothing else.
    pub(crate) alone: Option<Range<usize>>,
}

/// Outside of code, in order.
pub(crate) fn mentions(sources: &SourceMap, lines: &[Line]) -> Vec<FileMention> {
    let prose = Prose::read(sources, lines);
    let mut found = Vec::new();
    for inline in prose.inlines() {
        for token in tokens(inline, &inline.all()) {
            let Some(path) = token.text.strip_prefix('@').filter(|path| !path.is_empty()) else {
                continue;
            };
            let place = prose.spanned(inline, &token.range);
            if token.kind != TokenKind::Word || sources.text(place.span) != token.text {
                continue;
            }
            let (span, path) = (place.span, path.to_owned());
            found.push(FileMention { alone: alone(sources, span), span, path });
        }
    }
    found.sort_by_key(|mention| mention.span);
    found
}

/// Allows a list marker.
fn alone(sources: &SourceMap, span: Span) -> Option<Range<usize>> {
    let text = &sources.get(span.file).text;
    let lines = Lines::new(text);
    let line = lines.at(span.range().start);
    let shown = lines.text(line).trim();
    let shown =
        ["- ", "* ", "+ "].iter().find_map(|mark| shown.strip_prefix(mark)).unwrap_or(shown);
    (shown.trim() == sources.text(span)).then(|| lines.range(line))
}

/// Not a person or package.
pub(crate) fn is_path(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    path.starts_with(['.', '~', '/']) || last.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_core::line::lines_of;

    #[test]
    fn mentions_are_in_text_and_not_in_code() {
        let text = "See @README.md and @docs/a.md.\n\n- @b.md\n\n@c.md\n\n`@no.md`\n\n```\n@no.md\n```\n\
            Mail a@b.org, or @person.\n";
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let found = mentions(&sources, &lines_of(&sources, file, 0..text.len()));
        let seen: Vec<_> = found.iter().map(|it| (&*it.path, it.alone.is_some())).collect();
        let expected = [
            ("README.md", false),
            ("docs/a.md", false),
            ("b.md", true),
            ("c.md", true),
            ("person", false),
        ];
        assert_eq!(seen, expected);
        assert!(
            is_path("README.md") && is_path("./x") && !is_path("person") && !is_path("org/pkg")
        );
    }
}
