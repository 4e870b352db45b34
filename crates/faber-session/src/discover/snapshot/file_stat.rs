//! Detects changed files by metadata.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// Clocks tick every 1 to 10 ms: later changes may have equal times.
const TICK: Duration = Duration::from_millis(100);
/// For times in whole seconds.
pub(crate) const COARSE_TICK: Duration = Duration::from_secs(3);

/// In nanoseconds since 1970. Programs cannot set back `changed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileStat {
    pub(crate) size: u64,
    modified: i64,
    changed: i64,
    device: u64,
    inode: u64,
}

impl FileStat {
    pub(crate) const BYTES: usize = 5 * 8;

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let [modified, changed] = [self.modified, self.changed].map(i64::cast_unsigned);
        let numbers = [self.size, modified, changed, self.device, self.inode];
        let mut bytes = [0; Self::BYTES];
        for (to, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *to = number.to_le_bytes();
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let number = |at: usize| u64::from_le_bytes(bytes.as_chunks::<8>().0[at]);
        let [size, modified, changed, device, inode] = std::array::from_fn(number);
        let [modified, changed] = [modified, changed].map(u64::cast_signed);
        Self { size, modified, changed, device, inode }
    }

    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000) + nanos;
        Self {
            size: metadata.size(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos = |time: std::io::Result<SystemTime>| {
            let since = time.ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_nanos()).ok()
        };
        Self {
            size: metadata.len(),
            modified: nanos(metadata.modified()).unwrap_or(i64::MAX),
            changed: nanos(metadata.created()).unwrap_or(i64::MAX),
            device: 0,
            inode: 0,
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        since_1970().is_some_and(|now| self.racy_until() < now)
    }

    /// Git calls earlier entries racy.
    pub(crate) fn racy_until(&self) -> Duration {
        let whole_seconds = self.modified % 1_000_000_000 == 0;
        let tick = if whole_seconds { COARSE_TICK } else { TICK };
        let latest = u64::try_from(self.modified.max(self.changed)).unwrap_or(u64::MAX);
        Duration::from_nanos(latest).saturating_add(tick)
    }
}

pub(crate) fn since_1970() -> Option<Duration> {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()
}
