use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind};
use std::time::{Duration, Instant};

use camino::Utf8Path;

const PAUSES: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(5));

type TryLock = fn(&File) -> Result<(), TryLockError>;
type HeldLock = std::io::Result<Option<File>>;

/// `None` if another process holds it. `InvalidInput` for special files.
pub(super) fn now(path: &Utf8Path) -> HeldLock {
    held(path, File::try_lock)
}

fn held(path: &Utf8Path, lock: TryLock) -> HeldLock {
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

pub(super) fn shared(path: &Utf8Path, timeout: Duration) -> HeldLock {
    waiting(path, timeout, File::try_lock_shared)
}

pub(super) fn exclusive_within(path: &Utf8Path, timeout: Duration) -> HeldLock {
    waiting(path, timeout, File::try_lock)
}

fn waiting(path: &Utf8Path, timeout: Duration, lock: TryLock) -> HeldLock {
    let (mut pause, longest) = PAUSES;
    let start = Instant::now();
    loop {
        if let Some(lock) = held(path, lock)? {
            return Ok(Some(lock));
        }
        if start.elapsed() >= timeout {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(longest);
    }
}
