//! Counts that were made before.
//!
//! A count is a function of encoding and text, so it can be kept by the hash of both for good. What
//! this saves is not counting but loading the vocabulary, which takes longer than everything else.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::tokens::Encoding;

/// The first half of the BLAKE3 hash of an encoding's name and a text.
type Key = [u8; KEY];
const KEY: usize = 16;
/// Bytes of one entry: the key and the count.
const ENTRY: usize = KEY + 4;
/// The most entries that are kept: 2 MB, which takes a millisecond to read.
const MOST: usize = 100_000;

static MEMORY: OnceLock<Memory> = OnceLock::new();

struct Memory {
    /// Entries in the order of their keys.
    known: Vec<u8>,
    // Asked for one key at a time, and sorted before it is listed.
    learned: Mutex<HashMap<Key, u32>>,
}

/// Begins to remember, with what [`learned`] gave before. Only the first call of a process counts.
pub fn begin(mut known: Vec<u8>) {
    known.truncate(known.len() / ENTRY * ENTRY);
    MEMORY.get_or_init(|| Memory { known, learned: Mutex::default() });
}

/// Everything that is known, to be kept; none when nothing is new.
pub fn learned() -> Option<Vec<u8>> {
    MEMORY.get().and_then(Memory::all)
}

/// Whether the count of `text` is known.
pub(super) fn knows(encoding: Encoding, text: &str) -> bool {
    MEMORY.get().is_some_and(|memory| memory.get(&key(encoding, text)).is_some())
}

/// The count of `text`, which `count` is asked for when it is not known.
pub(super) fn recall(encoding: Encoding, text: &str, count: impl FnOnce() -> usize) -> usize {
    match MEMORY.get() {
        Some(memory) => memory.recall(key(encoding, text), count),
        None => count(),
    }
}

fn key(encoding: Encoding, text: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(encoding.name().as_bytes()).update(&[0]).update(text.as_bytes());
    let mut key = [0; KEY];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..KEY]);
    key
}

impl Memory {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, u32>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recall(&self, key: Key, count: impl FnOnce() -> usize) -> usize {
        if let Some(known) = self.get(&key) {
            return known as usize;
        }
        let count = count();
        if let Ok(count) = u32::try_from(count) {
            self.lock().insert(key, count);
        }
        count
    }

    fn get(&self, key: &Key) -> Option<u32> {
        let entry = |at: usize| &self.known[at * ENTRY..(at + 1) * ENTRY];
        let (mut low, mut high) = (0, self.known.len() / ENTRY);
        while low < high {
            let middle = usize::midpoint(low, high);
            match entry(middle)[..KEY].cmp(key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let count = entry(middle)[KEY..].try_into().expect("a count has 4 bytes");
                    return Some(u32::from_le_bytes(count));
                }
            }
        }
        self.lock().get(key).copied()
    }

    fn all(&self) -> Option<Vec<u8>> {
        let learned = self.lock();
        if learned.is_empty() {
            return None;
        }
        let fresh = learned.iter().map(|(key, count)| {
            let mut entry = [0; ENTRY];
            entry[..KEY].copy_from_slice(key);
            entry[KEY..].copy_from_slice(&count.to_le_bytes());
            entry
        });
        let mut entries: Vec<[u8; ENTRY]> = fresh.collect();
        // Rather than to guess which are still wanted, all that are old are forgotten at once.
        if self.known.len() / ENTRY + entries.len() <= MOST {
            let known = self.known.chunks_exact(ENTRY);
            entries.extend(known.map(|entry| <[u8; ENTRY]>::try_from(entry).expect("whole")));
        }
        entries.sort_unstable();
        Some(entries.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(known: Vec<u8>) -> Memory {
        Memory { known, learned: Mutex::default() }
    }

    #[test]
    fn what_was_counted_once_is_not_counted_again() {
        let texts = ["", "one", "two", "three", "four", "five"];
        let keys: Vec<Key> = texts.map(|text| key(Encoding::O200kBase, text)).to_vec();
        let first = memory(Vec::new());
        for (count, key) in keys.iter().enumerate() {
            assert_eq!(first.recall(*key, || count), count);
            assert_eq!(first.recall(*key, || panic!("known")), count);
        }
        let second = memory(first.all().unwrap());
        for (count, key) in keys.iter().enumerate() {
            assert_eq!(second.recall(*key, || panic!("kept")), count);
        }
        assert_eq!(second.all(), None, "nothing is new");
        let other = key(Encoding::Cl100kBase, "one");
        assert_eq!(second.recall(other, || 7), 7, "encodings count differently");
        assert_eq!(second.all().unwrap().len(), 7 * ENTRY);
    }

    #[test]
    fn a_memory_that_is_full_starts_anew() {
        let full = memory(vec![0; MOST * ENTRY]);
        full.recall([1; KEY], || 5);
        assert_eq!(full.all().unwrap().len(), ENTRY);
    }
}
