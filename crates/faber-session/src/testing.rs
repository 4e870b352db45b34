use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

#[expect(clippy::disallowed_methods, reason = "a folder for a test")]
pub(crate) fn folder() -> (TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    (folder, path)
}
