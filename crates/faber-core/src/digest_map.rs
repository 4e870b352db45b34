//! Bytes by the digest of what they follow from, for caches that outlive a process.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::file_text::Digest;

/// The most bytes that are stored.
const MAX_BYTES: usize = 128 << 20;

const KEY: usize = size_of::<Digest>();
const NUMBER: usize = 4;
/// Bytes of a key and of the places where its value begins and ends.
const INDEX_ENTRY: usize = KEY + 2 * NUMBER;

/// A map from digests to bytes. What was stored is read where it lies; what is added is in memory.
#[derive(Debug, Default)]
pub struct DigestMap {
    /// What [`Self::to_bytes`] gave: the number of entries, their index in the order of the keys, and their
    /// values.
    loaded: Bytes,
    // Looked up by key, and sorted before it is listed.
    added: Mutex<HashMap<Digest, Bytes>>,
}

impl DigestMap {
    /// A map with what [`Self::to_bytes`] gave. Of other bytes nothing is found, or something else.
    pub fn from_bytes(loaded: Bytes) -> Self {
        Self { loaded, added: Mutex::default() }
    }

    /// All entries, to be stored; none when nothing was added.
    ///
    /// Above 128 MiB those that were loaded are dropped, all at once: nothing tells which of them are
    /// still in use.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let added = self.added();
        if added.is_empty() {
            return None;
        }
        let mut all: Vec<(&[u8], &[u8])> =
            added.iter().map(|(key, value)| (key.as_slice(), &**value)).collect();
        let size: usize = all.iter().map(|(_, value)| INDEX_ENTRY + value.len()).sum();
        if size + self.loaded.len() <= MAX_BYTES {
            let loaded = (0..self.count()).filter_map(|at| self.entry(at));
            all.extend(loaded.map(|(key, range)| (key, &self.loaded[range])));
        }
        all.sort_unstable();
        let number = |number: usize| u32::try_from(number).ok().map(u32::to_le_bytes);
        let mut bytes = number(all.len())?.to_vec();
        let mut end = NUMBER + all.len() * INDEX_ENTRY;
        for (key, value) in &all {
            bytes.extend(*key);
            bytes.extend(number(end)?);
            end += value.len();
            bytes.extend(number(end)?);
        }
        for (_, value) in &all {
            bytes.extend(*value);
        }
        Some(bytes)
    }

    /// The bytes of a digest.
    pub fn get(&self, key: &Digest) -> Option<Bytes> {
        let known = || self.added().get(key).cloned();
        self.find(key).map(|range| self.loaded.slice(range)).or_else(known)
    }

    pub fn insert(&self, key: Digest, value: Bytes) {
        self.added().insert(key, value);
    }

    /// The value of a digest, which is made when it is not there.
    pub(crate) fn get_or_make<T: Serialize + DeserializeOwned>(
        &self,
        key: Digest,
        make: impl FnOnce() -> T,
    ) -> T {
        let known = self.get(&key).and_then(|bytes| rmp_serde::from_slice(&bytes).ok());
        known.unwrap_or_else(|| {
            let value = make();
            if let Ok(bytes) = rmp_serde::to_vec(&value) {
                self.insert(key, bytes.into());
            }
            value
        })
    }

    fn added(&self) -> MutexGuard<'_, HashMap<Digest, Bytes>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of entries that were loaded: no more than there is room for.
    fn count(&self) -> usize {
        let room = self.loaded.len().saturating_sub(NUMBER) / INDEX_ENTRY;
        number(&self.loaded, 0).unwrap_or(0).min(room)
    }

    fn entry(&self, at: usize) -> Option<(&[u8], std::ops::Range<usize>)> {
        let start = NUMBER + at * INDEX_ENTRY;
        let key = self.loaded.get(start..start + KEY)?;
        let range = number(&self.loaded, start + KEY)?..number(&self.loaded, start + KEY + NUMBER)?;
        self.loaded.get(range.clone())?;
        Some((key, range))
    }

    fn find(&self, key: &Digest) -> Option<std::ops::Range<usize>> {
        let (mut low, mut high) = (0, self.count());
        while low < high {
            let middle = usize::midpoint(low, high);
            let (own, range) = self.entry(middle)?;
            match own.cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(range),
            }
        }
        None
    }
}

/// The number in four bytes.
pub(crate) fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + NUMBER)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_stored_and_what_was_added_is_found() {
        let key = |number: u8| Digest::from([number; KEY]);
        let first = DigestMap::default();
        assert_eq!(first.to_bytes(), None, "nothing was added");
        for number in [7, 1, 4] {
            first.insert(key(number), vec![number; number.into()].into());
        }
        let second = DigestMap::from_bytes(first.to_bytes().unwrap().into());
        assert_eq!(second.to_bytes(), None, "nothing was added");
        second.insert(key(2), Bytes::from_static(b"two"));
        let third = DigestMap::from_bytes(second.to_bytes().unwrap().into());
        for map in [&second, &third] {
            assert_eq!(map.get(&key(7)).unwrap(), [7; 7].as_slice());
            assert_eq!(map.get(&key(2)).unwrap(), "two");
            assert_eq!(map.get(&key(3)), None);
        }
        let full = DigestMap::from_bytes(vec![0; MAX_BYTES].into());
        full.insert(key(1), Bytes::from_static(b"1"));
        assert_eq!(full.to_bytes().unwrap().len(), NUMBER + INDEX_ENTRY + 1, "it starts over");
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_loaded(bytes: Vec<u8>, key: Digest) {
            let map = DigestMap::from_bytes(bytes.into());
            map.get(&key);
            map.insert(key, Bytes::new());
            map.to_bytes();
        }
    }
}
