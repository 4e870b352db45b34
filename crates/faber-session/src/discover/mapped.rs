use bytes::Bytes;
use camino::Utf8Path;
use filebuffer::FileBuffer;

/// Only for files that writers replace: readers keep the old content.
pub(super) fn map(path: &Utf8Path) -> Option<Bytes> {
    Some(Bytes::from_owner(FileBuffer::open(path).ok()?))
}
