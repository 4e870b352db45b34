//! What was read from disk, for who reads the same again and again within one process.
//!
//! What lies on a shelf is believed until somebody doubts it. It is then looked at by its stamp, and
//! read again where that tells of a change or may not tell.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::stamp::Stamp;

/// Texts.
#[derive(Debug, Default)]
pub struct Shelf {
    // Asked for one path at a time, never listed.
    texts: Mutex<HashMap<Utf8PathBuf, Kept>>,
    doubts: Mutex<u64>,
}

#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    text: String,
    /// The doubts that there were when it was looked at last.
    doubts: u64,
}

impl Shelf {
    /// Something on disk may have changed.
    pub fn doubt(&self) {
        *lock(&self.doubts) += 1;
    }

    /// The text of the regular file at `path`, if it is on the shelf and is what the disk has.
    pub(super) fn text(&self, path: &Utf8Path) -> Option<String> {
        let doubts = *lock(&self.doubts);
        let mut texts = lock(&self.texts);
        let kept = texts.get_mut(path)?;
        if kept.doubts != doubts {
            let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
            let stamp = Stamp::of(&metadata);
            if stamp != kept.stamp || !stamp.is_settled() {
                return None;
            }
            kept.doubts = doubts;
        }
        Some(kept.text.clone())
    }

    /// Puts a text on the shelf that was read when there were so many doubts.
    pub(super) fn put(&self, path: &Utf8Path, (stamp, doubts): (Stamp, u64), text: &str) {
        let kept = Kept { stamp, text: text.to_owned(), doubts };
        lock(&self.texts).insert(path.to_owned(), kept);
    }

    /// How often something was doubted.
    pub(super) fn doubts(&self) -> u64 {
        *lock(&self.doubts)
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
