use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::files::Files;
use crate::hex::sha256;
use faber_core::file_text::FileText;
use faber_core::packs;
use faber_core::readable::{Refusal, refused_path};

use faber_core::world::{DirEntry, Kind, MemoryWorld, Unreadable, World};
use faber_formats::view::LAYOUT;

/// Reading verifies texts of a locked pack.
#[derive(Clone, Debug)]
pub struct Mount {
    pub folder: Utf8PathBuf,
    pub real: Utf8PathBuf,
    /// SHA-256 in hexadecimal, if locked.
    pub hashes: Option<Arc<BTreeMap<String, String>>>,
    pub is_users: bool,
    pub is_partial: bool,
    pub made: MemoryWorld,
}

impl Mount {
    pub(super) fn place(&self, path: &Utf8Path) -> Utf8PathBuf {
        match self.below(path) {
            "" => self.real.clone(),
            below => self.real.join(below),
        }
    }

    pub(super) fn is_at(&self, root: &Utf8Path, path: &Utf8Path) -> bool {
        self.made.kind(path) == Kind::Missing && self.real == root.join(&self.folder)
    }

    fn below<'p>(&self, path: &'p Utf8Path) -> &'p str {
        path.strip_prefix(&self.folder).unwrap_or(path).as_str()
    }

    fn is_left_out(&self, path: &Utf8Path) -> bool {
        let first = self.below(path).split('/').next().unwrap_or_default();
        self.is_partial && LAYOUT.contains(&first)
    }

    pub(super) fn hash(&self, path: &Utf8Path) -> Option<Result<&str, Unreadable>> {
        if self.is_left_out(path) {
            return Some(Err(Unreadable::Missing));
        }
        Some(match self.hashes.as_ref()?.get(self.below(path)) {
            Some(hash) => Ok(hash),
            None if self.kind(path) == Some(Kind::Folder) => {
                Err(Unreadable::Special("a directory"))
            }
            None => Err(Unreadable::Missing),
        })
    }

    pub(super) fn verified(text: FileText, hash: &str) -> Result<FileText, Unreadable> {
        if sha256(text.as_bytes()) == hash { Ok(text) } else { Err(Unreadable::Missing) }
    }

    pub(super) fn damaged(&self, trouble: &Unreadable) -> Unreadable {
        match trouble {
            Unreadable::TooLarge(_) | Unreadable::TooDense(_) | Unreadable::NotUtf8(_) => {
                trouble.clone()
            }
            _ => {
                let pack = self.folder.file_name().unwrap_or_default().to_owned();
                Unreadable::Damaged { pack, flag: packs::flag(self.is_users) }
            }
        }
    }

    pub(super) fn kind(&self, path: &Utf8Path) -> Option<Kind> {
        let made = self.made.kind(path);
        if made != Kind::Missing {
            return Some(made);
        }
        if self.is_left_out(path) {
            return Some(Kind::Missing);
        }
        let (hashes, below) = (self.hashes.as_ref()?, self.below(path));
        if hashes.contains_key(below) {
            return Some(Kind::File);
        }
        Some(if self.files_below(below).next().is_some() { Kind::Folder } else { Kind::Missing })
    }

    pub(super) fn entries(&self, path: &Utf8Path) -> Option<Result<Vec<DirEntry>, Unreadable>> {
        if path != self.folder
            && let Ok(made) = self.made.list(path)
        {
            return Some(Ok(made));
        }
        if self.is_left_out(path) {
            return Some(Err(Unreadable::Missing));
        }
        let (hashes, below) = (self.hashes.as_ref()?, self.below(path));
        if hashes.contains_key(below) {
            return Some(Err(Unreadable::Special("no directory")));
        }
        // Not grouped: `a-b` is between `a` and `a/c`.
        let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
        for rest in self.files_below(below) {
            let (name, kind) = match rest.split_once('/') {
                Some((name, _)) => (name, Kind::Folder),
                None => (rest, Kind::File),
            };
            kinds.insert(name, kind);
        }
        let entry =
            |(name, kind): (&str, Kind)| DirEntry { name: name.to_owned(), kind, trouble: None };
        let entries: Vec<DirEntry> = kinds.into_iter().map(entry).collect();
        Some(if entries.is_empty() { Err(Unreadable::Missing) } else { Ok(entries) })
    }

    fn files_below<'m>(&'m self, folder: &str) -> impl Iterator<Item = &'m str> {
        let lead = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let hashes = self.hashes.as_deref().into_iter();
        let from = (Bound::Included(lead.clone()), Bound::Unbounded);
        let files = hashes.flat_map(move |hashes| hashes.range::<String, _>(from.clone()));
        files.map_while(move |(path, _)| path.strip_prefix(&*lead))
    }

    pub(super) fn refused(&self, path: &Utf8Path, files: &Files) -> Option<Refusal> {
        let below = Utf8Path::new(self.below(path));
        if self.hashes.is_some() || self.made.is_file(path) {
            return refused_path(below);
        }
        files.of_pack(&self.real).refusal(below)
    }

    pub(super) fn ignores(&self, path: &Utf8Path, files: &Files) -> bool {
        let below = Utf8Path::new(self.below(path));
        self.hashes.is_none() && files.of_pack(&self.real).is_ignored(below)
    }

    pub(super) fn skips(&self, path: &Utf8Path, files: &Files) -> bool {
        let below = Utf8Path::new(self.below(path));
        self.hashes.is_none() && files.of_pack(&self.real).skips(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_of_the_lock_has_what_the_lock_says() {
        let (_folder, root) = crate::testing::folder();
        let real = root.join("store");
        for (path, text) in
            [("contexts/a.md", "a"), ("contexts/x.md", "planted"), ("b.md", "changed")]
        {
            std::fs::create_dir_all(real.join(path).parent().unwrap()).unwrap();
            std::fs::write(real.join(path), text).unwrap();
        }
        let texts =
            [("contexts/a.md", "a"), ("contexts-b.md", "c"), ("b.md", "b"), ("gone.md", "")];
        let hashes = texts.map(|(path, text)| (path.to_owned(), sha256(text.as_bytes())));
        let hashes = Some(Arc::new(BTreeMap::from(hashes)));
        let (folder, made) = (".faber/packs/p".into(), MemoryWorld::default());
        let mount = Mount { folder, real, hashes, is_users: true, is_partial: false, made };
        let files = Files::new(&root).with_mounts(vec![mount]);
        let path = |below: &str| Utf8Path::new(".faber/packs/p").join(below);
        assert_eq!(files.read(&path("contexts/a.md")).unwrap(), "a");
        assert_eq!(files.read(&path("contexts/x.md")), Err(Unreadable::Missing));
        assert_eq!(files.read(&path("contexts")), Err(Unreadable::Special("a directory")));
        let damaged = Unreadable::Damaged { pack: "p".to_owned(), flag: " --user" };
        assert_eq!(files.read(&path("b.md")), Err(damaged));
        assert_eq!(files.markdown_stems(&path("")), ["b", "contexts-b", "gone"]);
        assert_eq!(files.directories(&path("")), ["contexts"]);
        assert_eq!(files.markdown_stems(&path("contexts")), ["a"]);
        assert!(files.is_dir(&path("contexts")) && !files.exists(&path("contexts/x.md")));
        assert_eq!(files.list(&path("no")), Err(Unreadable::Missing));
    }

    #[test]
    fn a_folder_is_seen_as_it_is_and_links_do_not_leave_it() {
        let (_folder, root) = crate::testing::folder();
        for path in ["workspace", "pack/contexts"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(root.join("pack/contexts/a.md"), "a").unwrap();
        std::fs::write(root.join("workspace/own.md"), "own").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("../../workspace/own.md", root.join("pack/contexts/b.md"))
            .unwrap();
        let (folder, real) = (".faber/packs/p".into(), root.join("pack"));
        let made = MemoryWorld::default();
        let mount = Mount { folder, real, hashes: None, is_users: false, is_partial: false, made };
        let files = Files::new(&root.join("workspace")).with_mounts(vec![mount]);
        assert_eq!(files.read(".faber/packs/p/contexts/a.md".into()).unwrap(), "a");
        #[cfg(unix)]
        assert_eq!(files.read(".faber/packs/p/contexts/b.md".into()), Err(Unreadable::Outside));
        assert!(files.markdown_stems(".faber/packs/p/contexts".into()).contains(&"a".to_owned()));
    }
}
