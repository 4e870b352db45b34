//! Suggestions for broken references.

use camino::Utf8Path;

use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::parse::references::{self, is_markdown};
use crate::rules::dangling_reference;
use crate::source::Spanned;
use crate::{packs, suggest};

pub(crate) fn missing(reference: &Spanned<String>, close: Option<String>) -> Diagnostic {
    if references::is_file(&reference.value) {
        of(reference, format!("`{}` does not exist", reference.value), close)
    } else {
        unknown(reference, close)
    }
}

pub(crate) fn unknown(reference: &Spanned<String>, close: Option<String>) -> Diagnostic {
    of(reference, format!("unknown context `{}`", reference.value), close)
}

fn of(reference: &Spanned<String>, message: String, close: Option<String>) -> Diagnostic {
    dangling_reference::RULE.at(reference.span, message).help(suggest::help(
        close,
        "references are file names, paths such as `/contexts/standards/x.md` or ids such as `standard/x`",
    ))
}

pub(crate) fn naming_pack<'k>(
    found: Diagnostic,
    path: &str,
    mut known: impl Iterator<Item = (&'k ContextId, &'k Utf8Path)>,
) -> Diagnostic {
    let path = path.split('#').next().unwrap_or(path);
    let Some((_, name)) = path.rsplit_once('/').filter(|(_, name)| is_markdown(name)) else {
        return found;
    };
    let in_pack = known.find_map(|(id, path)| {
        let pack = packs::of_path(path).filter(|_| path.file_name() == Some(name))?;
        Some(format!("`{id}` is in the pack `{pack}`: write `{name}`"))
    });
    match in_pack {
        Some(help) => found.help(help),
        None => found,
    }
}

pub(super) fn similar(text: &str, known: &[(&ContextId, &Utf8Path)]) -> Option<String> {
    let (path, anchor) = text.split_at(text.find('#').unwrap_or(text.len()));
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    if let Some(id) = ContextId::parse(path).filter(|_| !is_markdown(path)) {
        let alike = known.iter().map(|(other, _)| *other);
        let alike = alike.filter(|it| it.category == id.category && it.role == id.role);
        let close = suggest::closest(&id.name, alike.map(|it| &*it.name))?;
        let close = ContextId { name: close.into(), ..id };
        return Some(format!("{close}{anchor}"));
    }
    if let Some((id, _)) = known.iter().find(|(id, _)| *id.name == *path) {
        return Some(format!("{id}{anchor}"));
    }
    let stem = Utf8Path::new(name).file_stem().filter(|_| is_markdown(name));
    let extension = if stem.is_some() { ".md" } else { "" };
    let stems = known.iter().map(|(_, path)| stem_of(path));
    let close = suggest::closest(stem.unwrap_or(name), stems)?;
    let last = Utf8Path::new(folder).file_name();
    let stays = known.iter().any(|(_, path)| {
        let above = || path.parent().and_then(Utf8Path::file_name);
        stem_of(path) == close && above() == last
    });
    let folder = if stays { folder } else { "" };
    Some(format!("{folder}{close}{extension}{anchor}")).filter(|close| close != text)
}

/// Faster than by components; paths have an extension.
fn stem_of(path: &Utf8Path) -> &str {
    let path = path.as_str();
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
