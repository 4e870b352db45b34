//! File texts for long-running processes.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use camino::{Utf8Path, Utf8PathBuf};

use crate::discover::locked;
use crate::discover::snapshot::file_stat::FileStat;
use faber_core::file_text::FileText;

#[derive(Debug, Default)]
pub struct FileCache {
    texts: Mutex<HashMap<Utf8PathBuf, CachedFile>>,
    epoch: AtomicU64,
}

#[derive(Debug)]
struct CachedFile {
    stat: FileStat,
    text: FileText,
    epoch: u64,
}

impl FileCache {
    pub fn invalidate(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn get(&self, path: &Utf8Path) -> Option<FileText> {
        let epoch = self.epoch();
        let (stat, before, text) = {
            let texts = locked(&self.texts);
            let entry = texts.get(path)?;
            (entry.stat, entry.epoch, entry.text.clone())
        };
        if before != epoch {
            let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
            if FileStat::of(&metadata) != stat || !stat.is_settled() {
                return None;
            }
            let mut texts = locked(&self.texts);
            if let Some(entry) = texts.get_mut(path).filter(|entry| entry.stat == stat) {
                entry.epoch = epoch;
            }
        }
        Some(text)
    }

    pub(super) fn put(&self, path: &Utf8Path, stat: FileStat, epoch: u64, text: &FileText) {
        let entry = CachedFile { stat, text: text.clone(), epoch };
        locked(&self.texts).insert(path.to_owned(), entry);
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::discover::files::Files;

    use super::*;

    #[test]
    fn a_text_is_current_until_it_is_invalidated() {
        let (_folder, root) = crate::testing::folder();
        let cache = Arc::new(FileCache::default());
        let read = || Files::new(&root).cached_in(&cache).read("a.md".into()).ok();
        assert_eq!(read(), None);
        std::fs::write(root.join("a.md"), "1").unwrap();
        assert_eq!(read().unwrap(), "1");
        std::fs::write(root.join("a.md"), "2").unwrap();
        assert_eq!(read().unwrap(), "1", "nothing was invalidated");
        cache.invalidate();
        assert_eq!(read().unwrap(), "2");
        std::fs::remove_file(root.join("a.md")).unwrap();
        cache.invalidate();
        assert_eq!(read(), None);
    }
}
