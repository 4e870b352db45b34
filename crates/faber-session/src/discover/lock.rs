//! Locks among processes. One that ends, however it ends, has none any more.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind};
use std::time::{Duration, Instant};

use camino::Utf8Path;

/// How long to sleep at first before a lock is tried again, and how long at most.
const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

/// The lock of the file `path`, which is made when there is none; no lock when another process holds it.
///
/// # Errors
///
/// `InvalidInput` when something else than a file is there, and what opening can fail with.
pub(super) fn now(path: &Utf8Path) -> std::io::Result<Option<File>> {
    held(path, File::try_lock)
}

/// A file that is locked by `lock`.
fn held(
    path: &Utf8Path,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> std::io::Result<Option<File>> {
    // A link would lead elsewhere, and a pipe would wait.
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(Error::new(ErrorKind::InvalidInput, "the lock is not a file"));
    }
    let file = File::options().create(true).append(true).open(path)?;
    match lock(&file) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The lock of the file `path` together with others that take it so; it is waited for as in [`soon`].
///
/// # Errors
///
/// As [`now`].
pub(super) fn shared(path: &Utf8Path, patience: Duration) -> std::io::Result<Option<File>> {
    waiting(patience, || held(path, File::try_lock_shared))
}

/// As [`now`]; who has the lock is given `patience` to be done with it.
///
/// # Errors
///
/// As [`now`].
pub(super) fn soon(path: &Utf8Path, patience: Duration) -> std::io::Result<Option<File>> {
    waiting(patience, || now(path))
}

/// Tries until there is a lock.
fn waiting(
    patience: Duration,
    lock: impl Fn() -> std::io::Result<Option<File>>,
) -> std::io::Result<Option<File>> {
    let (mut pause, longest) = PAUSES;
    let start = Instant::now();
    loop {
        if let Some(lock) = lock()? {
            return Ok(Some(lock));
        }
        // To wait without an end would make of one process that hangs many.
        if start.elapsed() >= patience {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(longest);
    }
}
