//! Files that a text inserts.

use std::collections::BTreeMap;
use std::ops::Range;

use faber_core::line::Line;
use faber_core::markdown::Lines;
use faber_core::parse::prose::{Prose, TokenKind};
use faber_core::source::{FileId, SourceMap, Span};

pub(crate) const MAX_DEPTH: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// `@path` from the folder of the file, also in inserted files.
    Claude,
    /// `@path`, also from the root.
    Cursor,
    /// `#[[file:path]]` from the root.
    Kiro,
}

impl Insertion {
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Claude | Self::Cursor => "@",
            Self::Kiro => "#[[file:",
        }
    }

    fn path(self, word: &str) -> Option<&str> {
        let path = word.strip_prefix(self.mark())?;
        if self == Self::Kiro { path.strip_suffix("]]") } else { Some(path) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileMention {
    pub(crate) span: Span,
    pub(crate) path: String,
    pub(crate) alone: Option<Range<usize>>,
}

pub(crate) fn mentions(
    sources: &SourceMap,
    lines: &[Line],
    insertion: Insertion,
) -> Vec<FileMention> {
    let prose = Prose::read(sources, lines);
    let mut found = Vec::new();
    let mut known: BTreeMap<FileId, Lines<'_>> = BTreeMap::new();
    for inline in prose.inlines() {
        for token in inline.tokens() {
            let path = insertion.path(token.text).filter(|path| !path.is_empty());
            let Some(path) = path else { continue };
            let place = prose.spanned(inline, &token.range);
            if token.kind != TokenKind::Word || sources.text(place.span) != token.text {
                continue;
            }
            let (span, path) = (place.span, path.to_owned());
            let of_file =
                known.entry(span.file).or_insert_with(|| Lines::new(&sources.get(span.file).text));
            let alone = alone(of_file, span, token.text);
            found.push(FileMention { span, path, alone });
        }
    }
    found.sort_by_key(|mention| mention.span);
    found
}

fn alone(lines: &Lines<'_>, span: Span, mention: &str) -> Option<Range<usize>> {
    let line = lines.at(span.range().start);
    let shown = lines.text(line).trim();
    let shown =
        ["- ", "* ", "+ "].iter().find_map(|mark| shown.strip_prefix(mark)).unwrap_or(shown);
    (shown.trim() == mention).then(|| lines.range(line))
}

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
        let lines = lines_of(&sources, file, 0..text.len());
        let found = mentions(&sources, &lines, Insertion::Claude);
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
