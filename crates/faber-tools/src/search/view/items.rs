use camino::{Utf8Path, Utf8PathBuf};

use super::{BodyOf, Origin, ViewReader, VisiblePack};
use crate::search::item::{self, SearchItem, SourceType, TextLocation};
use faber_core::budget::gist;
use faber_core::category::Load;
use faber_core::line::{self, Line};
use faber_core::packs::MountedPack;
use faber_core::parse::fields::Fields;
use faber_core::parse::frontmatter;
use faber_core::resolve::catalog;
use faber_core::resolve::view::View;
use faber_core::select::choose;
use faber_core::select::headings::Headings;
use faber_core::source::{FileId, SourceMap, Span, Spanned};
use faber_core::world::read_all;
use faber_session::session::Workspace;

pub(super) fn notes(workspace: &mut Workspace, folder: &Utf8Path) -> Vec<(FileId, String)> {
    let stems = workspace.names_ending(folder, ".md");
    let paths: Vec<Utf8PathBuf> =
        stems.iter().map(|stem| folder.join(format!("{stem}.md"))).collect();
    let files = read_all(&workspace.files, &paths, &mut workspace.sources, &mut workspace.found);
    files.into_iter().zip(stems).filter_map(|(file, stem)| Some((file?, stem))).collect()
}

pub(super) fn note(
    workspace: &Workspace,
    seen: &VisiblePack,
    file: FileId,
    (id, name, kind): (String, String, SourceType),
) -> Option<(SearchItem, ViewReader)> {
    let sources = &workspace.sources;
    let parsed = frontmatter::read(sources, file, frontmatter::FrontKind::Context).value;
    let fields = &parsed.front.fields;
    let view: &View = &seen.0.pack.view;
    let source = sources.get(file);
    if !view.may_see(fields)
        || view.leaves_out(fields).is_some()
        || fields.superseded_by.as_ref().is_some_and(|by| seen.has(&by.value, &source.path))
    {
        return None;
    }
    let body = Span::new(file, parsed.body, source.text.len());
    let mut item = SearchItem { path: source.path.to_string(), ..SearchItem::blank(id, kind) };
    let body = if is_on_disk(workspace, file) {
        item.body = TextLocation::of_file(sources, body);
        BodyOf::Span(body)
    } else {
        let lines = line::lines_of(sources, file, body.range());
        own(&mut item, &lines, sources)
    };
    item.pack_place = sources.place_of_pack(&source.path).map(ToString::to_string);
    let reader = described(&mut item, fields, &name, sources, body);
    seen.relate(&mut item, sources);
    Some((item, ViewReader { origin: Origin::Files(vec![file]), ..reader }))
}

fn is_on_disk(workspace: &Workspace, file: FileId) -> bool {
    let sources = &workspace.sources;
    !sources.is_made(file) && workspace.pack_of(sources.path(file)).is_none()
}

fn own(item: &mut SearchItem, lines: &[Line], sources: &SourceMap) -> BodyOf {
    let text = line::join(sources, lines);
    item.body = TextLocation::of_lines(lines, text.clone(), sources);
    BodyOf::Own(text)
}

pub(super) fn context_item(
    workspace: &Workspace,
    context: &catalog::Context,
    id: String,
) -> (SearchItem, ViewReader) {
    let sources = &workspace.sources;
    let mut item = SearchItem::blank(id, SourceType::Document);
    item.category = Some(context.id.category);
    item.layers = context.layers();
    item.path = sources.path(context.sources[0].file).to_string();
    item.on_demand = !matches!(choose::load_of(context), Load::Always | Load::Never);
    let body = match &context.body {
        catalog::Body::Whole(span) if is_on_disk(workspace, span.file) => {
            item.body = TextLocation::of_file(sources, *span);
            item.path = sources.path(span.file).to_string();
            BodyOf::Span(*span)
        }
        _ => own(&mut item, &context.body.lines(sources), sources),
    };
    let path = Utf8Path::new(&item.path);
    item.pack = workspace.pack_of(path).map(MountedPack::title);
    item.pack_place = sources.place_of_pack(path).map(ToString::to_string);
    if context.sources.len() > 1 {
        let files = context.sources.iter().map(|it| sources.original_path(it.file).to_string());
        item.files = files.collect();
    }
    let fields = &context.front.fields;
    let reader = described(&mut item, fields, &context.id.name, sources, body);
    let origin = Origin::Files(context.sources.iter().map(|source| source.file).collect());
    (item, ViewReader { origin, ..reader })
}

fn described(
    item: &mut SearchItem,
    fields: &Fields,
    name: &str,
    sources: &SourceMap,
    body: BodyOf,
) -> ViewReader {
    let value = |field: &Option<Spanned<String>>| field.as_ref().map(|field| field.value.clone());
    let values = |list: &[Spanned<String>]| -> Vec<String> {
        list.iter().map(|text| text.value.clone()).collect()
    };
    let text = body.text(sources);
    let stated = heading(text).or(fields.title.as_ref().map(|title| &*title.value));
    let sentence = || gist::gist(text).filter(|_| item.kind == SourceType::Memory);
    let title = stated.map(str::to_owned).or_else(sentence);
    item.title = title.unwrap_or_else(|| name.to_owned());
    item.description = value(&fields.description);
    item.named_kind = value(&fields.kind);
    item.owner = value(&fields.owner);
    item.dated = fields.updated.as_ref().or(fields.valid_from.as_ref()).map(|date| date.value);
    item.shorter = [value(&fields.summary), value(&fields.essence)];
    if fields.is_description_stale && fields.essence.is_none() {
        item.shorter[1] = gist::gist(text);
    }
    item.confidence = item::confidence(fields.confidence.as_ref());
    item.links =
        [values(&fields.derived_from), values(&fields.contradicts), values(&fields.related)];
    let stem = Utf8Path::new(&item.path).file_stem().unwrap_or_default().to_owned();
    item.topics = [values(&fields.keywords), values(&fields.tags)].concat();
    let mut meta: Vec<String> = item.description.iter().chain(&item.topics).cloned().collect();
    if stem != name {
        meta.push(stem);
    }
    ViewReader { name: name.to_owned(), meta, body, origin: Origin::Files(Vec::new()) }
}

/// The heading at the start, if no other has its level or a higher one.
fn heading(text: &str) -> Option<&str> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let mut headings = Headings::default();
    let level = |line: &str| match line.trim_start().as_bytes() {
        [b'=', ..] => 1,
        [b'-', ..] => 2,
        line => line.iter().take_while(|byte| **byte == b'#').count(),
    };
    let mut first = lines.next()?;
    let mut title = headings.next(first);
    if title.is_none() {
        first = lines.next().filter(|line| line.trim_start().starts_with(['=', '-']))?;
        title = headings.next(first);
    }
    let mut other = lines.filter(|line| headings.next(line).is_some());
    other.all(|line| level(line) > level(first)).then_some(title?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_is_the_heading_of_the_whole_text() {
        for (text, title) in [
            ("\n# T\n\n## A\n\n## B\n", Some("T")),
            ("## T\n\n### A\n\n```\n# x\n```\n", Some("T")),
            ("# A\n\n# B\n", None),
            ("## A\n\nB\n---\n", None),
            ("Text.\n\n# T\n", None),
            ("Text.\n# T\n", None),
            ("T\n===\n\nText.\n\nA\n---\n", Some("T")),
            ("T\n---\n\n# A\n", None),
            ("- T\n---\n", None),
        ] {
            assert_eq!(heading(text), title, "{text}");
        }
    }
}
