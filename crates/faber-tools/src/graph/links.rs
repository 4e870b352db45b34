use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use crate::graph::GraphInput;
use faber_core::context_id::ContextId;
use faber_core::line::{self, Line};
use faber_core::parse::{fence, include, references};
use faber_core::resolve::include::access_of;
use faber_core::resolve::index::{Resolution, candidates};
use faber_core::source::{FileId, Span};

#[derive(Clone, Debug)]
pub(super) enum LinkTarget {
    Context(ContextId),
    Paths(Vec<Utf8PathBuf>),
}

#[derive(Clone, Debug)]
pub(super) struct NamedReference {
    pub(super) target: LinkTarget,
    pub(super) at: Span,
}

pub(super) fn named(seen: &GraphInput<'_>, lines: &[Line]) -> Vec<NamedReference> {
    let found = references::scan::references(seen.sources, lines).into_iter();
    let named = found.filter_map(|found| {
        Some(NamedReference { target: target(seen, &found.text, found.span)?, at: found.span })
    });
    named.collect()
}

pub(super) fn target(seen: &GraphInput<'_>, text: &str, span: Span) -> Option<LinkTarget> {
    let from = seen.from(span.file);
    match seen.catalog.index.resolve(text, from) {
        Resolution::Context(id) => Some(LinkTarget::Context(id)),
        Resolution::Outside => None,
        Resolution::Missing | Resolution::Other => {
            let (reference, _) = references::parse(text);
            let paths = candidates(&reference, from, seen.role_root(), seen.role_homes)?;
            (!paths.is_empty()).then_some(LinkTarget::Paths(paths))
        }
    }
}

pub(super) fn body(seen: &GraphInput<'_>, file: FileId) -> Vec<Line> {
    let text = &seen.sources.get(file).text;
    line::lines_of(seen.sources, file, fence::body(text)..text.len())
}

pub(super) fn includes(seen: &GraphInput<'_>, file: FileId) -> Vec<(FileId, Span)> {
    let text = &seen.sources.get(file).text;
    let body = fence::body(text);
    let mut known: BTreeMap<FileId, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for directive in include::directives(&text[body..]) {
        let (reference, _) = references::parse(&directive.target);
        let paths = candidates(&reference, seen.from(file), seen.role_root(), seen.role_homes);
        let mut paths = paths.into_iter().flatten();
        let Some(target) = paths.find_map(|path| seen.sources.find(&path)) else { continue };
        let may_see = || seen.pack.view.may_see(&access_of(seen.sources, target));
        if *known.entry(target).or_insert_with(may_see) {
            let bytes = directive.bytes;
            found.push((target, Span::new(file, body + bytes.start, body + bytes.end)));
        }
    }
    found
}
