use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use faber_encoder::{Encoder, cosine};
use rayon::prelude::*;

use faber_core::digest_map::{BlobStore, DigestMap};
use faber_core::file_text::{Digest, digest};

const FILE: &str = "vectors";
const MAX_BYTES: usize = 128 << 20;

#[derive(Debug)]
pub struct TextEncoder {
    encoder: Encoder,
    vectors: DigestMap,
    store: Option<Arc<dyn BlobStore>>,
    encoded: AtomicUsize,
}

impl TextEncoder {
    pub(crate) fn new(encoder: Encoder, store: Option<Arc<dyn BlobStore>>) -> Self {
        let open = |store: &Arc<dyn BlobStore>| DigestMap::open(&**store, FILE);
        let vectors = store.as_ref().map(open).unwrap_or_default();
        Self { encoder, vectors, store, encoded: AtomicUsize::new(0) }
    }

    pub fn name(&self) -> &str {
        self.encoder.name()
    }

    pub fn encoded(&self) -> usize {
        self.encoded.load(Ordering::Relaxed)
    }

    pub fn question(&self, text: &str) -> Vec<i8> {
        self.encoder.encode(text)
    }

    pub fn similarities(&self, question: &[i8], passages: &[String]) -> Vec<f64> {
        let encode = |text: &String| {
            let key = self.key(text);
            let known = self.vectors.get(&key).filter(|known| known.len() == self.encoder.width());
            let vector = known.as_deref().map_or_else(|| self.encoder.encode(text), signed);
            if known.is_none() {
                self.vectors.insert(key, vector.iter().map(|x| x.cast_unsigned()).collect());
                self.encoded.fetch_add(1, Ordering::Relaxed);
            }
            cosine(question, &vector)
        };
        let encoded = self.encoded();
        let similarities = passages.par_iter().map(encode).collect();
        if let Some(store) = self.store.as_ref().filter(|_| self.encoded() > encoded) {
            self.vectors.save(&**store, FILE, MAX_BYTES);
        }
        similarities
    }

    fn key(&self, text: &str) -> Digest {
        digest(&[self.encoder.digest(), text.as_bytes()].concat())
    }
}

fn signed(bytes: &[u8]) -> Vec<i8> {
    bytes.iter().map(|byte| byte.cast_signed()).collect()
}
