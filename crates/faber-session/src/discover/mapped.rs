//! Files that are read in place.

use camino::Utf8Path;
use tantivy::directory::{Directory, MmapDirectory, OwnedBytes};

/// The file at `path`, mapped into memory; none when it cannot be.
///
/// A writer replaces such a file, so that readers keep the old content.
pub(super) fn map(path: &Utf8Path) -> Option<OwnedBytes> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    // tantivy's directory maps files into memory, so that faber needs no unsafe code for it.
    let directory = MmapDirectory::open(folder.as_std_path()).ok()?;
    directory.open_read(name.as_ref()).ok()?.read_bytes().ok()
}
