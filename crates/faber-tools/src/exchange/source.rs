//! Files that an export may read.

use camino::{Utf8Path, Utf8PathBuf};

use super::{links, managed};
use faber_core::packs;
use faber_core::parse::references;
use faber_core::resolve::include::access_of;
use faber_core::resolve::index::{ReferenceOrigin, candidates};
use faber_core::resolve::view::View;
use faber_core::source::SourceMap;
use faber_core::world::{Kind, World};
use faber_session::discover::atomic::is_unfinished;
use faber_session::discover::files::Files;
use faber_session::discover::foreign;

const MAX_DEPTH: usize = 16;

pub struct ExportSource<'a> {
    pub files: &'a Files,
    pub role_root: Option<Utf8PathBuf>,
    pub homes: Vec<Utf8PathBuf>,
    pub view: &'a View,
}

impl ExportSource<'_> {
    pub(crate) fn below(&self, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut all = companions(self.files, folder);
        let is_whole = |path: &Utf8PathBuf| {
            !path.starts_with(packs::FOLDER) || self.files.read_bytes(path).is_ok()
        };
        all.retain(|path| is_whole(path) && self.may_leave(path));
        all
    }

    pub(crate) fn is_folder(&self, path: &Utf8Path) -> bool {
        let own = path
            .components()
            .all(|part| !matches!(part.as_str(), ".git" | ".faber" | "node_modules"));
        let below = path.join("AGENTS.md");
        own && self.files.is_dir(path)
            && foreign::obstacle(self.files.root(), &below).is_none()
            && nested(self.files.root(), &below).is_none()
    }

    pub(crate) fn targets(&self, file: &Utf8Path, destination: &str) -> Vec<Utf8PathBuf> {
        if !destination.starts_with('/') {
            let from = file.parent().unwrap_or(Utf8Path::new(""));
            return links::target(from, destination).into_iter().collect();
        }
        let role_root = self.role_root.as_deref();
        let is_of_role = role_root.filter(|root| file.starts_with(root));
        let from = ReferenceOrigin { path: file, role_root: is_of_role };
        let (reference, _) = references::parse_field(destination);
        candidates(&reference, from, role_root, &self.homes).unwrap_or_default()
    }

    pub(crate) fn own_bytes(&self, path: &Utf8Path) -> usize {
        let Ok(text) = self.files.read(path) else { return 0 };
        managed::own(&text, &managed::parts(&text)).trim().len()
    }

    pub(crate) fn may_leave(&self, path: &Utf8Path) -> bool {
        if path.extension() != Some("md") {
            return true;
        }
        let Ok(text) = self.files.read(path) else { return false };
        let mut sources = SourceMap::default();
        let file = sources.add(path.to_owned(), text);
        self.view.may_see(&access_of(&sources, file))
    }
}

pub fn companions(files: &Files, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut all = Vec::new();
    add_companions(files, folder, MAX_DEPTH, &mut all);
    all
}

fn add_companions(files: &Files, folder: &Utf8Path, depth: usize, all: &mut Vec<Utf8PathBuf>) {
    for entry in files.list(folder).unwrap_or_default() {
        let path = folder.join(&entry.name);
        let is_left_out = entry.name == ".git"
            || entry.trouble.is_some()
            || is_unfinished(&entry.name)
            || foreign::is_link(&files.root().join(files.place(&path)));
        match entry.kind {
            _ if is_left_out => {}
            Kind::Folder if depth > 0 && !files.skips(&path) => {
                add_companions(files, &path, depth - 1, all);
            }
            Kind::File if !files.is_ignored(&path) => all.push(path),
            _ => {}
        }
    }
}

pub(super) fn nested(root: &Utf8Path, path: &Utf8Path) -> Option<Utf8PathBuf> {
    let above = path.ancestors().skip(1).filter(|above| !above.as_str().is_empty());
    let mut above = above.map(|above| root.join(above));
    above.find(|above| foreign::is_workspace(above))
}

pub(super) fn from_root(path: &Utf8Path, root: &Utf8Path) -> Option<Utf8PathBuf> {
    Some(path.strip_prefix(root).ok()?.as_str().replace('\\', "/").into())
}
