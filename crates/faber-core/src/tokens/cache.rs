//! Counts that were made before.
//!
//! A count is a function of encoding and text, so it can be kept by the hash of both for good. Hashing is
//! several times as fast as counting.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use faber_tokens::{count, parts};

use crate::tokens::Encoding;

/// The first half of the BLAKE3 hash of an encoding's name and a text.
type TokensKey = [u8; KEY];
const KEY: usize = 16;
/// Bytes of one entry: the key and the count.
const ENTRY: usize = KEY + 4;
/// The most entries that are kept: 2 MB, which takes a millisecond to read.
const MAX_ENTRIES: usize = 100_000;
/// The most bytes of parts of texts whose counts are kept, a few times what a bundle is chosen from.
const MAX_PARTS: usize = 4 << 20;

/// Token counts by encoding and text.
#[derive(Debug, Default)]
pub struct TokenCache {
    /// Entries of [`Self::from_bytes`], in the order of their keys.
    loaded: Bytes,
    // Looked up by key, and sorted before it is listed.
    added: Mutex<HashMap<TokensKey, u32>>,
    parts: Mutex<PartCounts>,
}

/// Counts of parts of texts, for one process: excerpts of a text and drafts of a bundle share most lines.
#[derive(Debug, Default)]
struct PartCounts {
    // Looked up one part at a time, never listed.
    counts: HashMap<Encoding, HashMap<Box<str>, usize>>,
    bytes: usize,
}

impl TokenCache {
    /// A cache with the entries that [`Self::to_bytes`] gave. Bytes after the last whole entry are
    /// ignored.
    pub fn from_bytes(loaded: impl Into<Bytes>) -> Self {
        Self { loaded: loaded.into(), ..Self::default() }
    }

    /// All entries, to be stored; none when nothing was added.
    ///
    /// Above 100 000 entries those that were loaded are dropped, all at once: nothing tells which of
    /// them are still in use.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let added = self.added();
        if added.is_empty() {
            return None;
        }
        let fresh = added.iter().map(|(key, count)| {
            let mut entry = [0; ENTRY];
            entry[..KEY].copy_from_slice(key);
            entry[KEY..].copy_from_slice(&count.to_le_bytes());
            entry
        });
        let mut entries: Vec<[u8; ENTRY]> = fresh.collect();
        if self.loaded().len() + entries.len() <= MAX_ENTRIES {
            entries.extend_from_slice(self.loaded());
        }
        entries.sort_unstable();
        Some(entries.concat())
    }

    /// The count of `text`, computed by `count` if it is not known.
    pub(super) fn get_or_count(
        &self,
        encoding: Encoding,
        text: &str,
        count: impl FnOnce() -> usize,
    ) -> usize {
        let key = key(encoding, text);
        if let Some(known) = self.get(&key) {
            return known as usize;
        }
        let count = count();
        if let Ok(count) = u32::try_from(count) {
            self.added().insert(key, count);
        }
        count
    }

    /// The count of `text`, of whose parts none is counted twice.
    pub(super) fn count_by_parts(&self, encoding: Encoding, text: &str) -> usize {
        parts(encoding, text).map(|part| self.part(encoding, part)).sum()
    }

    fn part(&self, encoding: Encoding, part: &str) -> usize {
        let lock = || self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().counts.get(&encoding).and_then(|counts| counts.get(part).copied());
        known.unwrap_or_else(|| {
            let count = count(encoding, part);
            let mut parts = lock();
            if parts.bytes + part.len() <= MAX_PARTS {
                parts.bytes += part.len();
                parts.counts.entry(encoding).or_default().insert(part.into(), count);
            }
            count
        })
    }

    fn added(&self) -> MutexGuard<'_, HashMap<TokensKey, u32>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn loaded(&self) -> &[[u8; ENTRY]] {
        self.loaded.as_chunks().0
    }

    fn get(&self, key: &TokensKey) -> Option<u32> {
        let found = self.loaded().binary_search_by(|entry| entry[..KEY].cmp(key));
        match found {
            Ok(at) => {
                let [.., a, b, c, d] = self.loaded()[at];
                Some(u32::from_le_bytes([a, b, c, d]))
            }
            Err(_) => self.added().get(key).copied(),
        }
    }
}

fn key(encoding: Encoding, text: &str) -> TokensKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(encoding.name().as_bytes()).update(&[0]).update(text.as_bytes());
    let mut key = [0; KEY];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..KEY]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    const O200K: Encoding = Encoding::O200kBase;

    #[test]
    fn texts_are_counted_once() {
        let texts = ["", "one", "two", "three", "four", "five"];
        let first = TokenCache::default();
        for (count, text) in texts.iter().enumerate() {
            assert_eq!(first.get_or_count(O200K, text, || count), count);
            assert_eq!(first.get_or_count(O200K, text, || panic!("known")), count);
        }
        let mut bytes = first.to_bytes().unwrap();
        bytes.push(0);
        let second = TokenCache::from_bytes(bytes);
        for (count, text) in texts.iter().enumerate() {
            assert_eq!(second.get_or_count(O200K, text, || panic!("loaded")), count);
        }
        assert_eq!(second.to_bytes(), None, "nothing is new");
        let other = Encoding::Cl100kBase;
        assert_eq!(second.get_or_count(other, "one", || 7), 7, "encodings count differently");
        assert_eq!(second.to_bytes().unwrap().len(), 7 * ENTRY);
    }

    #[test]
    fn parts_are_counted_once_while_there_is_room() {
        let cache = TokenCache::default();
        let text = "# One\n\n- two\n- three\n/four\n";
        for _ in 0..2 {
            assert_eq!(cache.count_by_parts(O200K, text), count(O200K, text));
            let kept = cache.parts.lock().unwrap();
            assert_eq!((kept.bytes, kept.counts[&O200K].len()), (text.len(), 3));
        }
        cache.count_by_parts(O200K, &"x ".repeat(MAX_PARTS / 2));
        assert_eq!(cache.parts.lock().unwrap().bytes, text.len());
    }

    #[test]
    fn a_full_cache_starts_over() {
        let full = TokenCache::from_bytes(vec![0; MAX_ENTRIES * ENTRY]);
        full.get_or_count(O200K, "one", || 5);
        assert_eq!(full.to_bytes().unwrap().len(), ENTRY);
    }
}
