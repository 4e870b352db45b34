use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::diagnostic::Edit;
use faber_core::line::{Line, lines_of};
use faber_core::markdown::percent_decoded;
use faber_core::parse::prose::{Prose, TokenKind};
use faber_core::paths::normalize;
use faber_core::source::{SourceMap, Span};

/// `place` maps decoded paths without fragment.
pub fn changes(
    sources: &SourceMap,
    lines: &[Line],
    place: &mut dyn FnMut(Span, &str) -> Option<String>,
) -> Vec<Edit> {
    let prose = Prose::read(sources, lines);
    let mut changes = Vec::new();
    for inline in prose.inlines() {
        for token in inline.tokens() {
            if token.kind != TokenKind::Link || !is_local(token.text) {
                continue;
            }
            let found = prose.spanned(inline, &token.range);
            let (path, heading) = token.text.split_once('#').unwrap_or((token.text, ""));
            if sources.text(found.span) != token.text || path.is_empty() {
                continue;
            }
            let path = percent_decoded(path).unwrap_or_else(|| path.to_owned());
            let Some(to) = place(found.span, &path).filter(|to| *to != path) else { continue };
            let to = percent_encoded(&to);
            let text = if heading.is_empty() { to } else { format!("{to}#{heading}") };
            if text != token.text {
                changes.push(Edit { span: found.span, replacement: text });
            }
        }
    }
    changes.sort_by_key(|change| change.span);
    changes.dedup();
    changes
}

pub(crate) fn without_targets(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add(Utf8PathBuf::new(), text.to_owned());
    let lines = lines_of(&sources, file, 0..text.len());
    let changes = changes(&sources, &lines, &mut |_, _| Some(String::new()));
    changed(text, 0..text.len(), &changes)
}

fn is_local(destination: &str) -> bool {
    let path = destination.strip_prefix("mdc:").unwrap_or(destination);
    let scheme = path.split(['/', '#', '.']).next().is_some_and(|first| first.contains(':'));
    !path.starts_with(['#', '@', '~']) && !path.starts_with("//") && !scheme
}

pub(crate) fn percent_encoded(path: &str) -> String {
    let is_special = |c: char| c.is_whitespace() || c.is_control() || "()<>\\%#?".contains(c);
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if is_special(c) {
            out.extend(c.to_string().bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            out.push(c);
        }
    }
    out
}

pub fn target(folder: &Utf8Path, destination: &str) -> Option<Utf8PathBuf> {
    match destination.strip_prefix("mdc:") {
        Some(path) => normalize(Utf8Path::new(""), path),
        None => normalize(folder, destination),
    }
}

/// Assumes that its files moved together. `moved` is by old path.
pub fn moved_folder<'m, T>(
    moved: &'m BTreeMap<Utf8PathBuf, T>,
    place: impl Fn(&'m T) -> &'m Utf8Path,
    folder: &Utf8Path,
) -> Option<&'m Utf8Path> {
    let below = (Bound::Included(folder), Bound::Unbounded);
    let (from, to) = moved.range::<Utf8Path, _>(below).next()?;
    let (rest, to) = (from.strip_prefix(folder).ok()?, place(to));
    to.ancestors().nth(rest.components().count()).filter(|_| to.ends_with(rest))
}

pub fn relative(folder: &Utf8Path, path: &Utf8Path) -> String {
    let mut from = folder.components().peekable();
    let mut to = path.components().peekable();
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.count();
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    let rest: Vec<&str> = to.map(|part| part.as_str()).collect();
    start + &rest.join("/")
}

pub fn changed(text: &str, range: Range<usize>, changes: &[Edit]) -> String {
    let mut out = String::new();
    let mut at = range.start;
    for change in changes {
        let span = change.span.range();
        if span.start >= at && span.end <= range.end {
            out.push_str(&text[at..span.start]);
            out.push_str(&change.replacement);
            at = span.end;
        }
    }
    out.push_str(&text[at..range.end]);
    out
}

pub fn join(sources: &SourceMap, lines: &[Line], changes: &[Edit]) -> String {
    let mut out = String::new();
    for line in lines {
        let origin = line.origin;
        let from = changes.partition_point(|change| change.span < origin);
        let is_here = |it: &Edit| it.span.file == origin.file && it.span.end <= origin.end;
        let shows = line.shown.is_none();
        let count = changes[from..].iter().take_while(|it| shows && is_here(it)).count();
        let here = &changes[from..from + count];
        if here.is_empty() {
            out.push_str(line.text(sources));
        } else {
            out.push_str(&changed(&sources.get(origin.file).text, origin.range(), here));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_from_the_folder_of_the_file() {
        for (folder, path, expected) in [
            ("a/b", "a/b/c.md", "./c.md"),
            ("a/b", "a/c.md", "../c.md"),
            ("a/b", "d/e.md", "../../d/e.md"),
            ("", "d.md", "./d.md"),
        ] {
            assert_eq!(relative(folder.into(), path.into()), expected);
            assert_eq!(target(folder.into(), expected), Some(path.into()));
        }
        assert_eq!(target("a".into(), "../../b.md"), None);
        assert_eq!(target("a/b".into(), "mdc:src/x.rs"), Some("src/x.rs".into()));
    }

    #[test]
    fn links_are_changed_and_nothing_else() {
        let text = "# [a](x.md)\n\n- [b](x.md#part) `x.md` x.md\n- ![c](x.md) <https://e.org>\n\n\
            | h |\n|---|\n| [d](mdc:x.md) |\n\n```\n[e](x.md)\n```\n[f](#x) [g](https://x.md) [h](y.md)\n\
            [i](a%20x.md#p) [j](<b x.md>)\n";
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let lines = lines_of(&sources, file, 0..text.len());
        let place = |_: Span, path: &str| match path {
            "a x.md" | "b x.md" => Some("../ä (n).md".to_owned()),
            _ => path.ends_with("x.md").then(|| "./n.md".to_owned()),
        };
        let changes = changes(&sources, &lines, &mut { place });
        let expected = "# [a](./n.md)\n\n- [b](./n.md#part) `x.md` x.md\n- ![c](x.md) <https://e.org>\n\n\
            | h |\n|---|\n| [d](./n.md) |\n\n```\n[e](x.md)\n```\n[f](#x) [g](https://x.md) [h](y.md)\n\
            [i](../ä%20%28n%29.md#p) [j](<../ä%20%28n%29.md>)\n";
        assert_eq!(join(&sources, &lines, &changes), expected);
        assert_eq!(changed(text, 0..text.len(), &changes), expected);
    }
}
