use std::io::ErrorKind;

use camino::Utf8Path;

use crate::discover::files::Files;
use crate::discover::snapshot::observation::{FolderNames, is_plain, kind_of};
use faber_core::error::reason;
use faber_core::world::{DirEntry, Kind, Unreadable};

impl Files {
    pub(super) fn entries_on_disk(&self, path: &Utf8Path) -> Result<Vec<DirEntry>, Unreadable> {
        let folder = self.root().join(path);
        match self.recorder().look(&folder) {
            Kind::Folder => {}
            Kind::Missing => {
                let error = folder.symlink_metadata().err();
                let denial = error.filter(|error| error.kind() == ErrorKind::PermissionDenied);
                let Some(denial) = denial else { return Err(Unreadable::Missing) };
                self.recorder().mark_uncacheable();
                return Err(Unreadable::Io(reason(&denial)));
            }
            Kind::File | Kind::Other => return Err(Unreadable::Special("no directory")),
        }
        let listed = std::fs::read_dir(&folder).map_err(|error| {
            self.recorder().mark_uncacheable();
            Unreadable::Io(reason(&error))
        })?;
        let (mut entries, mut seen, mut has_links) = (Vec::new(), FolderNames::new(), false);
        for entry in listed {
            let Ok(entry) = entry else {
                self.recorder().mark_uncacheable();
                continue;
            };
            let found = entry.file_type();
            let is_link = found.as_ref().is_ok_and(std::fs::FileType::is_symlink);
            has_links |= is_link;
            let kind = found.map_or(Kind::Other, kind_of);
            entries.push(match entry.file_name().into_string() {
                Ok(name) if name.contains('\\') => unusable(name, Unreadable::Backslash),
                Ok(name) if is_link => self.linked(path, name),
                Ok(name) => DirEntry { name, kind, trouble: None },
                Err(name) => unusable(name.to_string_lossy().into_owned(), Unreadable::Name),
            });
            seen.insert((entry.file_name(), kind));
        }
        self.listed(&folder, &seen);
        // Targets of links may change without the folder.
        if !has_links && entries.iter().all(|entry| entry.trouble.is_none()) {
            self.recorder().keep_folder(path, &entries);
        }
        Ok(entries)
    }

    fn linked(&self, folder: &Utf8Path, name: String) -> DirEntry {
        let path = folder.join(&name);
        let (kind, trouble) = match std::fs::metadata(self.root().join(&path)) {
            Ok(metadata) => {
                let kind = kind_of(metadata.file_type());
                let trouble = if self.is_inside(&path) {
                    (kind == Kind::Folder && self.leads_back(&path)).then_some(Unreadable::Loop)
                } else {
                    Some(Unreadable::Outside)
                };
                (kind, trouble)
            }
            Err(error) => (Kind::Other, Some(Unreadable::Io(reason(&error)))),
        };
        DirEntry { name, kind, trouble }
    }

    fn leads_back(&self, path: &Utf8Path) -> bool {
        let real = |path: &Utf8Path| self.root().join(path).canonicalize_utf8().ok();
        let target = real(path);
        path.ancestors().skip(1).any(|above| real(above) == target)
    }

    fn listed(&self, folder: &Utf8Path, names: &FolderNames) {
        if !self.recorder().is_recording() {
            return;
        }
        match is_plain(folder) {
            Ok(true) => {
                self.recorder().plain(folder);
                self.recorder().listing(folder, names);
            }
            _ => self.recorder().mark_uncacheable(),
        }
    }
}

fn unusable(name: String, trouble: Unreadable) -> DirEntry {
    DirEntry { name, kind: Kind::Other, trouble: Some(trouble) }
}
