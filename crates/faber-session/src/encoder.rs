//! The user's encoder, with the vectors of the passages that it has encoded.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use faber_encoder::{Encoder, cosine};
use rayon::prelude::*;

use faber_core::workspace::caches::Store;

/// The file of vectors in the cache.
const FILE: &str = "vectors";
/// With more vectors than this, those that are in use are kept.
const MOST: usize = 50_000;

/// What a vector is found by: the beginning of the hash of its text.
type Key = [u8; 16];

/// Encodes questions and passages. Passages are encoded once, by content.
#[derive(Debug)]
pub struct TextEncoder {
    encoder: Encoder,
    vectors: Mutex<Vectors>,
    store: Option<Arc<dyn Store>>,
    encoded: AtomicUsize,
}

/// Vectors by the hash of their texts.
#[derive(Debug, Default)]
struct Vectors {
    /// The hash of the encoder, then key and vector of each text, sorted by key.
    stored: Bytes,
    /// Those used in this process.
    used: BTreeMap<Key, Vec<i8>>,
}

impl TextEncoder {
    /// An encoder with the vectors of a store.
    pub(crate) fn new(encoder: Encoder, store: Option<Arc<dyn Store>>) -> Self {
        let stored = store.as_ref().and_then(|store| store.get(FILE));
        let stored = stored.filter(|bytes| bytes.starts_with(encoder.digest())).unwrap_or_default();
        let stored =
            if stored.is_empty() { stored } else { stored.slice(encoder.digest().len()..) };
        let vectors = Mutex::new(Vectors { stored, used: BTreeMap::new() });
        Self { encoder, vectors, store, encoded: AtomicUsize::new(0) }
    }

    /// The name of the model.
    pub fn name(&self) -> &str {
        self.encoder.name()
    }

    /// The passages encoded in this process.
    pub fn encoded(&self) -> usize {
        self.encoded.load(Ordering::Relaxed)
    }

    /// The vector of a question, for [`Self::similarities`].
    pub fn question(&self, text: &str) -> Vec<i8> {
        self.encoder.encode(text)
    }

    /// The cosine of the vector of a question with each passage. Encodes passages without a known vector, and
    /// stores their vectors.
    pub fn similarities(&self, question: &[i8], passages: &[String]) -> Vec<f64> {
        let keys: Vec<Key> = passages.iter().map(|text| key(text)).collect();
        let width = self.encoder.width();
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<Option<Vec<i8>>> = keys.iter().map(|key| vectors.get(key, width)).collect();
        let encode = |(text, known): (&String, Option<Vec<i8>>)| {
            known.unwrap_or_else(|| self.encoder.encode(text))
        };
        let missing = found.iter().filter(|known| known.is_none()).count();
        let all: Vec<Vec<i8>> = passages.par_iter().zip(found).map(encode).collect();
        let similarities = all.iter().map(|vector| cosine(question, vector)).collect();
        vectors.used.extend(keys.into_iter().zip(all));
        if missing > 0 {
            self.encoded.fetch_add(missing, Ordering::Relaxed);
            self.save(&mut vectors);
        }
        similarities
    }

    fn save(&self, vectors: &mut Vectors) {
        let Some(store) = &self.store else { return };
        let width = self.encoder.width();
        let mut all = std::mem::take(&mut vectors.used);
        if vectors.stored.len() / (width + size_of::<Key>()) + all.len() <= MOST {
            for entry in vectors.stored.chunks_exact(size_of::<Key>() + width) {
                if let Some((key, vector)) = entry.split_first_chunk() {
                    all.entry(*key).or_insert_with(|| signed(vector));
                }
            }
        }
        let mut bytes = self.encoder.digest().to_vec();
        for (key, vector) in &all {
            bytes.extend_from_slice(key);
            bytes.extend(vector.iter().map(|x| x.cast_unsigned()));
        }
        store.put(FILE, &bytes);
        vectors.stored = Bytes::from(bytes).slice(self.encoder.digest().len()..);
    }
}

impl Vectors {
    fn get(&self, key: &Key, width: usize) -> Option<Vec<i8>> {
        if let Some(known) = self.used.get(key) {
            return Some(known.clone());
        }
        let size = size_of::<Key>() + width;
        let entry = |at: usize| &self.stored[at * size..(at + 1) * size];
        let (mut low, mut high) = (0, self.stored.len() / size);
        while low < high {
            let middle = usize::midpoint(low, high);
            if entry(middle)[..size_of::<Key>()] < key[..] {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = (low < self.stored.len() / size).then(|| entry(low))?;
        found.strip_prefix(key).map(signed)
    }
}

fn signed(bytes: &[u8]) -> Vec<i8> {
    bytes.iter().map(|byte| byte.cast_signed()).collect()
}

fn key(text: &str) -> Key {
    let hash = blake3::hash(text.as_bytes());
    std::array::from_fn(|at| hash.as_bytes()[at])
}
