use std::fs::File;
use std::time::Duration;

use camino::Utf8Path;

use crate::discover::{audit, cache, create_state_folder, failed, lock};
use faber_core::error::Error;

const LOCK: &str = "notes.lock";
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Held until the file is closed.
///
/// # Errors
///
/// [`Error::Io`], also after 10 seconds.
pub fn turn(root: &Utf8Path) -> Result<File, Error> {
    let path = Utf8Path::new(audit::FOLDER).join(LOCK);
    let fail = failed("lock", &path);
    let folder = cache::plain(root, Utf8Path::new(audit::FOLDER))
        .ok_or_else(|| fail(std::io::Error::other("its directory is a link")))?;
    create_state_folder(&folder).map_err(fail)?;
    let held = lock::exclusive_within(&folder.join(LOCK), LOCK_TIMEOUT).map_err(fail)?;
    held.ok_or_else(|| fail(std::io::Error::other("another process writes notes")))
}
