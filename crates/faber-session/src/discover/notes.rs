//! Lock for decisions about notes.

use std::fs::File;
use std::time::Duration;

use camino::Utf8Path;

use crate::discover::{cache, lock};
use faber_core::error::Error;

/// Ignored by git.
const FOLDER: &str = ".faber/state";
const LOCK: &str = "notes.lock";
const MARKS: [(&str, &str); 1] = [(".gitignore", "*\n")];
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Held until the file is closed.
///
/// # Errors
///
/// [`Error::Io`], also after 10 seconds.
pub fn turn(root: &Utf8Path) -> Result<File, Error> {
    let path = Utf8Path::new(FOLDER).join(LOCK);
    let fail = |source| Error::Io { action: "lock", path: path.clone(), source };
    let folder = cache::plain(root, Utf8Path::new(FOLDER))
        .ok_or_else(|| fail(std::io::Error::other("its folder is a link")))?;
    std::fs::create_dir_all(&folder).map_err(fail)?;
    cache::write_markers(&folder, &MARKS).map_err(fail)?;
    let held = lock::exclusive_within(&folder.join(LOCK), LOCK_TIMEOUT).map_err(fail)?;
    held.ok_or_else(|| fail(std::io::Error::other("another process decides about notes")))
}
