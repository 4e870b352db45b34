//! Files that are read in place.

use bytes::Bytes;
use camino::Utf8Path;
use filebuffer::FileBuffer;

/// The file at `path`, mapped into memory; none when it cannot be.
///
/// A writer replaces such a file, so that readers keep the old content.
pub(super) fn map(path: &Utf8Path) -> Option<Bytes> {
    Some(Bytes::from_owner(FileBuffer::open(path).ok()?))
}
