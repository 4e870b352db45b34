//! Finds the workspace.

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::error::Error;

/// Folder that marks a workspace.
pub const MARKER: &str = ".faber";

/// The nearest folder at or above `start` with a `.faber` folder.
///
/// # Errors
///
/// [`Error::NoWorkspace`] if there is none, [`Error::Io`] if `start` does not exist.
pub fn find(start: &Utf8Path) -> Result<Utf8PathBuf, Error> {
    let absolute = start.canonicalize_utf8().map_err(|source| Error::Io {
        action: "open",
        path: start.to_owned(),
        source,
    })?;
    let found = absolute.ancestors().find(|dir| dir.join(MARKER).is_dir());
    found.map(Utf8Path::to_owned).ok_or(Error::NoWorkspace { start: absolute.clone() })
}

/// The workspace of a file that may not exist, and its path with the links of its folders resolved.
pub fn of_file(path: &Utf8Path) -> (Option<Utf8PathBuf>, Utf8PathBuf) {
    let mut folders = path.ancestors().skip(1);
    let there = folders.find_map(|folder| Some((folder, folder.canonicalize_utf8().ok()?)));
    let Some((folder, real)) = there else { return (None, path.to_owned()) };
    let below = path.strip_prefix(folder).unwrap_or(path);
    (find(&real).ok(), real.join(below))
}

/// Whether `folder` is in the same git working tree as `root`, or in `root` if that has none. A
/// submodule is a separate tree.
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

/// The path of `root` relative to its git repository; empty if it is the repository or has none.
pub fn in_repository(root: &Utf8Path) -> Utf8PathBuf {
    // `.git` is a file in worktrees and submodules.
    let repository = root.ancestors().find(|dir| dir.join(".git").exists());
    let inside = repository.and_then(|repository| root.strip_prefix(repository).ok());
    inside.map(Utf8Path::to_owned).unwrap_or_default()
}
