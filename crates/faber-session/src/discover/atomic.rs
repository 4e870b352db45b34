//! Writing files so that a reader sees the old text or the new one, never a part.

use std::io::{ErrorKind, Write};

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::error::Error;

/// How many links in a row are followed; as many as systems do.
const MAX_LINKS: usize = 40;

/// Replaces `path` by `text`, or creates it. A link is followed, permissions of an existing file
/// are kept.
///
/// # Errors
///
/// [`Error::Io`] when the folder cannot be written to; the old file is then untouched.
pub fn replace(path: &Utf8Path, text: &str) -> Result<(), Error> {
    let fail = |source| Error::Io { action: "write", path: path.to_owned(), source };
    let target = follow(path).map_err(fail)?;
    if is_stream(path) || is_stream(&target) {
        // What somebody holds open, such as the file behind `/dev/stdout`, cannot be swapped for
        // another; and it may have text before this one.
        let mut stream = std::fs::OpenOptions::new().append(true).open(path).map_err(fail)?;
        return stream.write_all(text.as_bytes()).map_err(fail);
    }
    let file = written_beside(&target, text).map_err(fail)?;
    file.persist(&target).map_err(|error| fail(error.error))?;
    Ok(())
}

/// What became of a file that was to be replaced only as it was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// It has the new text.
    Done,
    /// It has neither the text that was known nor the new one, or is gone; it is untouched.
    Changed,
    /// It may not be written to, as its permissions say; it is untouched.
    ReadOnly,
}

/// As [`replace`], for a file that still has the text `before` and may be written to.
///
/// The new text is on disk before the old one is compared, so that between that and the swap there
/// is next to no time in which somebody else could write.
///
/// # Errors
///
/// [`Error::Io`] when the file cannot be read or its folder not be written to; the old file is
/// then untouched.
pub fn replace_if(path: &Utf8Path, before: &str, after: &str) -> Result<Replaced, Error> {
    let fail = |source| Error::Io { action: "write", path: path.to_owned(), source };
    let target = follow(path).map_err(fail)?;
    match std::fs::metadata(&target) {
        Ok(found) if !found.is_file() => return Ok(Replaced::Changed),
        // A swap would succeed all the same, since it asks for the folder's permissions alone.
        Ok(found) if found.permissions().readonly() => return Ok(Replaced::ReadOnly),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Replaced::Changed),
        Err(error) => return Err(fail(error)),
    }
    let file = written_beside(&target, after).map_err(fail)?;
    match std::fs::read(&target) {
        Ok(now) if now == before.as_bytes() => {}
        // Under another name of the same file it has been written already.
        Ok(now) if now == after.as_bytes() => return Ok(Replaced::Done),
        Ok(_) => return Ok(Replaced::Changed),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Replaced::Changed),
        Err(error) => return Err(fail(error)),
    }
    file.persist(&target).map_err(|error| fail(error.error))?;
    Ok(Replaced::Done)
}

/// A temporary file in the folder of `target` with `text`, which is on disk.
fn written_beside(target: &Utf8Path, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_str().is_empty() => folder,
        _ => Utf8Path::new("."),
    };
    let mut file =
        tempfile::Builder::new().prefix(".faber-").permissions_like(target).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Where a path leads through links, be it to nothing yet.
fn follow(path: &Utf8Path) -> std::io::Result<Utf8PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = at.read_link_utf8() else { return Ok(at) };
        at = at.parent().unwrap_or(Utf8Path::new("")).join(link);
    }
    Err(std::io::Error::other("the link leads back to itself"))
}

/// Whether a path names something that is written to as it stands: a device, a pipe, or one of the
/// names under which a process finds what it has open.
fn is_stream(path: &Utf8Path) -> bool {
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    let open = ["/dev/stdout", "/dev/stderr", "/dev/fd"].iter().any(|name| path.starts_with(name));
    special || open || (path.starts_with("/proc") && path.as_str().contains("/fd/"))
}

/// Creates `path` with `text` and its folders; never overwrites.
///
/// # Errors
///
/// [`Error::Io`] of kind `AlreadyExists` when there is something, or when it cannot be written.
pub fn create(path: &Utf8Path, text: &str) -> Result<(), Error> {
    let fail = |source| Error::Io { action: "create", path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
        // It is not the file that exists already, but one in the place of its folder.
        ErrorKind::AlreadyExists => fail(ErrorKind::NotADirectory.into()),
        _ => fail(error),
    })?;
    let mut file = tempfile::Builder::new()
        .prefix(".faber-")
        .permissions_like(path)
        .tempfile_in(folder)
        .map_err(fail)?;
    file.write_all(text.as_bytes()).map_err(fail)?;
    file.persist_noclobber(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Creates `path` with the bytes and permissions of `from`, and its folders; never overwrites.
///
/// # Errors
///
/// As [`create`].
pub fn copy(from: &Utf8Path, path: &Utf8Path) -> Result<(), Error> {
    let fail = |source| Error::Io { action: "create", path: path.to_owned(), source };
    let folder = path.parent().unwrap_or(Utf8Path::new("."));
    std::fs::create_dir_all(folder).map_err(fail)?;
    let bytes = std::fs::read(from).map_err(|source| Error::Io {
        action: "read",
        path: from.to_owned(),
        source,
    })?;
    let mut file = tempfile::Builder::new()
        .prefix(".faber-")
        .permissions_like(from)
        .tempfile_in(folder)
        .map_err(fail)?;
    file.write_all(&bytes).map_err(fail)?;
    file.persist_noclobber(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Removes the file at `path`.
///
/// # Errors
///
/// [`Error::Io`] when there is none, or it may not be removed.
pub fn remove(path: &Utf8Path) -> Result<(), Error> {
    let fail = |source| Error::Io { action: "remove", path: path.to_owned(), source };
    std::fs::remove_file(path).map_err(fail)
}

/// Permissions for a file that takes the place of another.
trait PermissionsLike {
    /// Those of `target` when it exists, else what a new file usually gets: a temporary file is
    /// private by default, which would surprise whoever shares the folder.
    fn permissions_like(&mut self, target: &Utf8Path) -> &mut Self;
}

impl PermissionsLike for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_like(&mut self, target: &Utf8Path) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::metadata(target)
            .map_or_else(|_| std::fs::Permissions::from_mode(0o666), |found| found.permissions());
        self.permissions(permissions)
    }

    #[cfg(not(unix))]
    fn permissions_like(&mut self, _target: &Utf8Path) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_as_it_was_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().join("a.md")).unwrap();
        let text = || std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, "other").unwrap();
        assert_eq!(replace_if(&path, "old", "new").unwrap(), Replaced::Changed);
        assert_eq!(text(), "other");
        assert_eq!(replace_if(&path, "other", "new").unwrap(), Replaced::Done);
        assert_eq!(text(), "new");
        assert_eq!(replace_if(&path, "other", "new").unwrap(), Replaced::Done);
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        assert_eq!(replace_if(&path, "new", "newer").unwrap(), Replaced::ReadOnly);
        assert_eq!(text(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
        assert_eq!(replace_if(&path.with_file_name("b.md"), "", "x").unwrap(), Replaced::Changed);
    }
}
