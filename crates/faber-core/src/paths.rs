//! Paths of files of a workspace.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// `path` relative to `folder`, without `.` and `..`; `None` if it leaves the workspace.
pub fn normalize(folder: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
    let mut parts: Vec<&str> = Vec::new();
    for component in folder.components().chain(Utf8Path::new(path).components()) {
        match component {
            Utf8Component::Normal(part) => parts.push(part),
            Utf8Component::ParentDir => {
                parts.pop()?;
            }
            Utf8Component::CurDir => {}
            Utf8Component::RootDir | Utf8Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/").into())
}
