//! Files that other files name: custom contexts and includes.

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::files::Unreadable;
use crate::document::{Layer, Member};
use crate::layer::LayerKind;
use crate::parse::fence;
use crate::parse::references::{self, Reference};
use crate::resolve::index::{self, From, normalize};
use crate::resolve::{catalog, include};
use crate::role::Lineage;
use crate::source::{FileId, Span, Spanned};
use crate::workspace::{Pack, Workspace};

impl Workspace {
    /// Reads what `custom_contexts` names. A file that some layer has already only gains a reason.
    pub(super) fn custom_members(&mut self, pack: &mut Pack, members: &mut Vec<Member>) {
        let layer = pack.layers.len();
        pack.layers.push(Layer { kind: LayerKind::Custom, name: None, folder: Utf8PathBuf::new() });
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        for custom in self.config.custom_contexts.clone() {
            let file = self.custom_file(&custom, &roots);
            if let Some(file) = file
                && !members.iter().any(|member| member.file == file)
            {
                members.push(Member { file, layer, folder: None });
            }
            pack.custom.push((custom, file));
        }
    }

    /// The file that a custom context is, when it is named by a path; names and ids are looked up
    /// once all documents are known.
    pub(super) fn custom_file(
        &mut self,
        custom: &Spanned<String>,
        roots: &[Utf8PathBuf],
    ) -> Option<FileId> {
        let (reference, _) = references::parse(&custom.value);
        let homes = self.role_homes();
        let from = From { path: self.sources.path(custom.span.file), role_root: None };
        let role_root = roots.first().map(Utf8PathBuf::as_path);
        let paths = match reference {
            Reference::Name { .. } | Reference::Id { .. } => return None,
            Reference::Other => plain_path(&custom.value),
            _ => index::candidates(&reference, from, role_root, &homes),
        };
        if let Some(paths) = paths {
            return self.first_of(&paths, custom);
        }
        self.found.push(include::outside(custom.span, &custom.value));
        None
    }

    /// The first of these paths that is there, read; a finding at the reference when none is.
    fn first_of(&mut self, paths: &[Utf8PathBuf], reference: &Spanned<String>) -> Option<FileId> {
        for path in paths {
            if let Some(file) = self.sources.find(path) {
                return Some(file);
            }
            match self.files.read(path) {
                Ok(text) => return Some(self.sources.add(path.clone(), text)),
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
        self.found.push(catalog::dangling(reference));
        None
    }

    /// Reads, until nothing new turns up, the files that include directives name.
    pub(super) fn read_includes(&mut self, pack: &Pack) {
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let visible = pack.documents.iter().filter(|d| pack.view.may_see(&d.front.fields));
        let mut queue: Vec<FileId> = visible.map(|document| document.file).collect();
        queue.extend(
            pack.lineage.iter().flat_map(|lineage| lineage.roles.iter().map(|role| role.prompt)),
        );
        self.read_includes_of(queue, &roots);
    }

    /// As [`Self::read_includes`], for some files of a role with these roots. Returns what was read.
    pub(super) fn read_includes_of(
        &mut self,
        mut queue: Vec<FileId>,
        roots: &[Utf8PathBuf],
    ) -> Vec<FileId> {
        let mut new = Vec::new();
        let homes = self.role_homes();
        while let Some(file) = queue.pop() {
            let source = self.sources.get(file);
            let body = fence::body(&source.text);
            let directives = include::directives(&source.text[body..]);
            let path = source.path.clone();
            let own_root = roots.iter().find(|root| path.starts_with(root));
            let from = From { path: &path, role_root: own_root.map(Utf8PathBuf::as_path) };
            for directive in directives {
                let (reference, _) = references::parse(&directive.target);
                let role_root = roots.first().map(Utf8PathBuf::as_path);
                let span =
                    Span::new(file, body + directive.bytes.start, body + directive.bytes.end);
                let Some(paths) = index::candidates(&reference, from, role_root, &homes) else {
                    self.found.push(include::outside(span, &directive.target));
                    continue;
                };
                let is_new = |path: &&Utf8PathBuf| {
                    self.sources.find(path).is_none() && self.files.exists(path)
                };
                let known = paths.iter().any(|path| self.sources.find(path).is_some());
                let Some(path) = paths.iter().find(is_new).filter(|_| !known) else { continue };
                let target = Spanned { value: directive.target, span };
                let read = self.first_of(std::slice::from_ref(path), &target);
                queue.extend(read);
                new.extend(read);
            }
        }
        new
    }
}

/// A path that is none of the usual forms: taken from the workspace root. An absolute path of the
/// machine leads out of the workspace, wherever it points.
fn plain_path(text: &str) -> Option<Vec<Utf8PathBuf>> {
    normalize(Utf8Path::new(""), text).map(|path| vec![path])
}
