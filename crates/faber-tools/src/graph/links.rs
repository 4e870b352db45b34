//! What texts name and include, before it is known which of that is a node.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use crate::graph::Seen;
use faber_core::document::ContextId;
use faber_core::line::{self, Line};
use faber_core::parse::{fence, references};
use faber_core::resolve::include::{self, access_of};
use faber_core::resolve::index::{Resolution, candidates};
use faber_core::source::{FileId, Span};

/// What is named.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A context of the view, by the identity of its document.
    Context(ContextId),
    /// The first of these paths that a node has.
    Paths(Vec<Utf8PathBuf>),
}

/// Something that is named, and where.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) target: Target,
    pub(super) at: Span,
}

/// What the references in some lines name, in order.
pub(super) fn named(seen: &Seen<'_>, lines: &[Line]) -> Vec<Named> {
    let found = references::scan(seen.sources, lines).into_iter();
    let named = found.filter_map(|found| {
        Some(Named { target: target(seen, &found.text, found.span)?, at: found.span })
    });
    named.collect()
}

/// What one reference that stands at `span` names; none when it leads nowhere.
pub(super) fn target(seen: &Seen<'_>, text: &str, span: Span) -> Option<Target> {
    let from = seen.from(span.file);
    match seen.catalog.index.resolve(text, from) {
        Resolution::Context(id) => Some(Target::Context(id)),
        Resolution::Outside => None,
        // It may name a task, a flow, or a context that only another role has.
        Resolution::Missing | Resolution::Other => {
            let (reference, _) = references::parse(text);
            let paths = candidates(&reference, from, seen.role_root(), seen.role_homes)?;
            (!paths.is_empty()).then_some(Target::Paths(paths))
        }
    }
}

/// The lines of the body of a file as they are written.
pub(super) fn body(seen: &Seen<'_>, file: FileId) -> Vec<Line> {
    let text = &seen.sources.get(file).text;
    line::lines_of(seen.sources, file, fence::body(text)..text.len())
}

/// The files that a file includes, and where it says so. What the principal may not see is not
/// expanded, so it is not followed either.
pub(super) fn includes(seen: &Seen<'_>, file: FileId) -> Vec<(FileId, Span)> {
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
