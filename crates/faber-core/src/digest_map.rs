//! Persistent maps from digests to bytes.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use foldhash::HashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::file_text::Digest;

const KEY: usize = size_of::<Digest>();
/// Additions are separate up to this part of the rest.
const SHARE: usize = 4;

pub(crate) const NUMBER: usize = 4;
const INDEX_ENTRY: usize = KEY + 2 * NUMBER;

type IndexRecord = [u8; INDEX_ENTRY];

pub trait BlobStore: Debug + Send + Sync {
    fn get(&self, name: &str) -> Option<Bytes>;
    fn put(&self, name: &str, bytes: &[u8]);
}

#[derive(Debug, Default)]
pub struct DigestMap {
    whole: Entries,
    since: Entries,
    added: Mutex<HashMap<Digest, Bytes>>,
}

/// Count, index sorted by key, values.
#[derive(Debug, Default)]
struct Entries(Bytes);

type KeyValue<'a> = (&'a [u8], &'a [u8]);

fn merged<'a>(
    old: impl Iterator<Item = KeyValue<'a>>,
    new: impl ExactSizeIterator<Item = KeyValue<'a>>,
) -> Vec<KeyValue<'a>> {
    let mut all = Vec::with_capacity(old.size_hint().1.unwrap_or(0) + new.len());
    let mut new = new.peekable();
    for entry in old {
        while let Some(before) = new.next_if(|(key, _)| *key < entry.0) {
            all.push(before);
        }
        new.next_if(|(key, _)| *key == entry.0);
        all.push(entry);
    }
    all.extend(new);
    all
}

fn since(name: &str) -> String {
    format!("{name}-since")
}

impl DigestMap {
    pub fn open(store: &dyn BlobStore, name: &str) -> Self {
        let entries = |name: &str| Entries(store.get(name).unwrap_or_default());
        Self { whole: entries(name), since: entries(&since(name)), added: Mutex::default() }
    }

    /// Above `max_bytes`, drops loaded entries.
    pub fn save(&self, store: &dyn BlobStore, name: &str, max_bytes: usize) {
        let added = self.added();
        if added.is_empty() {
            return;
        }
        let mut new: Vec<KeyValue<'_>> =
            added.iter().map(|(key, value)| (key.as_slice(), &**value)).collect();
        new.sort_unstable();
        let new = merged(self.since.iter(), new.into_iter());
        let put = |name: &str, all: &[KeyValue<'_>]| {
            if let Some(bytes) = Entries::to_bytes(all) {
                store.put(name, &bytes);
            }
        };
        let size: usize = new.iter().map(|(_, value)| INDEX_ENTRY + value.len()).sum();
        if size < self.whole.0.len() / SHARE {
            return put(&since(name), &new);
        }
        if size + self.whole.0.len() <= max_bytes {
            put(name, &merged(self.whole.iter(), new.into_iter()));
        } else {
            put(name, &new);
        }
        if !self.since.0.is_empty() {
            store.put(&since(name), &[]);
        }
    }

    pub fn get(&self, key: &Digest) -> Option<Bytes> {
        let known = || self.added().get(key).cloned();
        self.whole.get(key).or_else(|| self.since.get(key)).or_else(known)
    }

    pub fn insert(&self, key: Digest, value: Bytes) {
        self.added().insert(key, value);
    }

    pub fn added_count(&self) -> usize {
        self.added().len()
    }

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
}

impl Entries {
    fn to_bytes(all: &[KeyValue<'_>]) -> Option<Vec<u8>> {
        let number = |number: usize| u32::try_from(number).ok().map(u32::to_le_bytes);
        let mut end = NUMBER + all.len() * INDEX_ENTRY;
        let size = all.iter().map(|(_, value)| value.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(end + size);
        bytes.extend(number(all.len())?);
        for (key, value) in all {
            bytes.extend_from_slice(key);
            bytes.extend(number(end)?);
            end += value.len();
            bytes.extend(number(end)?);
        }
        for (_, value) in all {
            bytes.extend_from_slice(value);
        }
        Some(bytes)
    }

    fn iter(&self) -> impl Iterator<Item = KeyValue<'_>> {
        self.index().iter().filter_map(|entry| {
            let value = self.value(entry)?;
            Some((&entry[..KEY], &self.0[value]))
        })
    }

    fn index(&self) -> &[IndexRecord] {
        let entries = self.0.get(NUMBER..).unwrap_or_default().as_chunks().0;
        &entries[..number(&self.0, 0).unwrap_or(0).min(entries.len())]
    }

    fn value(&self, entry: &IndexRecord) -> Option<std::ops::Range<usize>> {
        let range = number(entry, KEY)?..number(entry, KEY + NUMBER)?;
        self.0.get(range.clone()).map(|_| range)
    }

    fn get(&self, key: &Digest) -> Option<Bytes> {
        let index = self.index();
        let wanted = u128::from_be_bytes(*key);
        let key_of = |entry: &IndexRecord| {
            u128::from_be_bytes(*entry.first_chunk().expect("an entry begins with its key"))
        };
        let near = near(key, index.len());
        let is_near = near.start.checked_sub(1).is_none_or(|at| key_of(&index[at]) < wanted)
            && index.get(near.end).is_none_or(|entry| key_of(entry) > wanted);
        let range = if is_near { &index[near] } else { index };
        let at = range.binary_search_by_key(&wanted, key_of).ok()?;
        Some(self.0.slice(self.value(&range[at])?))
    }
}

fn near(key: &Digest, count: usize) -> std::ops::Range<usize> {
    let [a, b, c, d, ..] = *key;
    let share = u128::from(u32::from_be_bytes([a, b, c, d]));
    let at = usize::try_from((share * count as u128) >> 32).unwrap_or(0);
    // Four standard deviations, at most half the root of `count` each.
    let reach = 2 * count.isqrt();
    at.saturating_sub(reach)..count.min(at + reach)
}

pub(crate) fn number_bytes(number: usize) -> [u8; NUMBER] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

pub(crate) fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + NUMBER)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Default)]
    pub(crate) struct MemoryStore(Mutex<HashMap<String, Bytes>>);

    impl MemoryStore {
        pub(crate) fn texts(&self) -> HashMap<String, Bytes> {
            self.0.lock().unwrap().clone()
        }
    }

    impl BlobStore for MemoryStore {
        fn get(&self, name: &str) -> Option<Bytes> {
            self.texts().get(name).cloned()
        }

        fn put(&self, name: &str, bytes: &[u8]) {
            self.0.lock().unwrap().insert(name.to_owned(), Bytes::copy_from_slice(bytes));
        }
    }

    fn key(number: u8) -> Digest {
        [number; KEY]
    }

    #[test]
    fn what_was_stored_and_what_was_added_is_found() {
        let store = MemoryStore::default();
        let first = DigestMap::open(&store, "m");
        first.save(&store, "m", 1 << 20);
        assert!(store.texts().is_empty(), "nothing was added");
        for number in [70, 10, 40] {
            first.insert(key(number), vec![number; number.into()].into());
        }
        first.save(&store, "m", 1 << 20);
        let whole = store.get("m").unwrap();
        let second = DigestMap::open(&store, "m");
        second.insert(key(2), Bytes::from_static(b"two"));
        second.save(&store, "m", 1 << 20);
        assert_eq!(store.get("m").unwrap(), whole, "little was added");
        let third = DigestMap::open(&store, "m");
        third.insert(key(3), vec![3; 90].into());
        third.save(&store, "m", 1 << 20);
        assert_eq!(store.get("m-since").unwrap(), "", "much was added");
        let fourth = DigestMap::open(&store, "m");
        for map in [&third, &fourth] {
            assert_eq!(map.get(&key(70)).unwrap(), [70; 70].as_slice());
            assert_eq!(map.get(&key(2)).unwrap(), "two");
            assert_eq!(map.get(&key(3)).unwrap(), [3; 90].as_slice());
            assert_eq!(map.get(&key(4)), None);
        }
        fourth.insert(key(2), Bytes::from_static(b"two"));
        fourth.insert(key(5), vec![5; 250].into());
        fourth.save(&store, "m", 1 << 20);
        assert_eq!(number(&store.get("m").unwrap(), 0), Some(6), "each once");
    }

    #[test]
    fn keys_are_found_wherever_they_are() {
        let spread = |number: u16| crate::file_text::digest(&number.to_le_bytes());
        let alike = |number: u16| {
            let mut key = Digest::default();
            key[14..].copy_from_slice(&number.to_be_bytes());
            key
        };
        for key in [spread, alike] {
            let store = MemoryStore::default();
            let first = DigestMap::open(&store, "m");
            for number in 0..3000 {
                first.insert(key(number), Bytes::copy_from_slice(&number.to_le_bytes()));
            }
            first.save(&store, "m", 1 << 20);
            let second = DigestMap::open(&store, "m");
            for number in 0..3000 {
                assert_eq!(second.get(&key(number)).unwrap(), number.to_le_bytes().as_slice());
                assert_eq!(second.get(&key(number + 3000)), None);
            }
        }
    }

    #[test]
    fn a_full_map_starts_over() {
        let store = MemoryStore::default();
        store.put("m", &[0; 400]);
        let full = DigestMap::open(&store, "m");
        full.insert(key(1), vec![1; 100].into());
        full.save(&store, "m", 400);
        assert_eq!(store.get("m").unwrap().len(), NUMBER + INDEX_ENTRY + 100);
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_loaded(bytes: Vec<u8>, since: Vec<u8>, key: Digest) {
            let store = MemoryStore::default();
            store.put("m", &bytes);
            store.put("m-since", &since);
            let map = DigestMap::open(&store, "m");
            map.get(&key);
            map.insert(key, Bytes::new());
            map.save(&store, "m", 1 << 20);
        }
    }
}
