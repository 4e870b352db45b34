//! Updates the folder of a publication.

use camino::{Utf8Path, Utf8PathBuf};

use super::layout::PublishedFiles;
use crate::listed_folder::{self, FileState, LIST, PlannedChange, listed, print};
use faber_core::error::Error;
use faber_core::paths::lexical;
use faber_session::discover::atomic::{Writer, is_executable};
use faber_session::discover::{files, foreign};
use faber_session::hex::sha256;

const OWN: [&str; 4] = ["contexts", "roles", "overlays", ".faber"];

pub struct PublishFolder {
    folder: Utf8PathBuf,
}

impl PublishFolder {
    /// # Errors
    ///
    /// [`Error::Usage`] for a file, or a part of git or the workspace.
    pub fn open(root: &Utf8Path, path: &Utf8Path) -> Result<Self, Error> {
        let path = lexical(path);
        let folder = Writer::new(root).entry(&path)?;
        let folder = foreign::real_folder(&folder).unwrap_or(folder);
        let refuse = |why: &str| {
            let message = format!("cannot publish to `{path}`: {why}");
            Err(Error::usage(message, "name another folder with `--output`"))
        };
        if files::path_exists(&folder) && !foreign::is_folder(&folder) {
            return refuse("it is not a folder");
        }
        if foreign::is_link(&path) && path.starts_with(root) && !folder.starts_with(root) {
            return refuse("a link leads out of the workspace");
        }
        if folder.components().any(|part| part.as_str().eq_ignore_ascii_case(".git")) {
            return refuse("it is in the folder of git");
        }
        let first = folder.strip_prefix(root).ok().and_then(|it| it.components().next());
        if first.is_some_and(|first| OWN.contains(&first.as_str())) {
            return refuse("faber reads files there");
        }
        Ok(Self { folder })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.folder
    }

    pub fn changes(&self, files: &PublishedFiles) -> Vec<PlannedChange> {
        listed_folder::changes((&self.folder, Utf8Path::new("")), |bytes| sha256(bytes), files)
    }

    /// Until all is written, the list has old and new hashes, for interruptions.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Usage`] if a file changed.
    pub fn write(&self, changes: &[PlannedChange]) -> Result<(), Error> {
        let Some((list, changes)) = changes.split_last() else { return Ok(()) };
        let outdated: Vec<&PlannedChange> =
            changes.iter().filter(|change| change.state != FileState::Unchanged).collect();
        let writer = Writer::new(&self.folder);
        let put = |path: &Utf8Path, before: Option<&[u8]>, after: Option<&[u8]>| {
            writer.change(path, before, after)?.written(path)
        };
        let mut before = list.before.clone();
        if !outdated.is_empty() {
            let mut all = before.as_deref().map(listed).unwrap_or_default();
            for change in changes {
                let hash = change.after.iter().map(|after| after.sha256.clone());
                all.entry(change.path.clone()).or_default().extend(hash);
            }
            let lines = all.iter().flat_map(|(path, hashes)| {
                hashes.iter().map(move |hash| (path.as_str(), hash.as_str()))
            });
            let both = print(lines).into_bytes();
            put(LIST.into(), before.as_deref(), Some(&both))?;
            before = Some(both);
        }
        for change in outdated {
            let after = change.after.as_ref().map(|after| &*after.bytes);
            put(&change.path, change.before.as_deref(), after)?;
            if let Some(file) = &change.after {
                if file.is_executable != is_executable(&self.folder.join(&change.path)) {
                    writer.set_executable(&change.path, file.is_executable)?;
                }
            } else {
                writer.remove_empty(&change.path, Utf8Path::new(""));
            }
        }
        let after = list.after.as_ref().map(|after| &*after.bytes);
        if before.as_deref() == after { Ok(()) } else { put(LIST.into(), before.as_deref(), after) }
    }
}
