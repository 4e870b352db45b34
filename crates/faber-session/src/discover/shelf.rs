//! What was read from disk, for who reads the same again and again within one process.
//!
//! What lies on a shelf is believed until somebody doubts it. It is then looked at by its stamp, and
//! read again where that tells of a change or may not tell.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    text: Arc<str>,
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
        let (stamp, before, text) = {
            let texts = lock(&self.texts);
            let kept = texts.get(path)?;
            (kept.stamp, kept.doubts, Arc::clone(&kept.text))
        };
        // Nobody is kept from other texts while this one is looked at and copied.
        if before != doubts {
            let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
            if Stamp::of(&metadata) != stamp || !stamp.is_settled() {
                return None;
            }
            if let Some(kept) = lock(&self.texts).get_mut(path).filter(|kept| kept.stamp == stamp) {
                kept.doubts = doubts;
            }
        }
        Some(text.as_ref().to_owned())
    }

    /// Puts a text on the shelf that was read when there were so many doubts.
    pub(super) fn put(&self, path: &Utf8Path, (stamp, doubts): (Stamp, u64), text: &str) {
        let kept = Kept { stamp, text: text.into(), doubts };
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

#[cfg(test)]
mod tests {
    use crate::discover::files::Files;

    use super::*;

    #[test]
    fn what_is_on_the_shelf_is_believed_until_it_is_doubted() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let shelf = Arc::new(Shelf::default());
        let read = || Files::new(&root).kept_on(&shelf).read("a.md".into()).ok();
        assert_eq!(read(), None);
        std::fs::write(root.join("a.md"), "1").unwrap();
        assert_eq!(read().unwrap(), "1");
        // Of the same size, and perhaps within the same tick of the clock.
        std::fs::write(root.join("a.md"), "2").unwrap();
        assert_eq!(read().unwrap(), "1", "nobody has doubted it");
        shelf.doubt();
        assert_eq!(read().unwrap(), "2");
        std::fs::remove_file(root.join("a.md")).unwrap();
        shelf.doubt();
        assert_eq!(read(), None);
    }
}
