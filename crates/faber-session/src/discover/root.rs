use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::failed;
use faber_core::error::Error;

pub const MARKER: &str = ".faber";

/// # Errors
///
/// [`Error::NoWorkspace`], or [`Error::Io`] if a folder may not be entered.
pub fn find(start: &Utf8Path) -> Result<Utf8PathBuf, Error> {
    let absolute = start.canonicalize_utf8().map_err(failed("read", start))?;
    for folder in absolute.ancestors() {
        match folder.join(MARKER).metadata() {
            Ok(found) if found.is_dir() => return Ok(folder.to_owned()),
            Err(source) if source.kind() == ErrorKind::PermissionDenied => {
                return Err(failed("read", folder)(source));
            }
            _ => {}
        }
    }
    Err(Error::NoWorkspace { start: absolute })
}

pub fn of_file(path: &Utf8Path) -> (Option<Utf8PathBuf>, Utf8PathBuf) {
    let mut folders = path.ancestors().skip(1);
    let there = folders.find_map(|folder| Some((folder, folder.canonicalize_utf8().ok()?)));
    let Some((folder, real)) = there else { return (None, path.to_owned()) };
    let below = path.strip_prefix(folder).unwrap_or(path);
    (find(&real).ok(), real.join(below))
}

pub(super) fn repository(folder: &Utf8Path) -> Option<&Utf8Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}
