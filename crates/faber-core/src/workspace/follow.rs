//! Reads custom contexts, contexts of other roles, and includes.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::assemble::Pack;
use crate::category::Category;
use crate::context_id::ContextId;
use crate::document::{self, Layer, Member};
use crate::layer::LayerKind;
use crate::parse::fence;
use crate::parse::frontmatter::{self, FrontKind};
use crate::parse::include::{IncludeDirective, directives, may_have_directives};
use crate::parse::references::{self, Reference};
use crate::paths::normalize;
use crate::resolve::include;
use crate::resolve::index::{self, ReferenceOrigin, candidates};
use crate::role::Lineage;
use crate::rules::{glob_invalid, glob_matches_nothing};
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::suggest;
use crate::workspace::glob::{is_glob, matching};
use crate::workspace::{Workspace, walk};
use crate::world::{Unreadable, World, within_limits};

const OF_ROLE: &str = "@role:";

impl<W: World> Workspace<W> {
    pub(super) fn custom_members(&mut self, pack: &mut Pack, members: &mut Vec<Member>) {
        let layer = pack.layers.len();
        pack.layers.push(Layer::new(LayerKind::Custom, None, ""));
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        for custom in self.config.custom_contexts.clone() {
            let is_known = |name: &str| {
                let known = |member: &Member| self.sources.path(member.file).file_name();
                members.iter().any(|member| known(member) == Some(name))
            };
            let is_known = is_known(&custom.value);
            let files = if is_known { Vec::new() } else { self.custom_files(&custom, &roots) };
            for &file in &files {
                if !members.iter().any(|member| member.file == file) {
                    members.push(self.custom_member(file, layer, &roots));
                }
                pack.custom.push((custom.clone(), Some(file)));
            }
            if files.is_empty() {
                pack.custom.push((custom, None));
            }
        }
    }

    pub(super) fn custom_member(
        &self,
        file: FileId,
        layer: usize,
        roots: &[Utf8PathBuf],
    ) -> Member {
        let path = self.sources.path(file);
        let root = index::role_root(path, &self.role_homes()).map(Utf8Path::to_owned);
        let root = root.filter(|root| !roots.contains(root));
        let root = root.filter(|root| path.starts_with(root.join("contexts")));
        let role = root.as_deref().and_then(Utf8Path::file_name).map(Arc::from);
        Member { file, layer, folder: folder_category(path), role }
    }

    /// Other names are resolved once all documents are known.
    pub(super) fn custom_files(
        &mut self,
        custom: &Spanned<String>,
        roots: &[Utf8PathBuf],
    ) -> Vec<FileId> {
        let text = custom.value.split('#').next().unwrap_or_default().trim();
        let (reference, _) = references::parse_field(&custom.value);
        let by_name = matches!(reference, Reference::Name { .. } | Reference::Id { .. });
        let paths = match reference {
            Reference::Role { role, path } => self.paths_of_role(role, path),
            _ => self.custom_paths(text, &reference, custom.span.file, roots),
        };
        let Some(paths) = paths else {
            self.found.push(include::outside(custom.span, &custom.value));
            return Vec::new();
        };
        if is_glob(text) {
            return self.all_of(paths, text, custom);
        }
        if by_name && !paths.iter().any(|path| self.files.exists(path)) {
            return Vec::new();
        }
        self.first_of(&paths, custom).into_iter().collect()
    }

    /// Relative to the file, the role and the workspace, in this order. `None` outside.
    fn custom_paths(
        &self,
        text: &str,
        reference: &Reference<'_>,
        file: FileId,
        roots: &[Utf8PathBuf],
    ) -> Option<Vec<Utf8PathBuf>> {
        let own = self.sources.path(file).parent().unwrap_or(Utf8Path::new(""));
        let root = Utf8Path::new("");
        let below = text.strip_prefix('/').unwrap_or(text);
        let first = below.split('/').next().unwrap_or_default();
        let is_known =
            || is_glob(first) || first == below || self.files.exists(Utf8Path::new(first));
        let of_machine = match reference {
            Reference::Outside => !text.starts_with('/') || text.starts_with("//") || !is_known(),
            _ => false,
        };
        if of_machine || text.contains('\\') {
            return None;
        }
        let bases: Vec<&Utf8Path> = match reference {
            Reference::Relative { .. } => vec![own],
            Reference::Workspace { .. } => vec![root],
            _ if text.starts_with("./") || text.starts_with("../") => vec![own],
            _ if text.starts_with('/') => roots.iter().map(|it| &**it).chain([root]).collect(),
            _ => [own].into_iter().chain(roots.iter().map(|it| &**it)).chain([root]).collect(),
        };
        bases.into_iter().map(|base| normalize(base, below)).collect()
    }

    fn paths_of_role(&mut self, role: &str, path: &str) -> Option<Vec<Utf8PathBuf>> {
        let homes = self.role_homes();
        let paths = candidates(
            &Reference::Role { role, path },
            ReferenceOrigin { path: "".into(), role_root: None },
            None,
            &homes,
        )?;
        let Some(id) = ContextId::parse(path).filter(|_| !references::is_markdown(path)) else {
            return Some(paths);
        };
        let folders: Vec<Utf8PathBuf> =
            homes.iter().map(|home| home.join(role).join("contexts")).collect();
        let mut scratch = SourceMap::default();
        let layer = |folder| Layer::new(LayerKind::Role, Some(role), folder);
        let layers: Vec<Layer> = folders.iter().map(layer).collect();
        for (at, folder) in folders.iter().enumerate() {
            let found = walk::walk(&self.files, folder, &mut scratch, &mut Vec::new()).all;
            let fits = |found: &walk::LayerEntry| found.folder.is_none_or(|it| it == id.category);
            for found in found.into_iter().filter(|found| !found.partial).filter(fits) {
                let text = self.files.read(&found.path).and_then(within_limits);
                let Ok(text) = text else { continue };
                let file = scratch.add(found.path.clone(), text);
                let parsed = frontmatter::read(&scratch, file, FrontKind::Context).value;
                let member = Member { file, layer: at, folder: found.folder, role: None };
                let document = document::parse(&scratch, &layers, &member, parsed, &mut Vec::new());
                if document.is_some_and(|document| document.id == id) {
                    return Some(vec![found.path]);
                }
            }
        }
        Some(paths)
    }

    fn all_of(
        &mut self,
        patterns: Vec<Utf8PathBuf>,
        text: &str,
        reference: &Spanned<String>,
    ) -> Vec<FileId> {
        for pattern in patterns {
            let Some(paths) = matching(&self.files, pattern.as_str()) else {
                let message = format!("invalid glob `{text}`");
                let finding = glob_invalid::RULE.at(reference.span, message);
                self.found.push(finding.help("write it as in `docs/*.md`"));
                return Vec::new();
            };
            let homes = self.role_homes();
            let is_prompt = |path: &Utf8Path| {
                let folder = path.parent().and_then(Utf8Path::parent);
                path.file_name() == Some("prompt.md")
                    && folder.is_some_and(|it| homes.iter().any(|home| home == it))
            };
            let paths = paths.iter().filter(|path| !is_prompt(path));
            let read = |path: &Utf8PathBuf| self.first_of(std::slice::from_ref(path), reference);
            let files: Vec<FileId> = paths.filter_map(read).collect();
            if !files.is_empty() {
                return files;
            }
        }
        let message = format!("`{text}` matches no file");
        self.found.push(glob_matches_nothing::RULE.at(reference.span, message).help(
            "patterns are resolved from the folder of the file, of the role or of the workspace",
        ));
        Vec::new()
    }

    fn first_of(&mut self, paths: &[Utf8PathBuf], reference: &Spanned<String>) -> Option<FileId> {
        for path in paths {
            let known = self.sources.find(path);
            if known.is_none() && !self.files.exists(path) {
                continue;
            }
            let is_file = known.is_some() || self.files.is_file(path);
            if is_file && let Some(refusal) = self.files.refusal(path) {
                self.found.push(include::forbidden(reference.span, &reference.value, &refusal));
                return None;
            }
            if known.is_some() {
                return known;
            }
            match self.files.read(path).and_then(within_limits) {
                Ok(text) => {
                    self.read_overlay_of(path);
                    return Some(self.sources.add(path.clone(), text));
                }
                Err(Unreadable::Missing) => {}
                Err(Unreadable::Outside) => {
                    self.found.push(include::outside(reference.span, &reference.value));
                    return None;
                }
                Err(trouble) => {
                    self.found.push(trouble.diagnostic(&mut self.sources, path));
                    return None;
                }
            }
        }
        let close = paths.iter().find_map(|path| self.closest_sibling(path));
        let close = close.map(|name| {
            let (folder, _) = reference.value.rsplit_once('/').unwrap_or_default();
            if folder.is_empty() { name } else { format!("{folder}/{name}") }
        });
        self.found.push(index::missing(reference, close));
        None
    }

    fn closest_sibling(&self, path: &Utf8Path) -> Option<String> {
        let names = self.files.names_ending(path.parent()?, "");
        suggest::closest(path.file_name()?, names.iter().map(String::as_str)).map(str::to_owned)
    }

    pub(super) fn follow_roles(&mut self, pack: &mut Pack, included: &[FileId]) {
        let roles = pack.lineage.iter().flat_map(|lineage| &lineage.roles);
        let prompts = roles.map(|role| role.prompt);
        let texts = prompts.chain(included.iter().copied()).map(|it| &*self.sources.get(it).text);
        let mut named: BTreeSet<String> = texts.flat_map(of_roles).map(str::to_owned).collect();
        for document in &pack.documents {
            let fields = &document.front.fields;
            if document.id.role.is_none() && pack.view.may_see(fields) {
                let texts = fields.related.iter().map(|related| &*related.value);
                named.extend(texts.flat_map(of_roles).map(str::to_owned));
            }
        }
        self.take_of_roles(pack, &named);
    }

    pub(crate) fn follow_roles_of(&mut self, pack: &mut Pack, text: &str) {
        let named = of_roles(text).map(str::to_owned).collect();
        self.take_of_roles(pack, &named);
    }

    fn take_of_roles(&mut self, pack: &mut Pack, named: &BTreeSet<String>) {
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let Some(layer) = pack.layers.iter().position(|it| it.kind == LayerKind::Custom) else {
            return;
        };
        let mut new = Vec::new();
        for file in self.files_of_roles(named) {
            let member = self.custom_member(file, layer, &roots);
            let is_known = pack.documents.iter().any(|document| document.file == file);
            if is_known || member.role.is_none() {
                continue;
            }
            let (document, found) = self.document(pack, &member, None);
            pack.documents.extend(document);
            self.found.extend(found);
            new.push(file);
        }
        self.read_includes_of(new, &roots);
    }

    pub(super) fn files_of_roles(&mut self, named: &BTreeSet<String>) -> Vec<FileId> {
        let mut files = Vec::new();
        for text in named {
            let (Reference::Role { role, path }, _) = references::parse(text) else { continue };
            let paths = self.paths_of_role(role, path).unwrap_or_default();
            for path in paths.iter().filter(|path| path.extension() == Some("md")) {
                if let Some(known) = self.sources.find(path) {
                    files.push(known);
                    break;
                }
                if self.files.refusal(path).is_some() {
                    continue;
                }
                if let Ok(text) = self.files.read(path).and_then(within_limits) {
                    files.push(self.sources.add(path.clone(), text));
                    break;
                }
            }
        }
        files
    }

    pub(super) fn read_includes(&mut self, pack: &Pack) -> Vec<FileId> {
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let including = pack.documents.iter().filter(|document| document.may_include);
        let visible = including.filter(|document| pack.view.may_see(&document.front.fields));
        let mut queue: Vec<FileId> = visible.map(|document| document.file).collect();
        let roles = pack.lineage.iter().flat_map(|lineage| &lineage.roles);
        queue.extend(roles.map(|role| role.prompt));
        self.read_includes_of(queue, &roots)
    }

    pub(super) fn with_includes(
        &self,
        mut files: BTreeSet<FileId>,
        lineage: &Lineage,
    ) -> BTreeSet<FileId> {
        let (homes, roots) = (self.role_homes(), lineage.roots());
        let role_root = roots.first().map(Utf8PathBuf::as_path);
        let mut queue: Vec<FileId> = files.iter().copied().collect();
        while let Some(file) = queue.pop() {
            for (_, paths) in self.includes(file, role_root, &homes) {
                let included = paths.iter().flatten().find_map(|path| self.sources.find(path));
                queue.extend(included.filter(|&file| files.insert(file)));
            }
        }
        files
    }

    fn includes(
        &self,
        file: FileId,
        role_root: Option<&Utf8Path>,
        homes: &[Utf8PathBuf],
    ) -> Vec<(Spanned<String>, Option<Vec<Utf8PathBuf>>)> {
        let text = &self.sources.get(file).text;
        if !may_have_directives(text) {
            return Vec::new();
        }
        let body = fence::body(text);
        let from = ReferenceOrigin::of(&self.sources, file, homes);
        let include = |IncludeDirective { target, bytes, .. }| {
            let paths = candidates(&references::parse(&target).0, from, role_root, homes);
            let span = Span::new(file, body + bytes.start, body + bytes.end);
            (Spanned { value: target, span }, paths)
        };
        directives(&text[body..]).into_iter().map(include).collect()
    }

    fn is_refused(&mut self, file: FileId, target: &Spanned<String>, is_new: bool) -> bool {
        if !is_new && !self.sources.is_forbidden(file) {
            return false;
        }
        let path = self.sources.path(file);
        let Some(refusal) = self.files.refusal(path) else { return false };
        self.found.push(include::forbidden(target.span, &target.value, &refusal));
        self.sources.forbid(file);
        true
    }

    pub(super) fn read_includes_of(
        &mut self,
        mut queue: Vec<FileId>,
        roots: &[Utf8PathBuf],
    ) -> Vec<FileId> {
        let mut new = Vec::new();
        let (homes, role_root) = (self.role_homes(), roots.first().map(Utf8PathBuf::as_path));
        let mut seen: BTreeSet<FileId> = queue.iter().copied().collect();
        let mut checked = BTreeSet::new();
        while let Some(file) = queue.pop() {
            for (target, paths) in self.includes(file, role_root, &homes) {
                let Some(paths) = paths else {
                    self.found.push(include::outside(target.span, &target.value));
                    continue;
                };
                if let Some(known) = paths.iter().find_map(|path| self.sources.find(path)) {
                    if !self.is_refused(known, &target, checked.insert(known)) {
                        queue.extend(seen.insert(known).then_some(known));
                    }
                    continue;
                }
                let Some(path) = paths.iter().find(|path| self.files.exists(path)) else {
                    continue;
                };
                let read = self.first_of(std::slice::from_ref(path), &target);
                queue.extend(read.filter(|file| seen.insert(*file)));
                new.extend(read);
            }
        }
        new
    }
}

pub(super) fn of_roles(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "`\"'|,;)]}<>".contains(c);
    text.match_indices(OF_ROLE).map(move |(at, _)| {
        let rest = &text[at..];
        rest[..rest.find(ends).unwrap_or(rest.len())].trim_end_matches(['.', ':'])
    })
}

fn folder_category(path: &Utf8Path) -> Option<Category> {
    let folder = path.parent()?;
    let parts: Vec<&str> = folder.components().map(|part| part.as_str()).collect();
    let contexts = parts.iter().rposition(|part| *part == "contexts")?;
    Category::from_name(parts.get(contexts + 1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_roles_end_where_their_words_end() {
        let text = "Load @role:a/contexts/x.md. | @role:b/specialist/y | `@role:c/z.md#H`, @role:";
        let found: Vec<&str> = of_roles(text).collect();
        assert_eq!(
            found,
            ["@role:a/contexts/x.md", "@role:b/specialist/y", "@role:c/z.md#H", "@role"]
        );
    }

    #[test]
    fn the_folder_below_contexts_is_the_category() {
        let category = |path: &str| folder_category(path.into());
        assert_eq!(category("roles/r/contexts/patterns/x.md"), Some(Category::Pattern));
        assert_eq!(category("roles/r/contexts/x.md"), None);
        assert_eq!(category("docs/x.md"), None);
    }
}
