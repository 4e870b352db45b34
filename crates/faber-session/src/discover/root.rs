//! Finding the workspace.

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::error::Error;

/// The folder that makes a directory a workspace.
pub const MARKER: &str = ".faber";

/// The nearest directory from `start` upwards that holds `.faber/`; an explicit one must hold it
/// itself or below a parent, exactly as the current directory must.
///
/// # Errors
///
/// [`Error::NoWorkspace`] when there is none, [`Error::Io`] when `start` does not exist.
pub fn find(start: &Utf8Path) -> Result<Utf8PathBuf, Error> {
    let absolute = start.canonicalize_utf8().map_err(|source| Error::Io {
        action: "open",
        path: start.to_owned(),
        source,
    })?;
    let found = absolute.ancestors().find(|dir| dir.join(MARKER).is_dir());
    found.map(Utf8Path::to_owned).ok_or(Error::NoWorkspace { start: absolute.clone() })
}

/// The workspace that a file belongs to, which need not be there yet, and where the file really lies:
/// links among its folders are followed. None for the first when it belongs to no workspace.
pub fn of_file(path: &Utf8Path) -> (Option<Utf8PathBuf>, Utf8PathBuf) {
    let mut folders = path.ancestors().skip(1);
    let there = folders.find_map(|folder| Some((folder, folder.canonicalize_utf8().ok()?)));
    let Some((folder, real)) = there else { return (None, path.to_owned()) };
    let below = path.strip_prefix(folder).unwrap_or(path);
    (find(&real).ok(), real.join(below))
}

/// Whether a folder is a part of the workspace at `root`, or of the working tree of git that this lies in; a submodule
/// is another one.
pub(crate) fn is_of_repository(root: &Utf8Path, folder: &Utf8Path) -> bool {
    let repository = |folder: &Utf8Path| {
        let found = folder.ancestors().find(|dir| dir.join(".git").exists());
        found.map(Utf8Path::to_owned)
    };
    match repository(root) {
        Some(own) => repository(folder) == Some(own),
        None => folder.starts_with(root),
    }
}

/// Where `root`, a folder, lies in the repository of git that holds it, seen from the root of that:
/// empty when it is the root, and when no folder above it is a repository.
pub fn in_repository(root: &Utf8Path) -> Utf8PathBuf {
    // In a worktree and in a submodule `.git` is a file.
    let repository = root.ancestors().find(|dir| dir.join(".git").exists());
    let inside = repository.and_then(|repository| root.strip_prefix(repository).ok());
    inside.map(Utf8Path::to_owned).unwrap_or_default()
}
