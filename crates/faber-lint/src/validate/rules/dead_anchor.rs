use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::{memchr, memmem};
use pulldown_cmark::{Event, LinkType, Parser, Tag};
use rayon::prelude::*;

use crate::validate::check::LintContext;
use faber_core::diagnostic::Diagnostic;
use faber_core::line;
use faber_core::markdown;
use faber_core::markdown::percent_decoded;
use faber_core::parse::{fence, references};
use faber_core::resolve::index::{ReferenceOrigin, candidates};
use faber_core::resolve::tree::Anchors;
use faber_core::rules::dead_anchor::RULE;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::survey::{FileEntry, FileKind};

struct Link {
    span: Span,
    target: FileId,
    anchor: String,
}

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let sources = whole.sources;
    let links: Vec<Vec<Link>> =
        whole.survey.files.par_iter().map(|entry| links(whole, entry)).collect();
    let links: Vec<Link> = links.into_iter().flatten().collect();
    let targets: BTreeSet<FileId> = links.iter().map(|link| link.target).collect();
    let targets: Vec<FileId> = targets.into_iter().collect();
    let known = |file| whole.known(file, "anchors", || Arc::new(of_file(sources, file)));
    let anchors: Vec<_> = targets.par_iter().map(|&file| (file, known(file))).collect();
    let anchors: BTreeMap<FileId, Arc<(Anchors, BTreeSet<String>)>> = anchors.into_iter().collect();
    for link in links {
        if has(&anchors[&link.target], &link.anchor) {
            continue;
        }
        let place = if link.target == link.span.file {
            "this file".to_owned()
        } else {
            format!("`{}`", sources.path(link.target))
        };
        found.push(missing(&place, &link.anchor, link.span));
    }
}

pub(crate) fn has_heading(sources: &SourceMap, file: FileId, heading: &str) -> bool {
    has(&of_file(sources, file), heading)
}

pub(crate) fn finding(
    sources: &SourceMap,
    file: FileId,
    span: Span,
    anchor: &str,
) -> Option<Diagnostic> {
    let place = format!("`{}`", sources.path(file));
    (!has_heading(sources, file, anchor)).then(|| missing(&place, anchor, span))
}

fn missing(place: &str, anchor: &str, span: Span) -> Diagnostic {
    let message = format!("{place} has no heading `{anchor}`");
    RULE.at(span, message).help("name a heading by its text or its slug")
}

fn has((headings, names): &(Anchors, BTreeSet<String>), anchor: &str) -> bool {
    let has = |anchor: &str| headings.has(anchor) || names.contains(&anchor.to_lowercase());
    has(anchor) || has(&decoded(anchor))
}

fn decoded(anchor: &str) -> Cow<'_, str> {
    if !anchor.contains('%') {
        return Cow::Borrowed(anchor);
    }
    percent_decoded(anchor).map_or(Cow::Borrowed(anchor), Cow::Owned)
}

fn links(whole: &LintContext<'_>, entry: &FileEntry) -> Vec<Link> {
    let text = &whole.sources.get(entry.file).text;
    let is_markdown =
        !matches!(entry.kind, FileKind::Agent | FileKind::Config | FileKind::Conversation);
    if !is_markdown || !may_link(text) {
        return Vec::new();
    }
    let written = whole.known(entry.file, "links", || Arc::new(written(entry.file, text)));
    let link = |written: &WrittenLink| {
        let target = target(whole, entry, &written.path)?;
        Some(Link { span: written.span, target, anchor: written.anchor.clone() })
    };
    written.iter().filter_map(link).collect()
}

struct WrittenLink {
    span: Span,
    path: String,
    anchor: String,
}

fn written(file: FileId, text: &str) -> Vec<WrittenLink> {
    let body = fence::body(text);
    let mut links = Vec::new();
    let mut hidden = 0;
    let shown = markdown::separate_tags(&text[body..]);
    for (event, range) in Parser::new_ext(&shown, markdown::options()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => hidden += 1,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => hidden -= 1,
            Event::Start(Tag::Link { dest_url, link_type: LinkType::Inline, .. })
                if hidden == 0 =>
            {
                let Some((path, anchor)) = dest_url.split_once('#') else { continue };
                // Routes of web applications.
                if anchor.is_empty() || anchor.contains(['=', ':', '&', '{']) {
                    continue;
                }
                let written = &text[body..][range.clone()];
                let at = written.rfind(anchor).map_or(range.start, |at| range.start + at);
                let end = if at == range.start { range.end } else { at + anchor.len() };
                let span = Span::new(file, body + at, body + end);
                links.push(WrittenLink { span, path: path.to_owned(), anchor: anchor.to_owned() });
            }
            _ => {}
        }
    }
    links
}

fn may_link(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut looked = 0;
    let has_mark = |at: usize| {
        let blank = bytes[at..].iter().take_while(|byte| b" \t\n\r\x0b\x0c>".contains(byte));
        let start = looked.max(at + blank.count());
        let rest = &bytes[start..];
        let end = memchr(b'\n', rest).unwrap_or(rest.len());
        looked = start + end;
        memchr(b'#', &rest[..end]).is_some()
    };
    memmem::find_iter(bytes, b"](").map(|at| at + 2).any(has_mark)
        || memmem::find(bytes, b"&num;").is_some()
}

fn target(whole: &LintContext<'_>, entry: &FileEntry, path: &str) -> Option<FileId> {
    if path.is_empty() {
        return Some(entry.file);
    }
    let own = whole.sources.original_path(entry.file);
    let relative = format!("./{path}");
    let is_plain = !path.contains(':') && !path.starts_with(['/', '.', '@']);
    let (reference, _) = references::parse(if is_plain { &relative } else { path });
    let from = ReferenceOrigin { path: own, role_root: whole.survey.role_root(own) };
    let paths = candidates(&reference, from, from.role_root, &[])?;
    let file = paths.iter().find_map(|path| whole.sources.find(path))?;
    (whole.sources.path(file).extension() == Some("md")).then_some(file)
}

fn of_file(sources: &SourceMap, file: FileId) -> (Anchors, BTreeSet<String>) {
    let text = &sources.get(file).text;
    let body = fence::body(text);
    let anchors = Anchors::new(sources, &line::lines_of(sources, file, body..text.len()));
    let mut names = BTreeSet::new();
    for mark in ["id=", "name="] {
        for (at, _) in text[body..].match_indices(mark) {
            let rest = text[body + at + mark.len()..].trim_start_matches(['"', '\'']);
            let end = rest.find(['"', '\'', '}', '>', ' ', '\n']).unwrap_or(rest.len());
            names.insert(rest[..end].to_lowercase());
        }
    }
    for braces in text[body..].split('{').skip(1) {
        let inner = braces.split_once('}').map(|(inner, _)| inner);
        let id = inner.filter(|inner| !inner.contains('\n')).and_then(markdown::attribute_id);
        names.extend(id.map(str::to_lowercase));
    }
    (anchors, names)
}

#[cfg(test)]
mod tests {
    use super::{decoded, may_link};

    #[test]
    fn texts_that_may_have_an_anchor_are_read() {
        for text in
            ["[a](b#c)", "[a](\n  b#c)", "> [a](\r\n> <b #c>)", "[a](b)\n[c](#d)", "[a](b&num;c)"]
        {
            assert!(may_link(text), "{text:?}");
        }
        for text in ["# A\n[a](b)\n# C\n", "[a]: b#c\n", "[a](b", "a # b [a](b)\n\n#"] {
            assert!(!may_link(text), "{text:?}");
        }
        assert!(!may_link(&"](".repeat(1 << 21)));
    }

    #[test]
    fn only_percent_encoding_is_decoded() {
        assert_eq!(decoded("%C3%A9t%c3%a9%20x"), "été x");
        for same in ["a", "100%", "%4", "%zz", "%+1", "%é", "%ff"] {
            assert_eq!(decoded(same), same);
        }
    }
}
