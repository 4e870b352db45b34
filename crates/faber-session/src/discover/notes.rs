//! The turn of a process that decides about notes: one at a time, so that none is decided twice.

use std::fs::File;
use std::time::Duration;

use camino::Utf8Path;

use crate::discover::{cache, lock};
use faber_core::error::Error;

/// The folder of the lock, which git ignores.
const FOLDER: &str = ".faber/state";
const LOCK: &str = "notes.lock";
const MARKS: [(&str, &str); 1] = [(".gitignore", "*\n")];
/// How long another process may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for the turn in the workspace at `root`, which lasts as long as the file is open.
///
/// # Errors
///
/// [`Error::Io`] if the lock cannot be made, or another process keeps it for long.
pub fn turn(root: &Utf8Path) -> Result<File, Error> {
    let path = Utf8Path::new(FOLDER).join(LOCK);
    let fail = |source| Error::Io { action: "lock", path: path.clone(), source };
    let folder = cache::plain(root, Utf8Path::new(FOLDER))
        .ok_or_else(|| fail(std::io::Error::other("its folder is a link")))?;
    std::fs::create_dir_all(&folder).map_err(fail)?;
    cache::mark(&folder, &MARKS).map_err(fail)?;
    let held = lock::soon(&folder.join(LOCK), PATIENCE).map_err(fail)?;
    held.ok_or_else(|| fail(std::io::Error::other("another process decides about notes")))
}
