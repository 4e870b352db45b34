//! What is known of the files of a workspace by their texts alone, for who looks at it again and again.
//!
//! What is kept has places in it, and a place is one of a file by its number. So it counts for the
//! same file under the same number: when files come or go, numbers change, and it is rebuilt.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::Utf8Path;

use faber_core::source::{FileId, SourceMap};

/// What is known of each file, for as long as the process lasts.
#[derive(Debug, Default)]
pub struct Memory {
    // Asked for one file at a time, never listed.
    files: Mutex<HashMap<FileId, Arc<Row>>>,
}

/// What is known of one file.
#[derive(Debug)]
struct Row {
    path: Arc<Utf8Path>,
    text: String,
    known: Mutex<HashMap<&'static str, Arc<dyn Any + Send + Sync>>>,
}

/// What is known of the files of one look at the workspace.
#[derive(Debug)]
pub struct Kept {
    memory: Arc<Memory>,
    /// The rows that were found to be of the texts that are looked at: texts are compared once.
    current: Mutex<HashMap<FileId, Arc<Row>>>,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// What is known for another look. Of several at the same time each has its own files.
    pub fn look(self: &Arc<Self>) -> Kept {
        Kept { memory: Arc::clone(self), current: Mutex::default() }
    }

    /// Forgets everything: what it followed from besides the texts is no longer the same.
    pub fn forget(&self) {
        lock(&self.files).clear();
    }
}

impl Kept {
    /// What `make` says of a file, which must follow from its number, path and text and from what
    /// `what` names. It is asked only when it is not known; nobody waits for others meanwhile.
    pub fn of<T: Send + Sync + 'static>(
        &self,
        (sources, file): (&SourceMap, FileId),
        what: &'static str,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let row = self.row(sources, file);
        let known = lock(&row.known).get(what).cloned();
        if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
            return known;
        }
        let new = Arc::new(make());
        lock(&row.known).insert(what, Arc::clone(&new) as Arc<dyn Any + Send + Sync>);
        new
    }

    fn row(&self, sources: &SourceMap, file: FileId) -> Arc<Row> {
        if let Some(row) = lock(&self.current).get(&file) {
            return Arc::clone(row);
        }
        let source = sources.get(file);
        let known = lock(&self.memory.files).get(&file).cloned();
        let is_it =
            |row: &Arc<Row>| row.path.as_str() == source.path.as_str() && row.text == source.text;
        let row = known.filter(is_it).unwrap_or_else(|| {
            let (path, text) = (Arc::clone(&source.path), source.text.clone());
            let row = Arc::new(Row { path, text, known: Mutex::default() });
            lock(&self.memory.files).insert(file, Arc::clone(&row));
            row
        });
        lock(&self.current).insert(file, Arc::clone(&row));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_counts_for_the_same_text_under_the_same_number() {
        let memory = Arc::new(Memory::default());
        let ask = |texts: &[(&str, &str)], at: usize, made: u8| {
            let mut sources = SourceMap::default();
            let add = |&(path, text): &(&str, &str)| sources.add(path.into(), text.to_owned());
            let files: Vec<FileId> = texts.iter().map(add).collect();
            *memory.look().of((&sources, files[at]), "a", || made)
        };
        let two = [("a.md", "x"), ("b.md", "y")];
        assert_eq!((ask(&two, 1, 1), ask(&two, 1, 2)), (1, 1));
        assert_eq!(ask(&[("a.md", "x"), ("b.md", "z")], 1, 3), 3, "another text");
        assert_eq!(ask(&[("b.md", "z"), ("b.md", "x")], 1, 4), 4, "another number before");
        assert_eq!(ask(&[("a.md", "x"), ("c.md", "x")], 1, 5), 5, "another path");
        memory.forget();
        assert_eq!(ask(&[("a.md", "x"), ("c.md", "x")], 1, 6), 6);
    }
}
