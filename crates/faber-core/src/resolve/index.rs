//! Resolves references to contexts; suggestions for broken ones.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use foldhash::{HashMap, HashSet};

use crate::category::Category;
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::{Document, Layer};
use crate::layer::LayerKind;
use crate::markdown::percent_decoded;
use crate::parse::references::{self, Reference, is_markdown};
use crate::paths::normalize;
use crate::rules::dangling_reference;
use crate::source::{FileId, PathText, SourceMap, Spanned};
use crate::workspace::walk;
use crate::{packs, suggest};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    Context(ContextId),
    Missing,
    Outside,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub struct ReferenceOrigin<'a> {
    pub path: &'a Utf8Path,
    pub role_root: Option<&'a Utf8Path>,
}

impl<'a> ReferenceOrigin<'a> {
    pub fn of(sources: &'a SourceMap, file: FileId, role_homes: &[Utf8PathBuf]) -> Self {
        let path = sources.original_path(file);
        Self { path, role_root: role_root(path, role_homes) }
    }
}

/// With hidden documents, so references to them are valid.
#[derive(Debug, Default)]
pub struct ReferenceIndex {
    by_path: HashMap<PathText, ContextId>,
    by_id: HashSet<ContextId>,
    by_file_name: HashMap<FileName, ContextId>,
    by_pack: HashSet<(String, ContextId)>,
    /// The role's, after those that it extends.
    role_roots: Vec<Utf8PathBuf>,
    role_homes: Vec<Utf8PathBuf>,
    roles: Vec<String>,
}

#[derive(Debug)]
struct FileName(Arc<Utf8Path>);

impl Borrow<str> for FileName {
    fn borrow(&self) -> &str {
        self.0.file_name().unwrap_or_default()
    }
}

impl PartialEq for FileName {
    fn eq(&self, other: &Self) -> bool {
        Borrow::<str>::borrow(self) == Borrow::<str>::borrow(other)
    }
}

impl Eq for FileName {}

impl Hash for FileName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Borrow::<str>::borrow(self).hash(state);
    }
}

impl ReferenceIndex {
    pub fn new(
        sources: &SourceMap,
        documents: &[&Document],
        layers: &[Layer],
        role_homes: &[Utf8PathBuf],
    ) -> Self {
        let roles = || layers.iter().filter(|layer| layer.kind == LayerKind::Role);
        let path = |document: &Document| PathText(Arc::clone(&sources.get(document.file).path));
        let mut index = Self {
            by_path: documents.iter().map(|it| (path(it), it.id.clone())).collect(),
            by_id: documents.iter().map(|document| document.id.clone()).collect(),
            by_file_name: HashMap::default(),
            by_pack: HashSet::default(),
            role_roots: roles().map(|layer| layer.folder.clone()).collect(),
            role_homes: role_homes.to_vec(),
            roles: roles().filter_map(|layer| layer.name.clone()).collect(),
        };
        index.add_originals(sources, documents);
        index.by_file_name.reserve(documents.len());
        for document in documents {
            if let Some(pack) = packs::of_path(&sources.get(document.file).path) {
                index.by_pack.insert((pack.to_owned(), document.id.clone()));
            }
        }
        for document in documents.iter().filter(|document| document.id.role.is_none()) {
            let name = FileName(path(document).0);
            index.by_file_name.entry(name).or_insert_with(|| document.id.clone());
        }
        index
    }

    fn add_originals(&mut self, sources: &SourceMap, documents: &[&Document]) {
        let mut originals: HashMap<&Utf8Path, Option<&ContextId>> = HashMap::default();
        for document in documents.iter().filter(|document| sources.is_made(document.file)) {
            let of_one = originals.entry(sources.original_path(document.file));
            of_one.and_modify(|id| *id = None).or_insert(Some(&document.id));
        }
        let of_one = originals.into_iter().filter_map(|(path, id)| Some((path, id?)));
        self.by_path.extend(of_one.map(|(path, id)| (PathText(path.into()), id.clone())));
    }

    pub fn resolve(&self, text: &str, from: ReferenceOrigin<'_>) -> Resolution {
        self.resolve_parsed(references::parse(text).0, from)
    }

    pub fn resolve_field(&self, text: &str, from: ReferenceOrigin<'_>) -> Resolution {
        self.resolve_parsed(references::parse_field(text).0, from)
    }

    pub fn of_path(&self, path: &Utf8Path) -> Option<&ContextId> {
        self.by_path.get(path.as_str())
    }

    fn resolve_parsed(&self, reference: Reference<'_>, from: ReferenceOrigin<'_>) -> Resolution {
        match reference {
            Reference::Name { name } => {
                self.by_name(name).map_or(Resolution::Missing, Resolution::Context)
            }
            Reference::Id { pack, category, name } => {
                let id = ContextId::new(category, name);
                let known = match pack {
                    Some(pack) => self.by_pack.contains(&(pack.to_owned(), id.clone())),
                    None => self.by_id.contains(&id),
                };
                if known { Resolution::Context(id) } else { Resolution::Missing }
            }
            Reference::Role { role, path } if ContextId::parse(path).is_some() => self
                .of_role(role, path)
                .map_or_else(|| self.by_candidates(&reference, from), Resolution::Context),
            Reference::Outside => Resolution::Outside,
            Reference::Other => Resolution::Other,
            _ => self.by_candidates(&reference, from),
        }
    }

    fn of_role(&self, role: &str, id: &str) -> Option<ContextId> {
        let is_own = self.roles.iter().any(|own| own == role);
        let role = (!is_own).then(|| role.into());
        let id = ContextId { role, ..ContextId::parse(id)? };
        self.by_id.contains(&id).then_some(id)
    }

    fn by_candidates(&self, reference: &Reference<'_>, from: ReferenceOrigin<'_>) -> Resolution {
        let role_root = self.role_roots.last().map(Utf8PathBuf::as_path);
        let paths = |from| candidates(reference, from, role_root, &self.role_homes);
        let Some(mut all) = paths(from) else { return Resolution::Outside };
        let own = from.role_root.and_then(|own| self.role_roots.iter().position(|it| it == own));
        if let (Some(own), Reference::Root { .. }) = (own, reference) {
            for root in self.role_roots[..own].iter().rev() {
                all.extend(
                    paths(ReferenceOrigin { role_root: Some(root), ..from }).unwrap_or_default(),
                );
            }
        }
        let id = all.iter().find_map(|path| self.by_path.get(path.as_str()));
        id.map_or(Resolution::Missing, |id| Resolution::Context(id.clone()))
    }

    fn by_name(&self, name: &str) -> Option<ContextId> {
        let stem = name.strip_suffix(".md").unwrap_or(name);
        if let Some((category, rest)) = Category::from_prefix(stem) {
            let id = ContextId::new(category, rest);
            if self.by_id.contains(&id) {
                return Some(id);
            }
        }
        let by_file = || self.by_file_name.get(&*format!("{stem}.md")).cloned();
        let is_it = |id: &&ContextId| *id.name == *stem && id.role.is_none();
        by_file().or_else(|| self.by_id.iter().filter(is_it).min().cloned())
    }
}

/// `None` outside of the workspace.
pub fn candidates(
    reference: &Reference<'_>,
    from: ReferenceOrigin<'_>,
    role_root: Option<&Utf8Path>,
    role_homes: &[Utf8PathBuf],
) -> Option<Vec<Utf8PathBuf>> {
    // References in a pack stay in it.
    let root = packs::root_of(from.path).unwrap_or(Utf8Path::new(""));
    let inside = |path: Utf8PathBuf| path.starts_with(root).then_some(path);
    let below = |folder: &Utf8Path, path: &str| {
        normalize(folder, path.trim_start_matches('/')).and_then(inside)
    };
    let paths = match *reference {
        Reference::Root { path } => match (from.role_root, role_root) {
            (Some(role), _) => vec![below(role, path), below(root, path)],
            (None, Some(role)) if root.as_str().is_empty() => {
                vec![below(root, path), below(role, path)]
            }
            (None, _) => vec![below(root, path)],
        },
        Reference::Workspace { path } => vec![below(root, path)],
        Reference::Relative { path } => {
            vec![normalize(from.path.parent().unwrap_or(root), path).and_then(inside)]
        }
        Reference::Role { role, path } => {
            role_homes.iter().map(|home| below(&home.join(role), path)).collect()
        }
        Reference::Outside => return None,
        Reference::Name { .. } | Reference::Id { .. } | Reference::Other => Vec::new(),
    };
    let mut paths: Vec<Utf8PathBuf> = paths.into_iter().collect::<Option<_>>()?;
    let encoded = paths.iter().filter(|path| path.as_str().contains('%'));
    let decoded = encoded.filter_map(|path| percent_decoded(path.as_str()));
    let decoded = decoded.filter_map(|path| normalize(Utf8Path::new(""), &path).and_then(inside));
    paths.extend(decoded.collect::<Vec<_>>());
    Some(paths)
}

pub fn companions<'a>(
    path: &'a Utf8Path,
    original: &'a Utf8Path,
    text: &str,
) -> impl Iterator<Item = Utf8PathBuf> {
    let text = text.split('#').next().unwrap_or_default();
    let text = percent_decoded(text).unwrap_or_else(|| text.to_owned());
    let own = (original != path).then(|| original.with_file_name(""));
    let folders = [Some(walk::resources(path)), own].into_iter().flatten();
    folders.filter_map(move |folder| normalize(&folder, &text))
}

pub fn role_root<'p>(path: &'p Utf8Path, role_homes: &[Utf8PathBuf]) -> Option<&'p Utf8Path> {
    let roots = role_homes.iter().filter_map(|home| {
        let below = match home.as_str() {
            "" => path.as_str(),
            home => path.as_str().strip_prefix(home)?.strip_prefix('/')?,
        };
        Some(path.as_str().len() - below.len() + below.find('/')?)
    });
    roots.max().map(|end| Utf8Path::new(&path.as_str()[..end]))
}

pub(crate) fn missing(reference: &Spanned<String>, close: Option<String>) -> Diagnostic {
    if references::is_file(&reference.value) {
        dangling(reference, format!("`{}` does not exist", reference.value), close)
    } else {
        unknown(reference, close)
    }
}

pub(crate) fn unknown(reference: &Spanned<String>, close: Option<String>) -> Diagnostic {
    dangling(reference, format!("unknown context `{}`", reference.value), close)
}

fn dangling(reference: &Spanned<String>, message: String, close: Option<String>) -> Diagnostic {
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
    if let Some(help) = in_pack { found.help(help) } else { found }
}

pub(super) fn similar(text: &str, known: &[(&ContextId, &Utf8Path)]) -> Option<String> {
    let (path, anchor) = text.split_at(text.find('#').unwrap_or(text.len()));
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    if let Some(id) = ContextId::parse(path).filter(|_| !is_markdown(path)) {
        let alike = known.iter().map(|(other, _)| *other);
        let alike = alike.filter(|it| it.category == id.category && it.role == id.role);
        let names: Vec<&str> = alike.map(|it| &*it.name).collect();
        let close = suggest::closest(&id.name, names.iter().copied());
        let close = close.or_else(|| match &*suggest::candidates(&id.name, names) {
            [only] => Some(only),
            _ => None,
        })?;
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

fn stem_of(path: &Utf8Path) -> &str {
    let path = path.as_str();
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_from_where_they_are_written() {
        let from = ReferenceOrigin {
            path: Utf8Path::new("roles/r/contexts/standards/a.md"),
            role_root: Some(Utf8Path::new("roles/r")),
        };
        let paths = |text: &str| {
            let (reference, _) = references::parse(text);
            candidates(&reference, from, None, &["roles".into(), ".faber/roles".into()])
                .map(|paths| paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            paths("/contexts/x/y.md").as_deref(),
            Some("roles/r/contexts/x/y.md contexts/x/y.md")
        );
        assert_eq!(paths("../platforms/p.md").as_deref(), Some("roles/r/contexts/platforms/p.md"));
        assert_eq!(paths("/.faber/x.md").as_deref(), Some(".faber/x.md"));
        assert_eq!(
            paths("@role:o/tasks/t.md").as_deref(),
            Some("roles/o/tasks/t.md .faber/roles/o/tasks/t.md")
        );
        assert_eq!(paths("../../../../../etc/passwd"), None);
        assert_eq!(paths("/contexts/../../../../etc/passwd"), None);
    }

    #[test]
    fn the_role_of_a_file_is_the_folder_below_a_home() {
        let homes = ["roles".into(), "roles/inner".into(), "packs/a/roles".into()];
        let root = |path: &'static str| role_root(path.into(), &homes).map(Utf8Path::as_str);
        assert_eq!(root("roles/r/contexts/standards/a.md"), Some("roles/r"));
        assert_eq!(root("roles/inner/r/a.md"), Some("roles/inner/r"));
        assert_eq!(root("packs/a/roles/r/prompt.md"), Some("packs/a/roles/r"));
        assert_eq!([root("roles/a.md"), root("roles2/r/a.md"), root("x/roles/r/a.md")], [None; 3]);
        let all = role_root("r/a.md".into(), &["".into()]).map(Utf8Path::as_str);
        assert_eq!(all, Some("r"));
    }
}
