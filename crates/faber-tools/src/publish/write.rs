use camino::{Utf8Path, Utf8PathBuf};

use super::layout::PublishedFiles;
use crate::listed_folder::{self, PlannedChange};
use faber_core::error::Error;
use faber_core::paths::lexical;
use faber_session::discover::atomic::Writer;
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
            Err(Error::usage(message, "name another directory with `--output`"))
        };
        if files::path_exists(&folder) && !foreign::is_folder(&folder) {
            return refuse("it is not a directory");
        }
        if foreign::is_link(&path) && path.starts_with(root) && !folder.starts_with(root) {
            return refuse("a link leads out of the workspace");
        }
        if folder.components().any(|part| part.as_str().eq_ignore_ascii_case(".git")) {
            return refuse("it is in the directory of git");
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

    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::Usage`] if a file changed.
    pub fn write(&self, changes: &[PlannedChange]) -> Result<(), Error> {
        let failed = listed_folder::write(&self.folder, changes);
        failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
    }
}
