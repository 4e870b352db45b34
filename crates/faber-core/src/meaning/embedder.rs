//! Embeds many texts quickly.

use super::pool::Pool;
use super::table::{RowId, nonzero_rows};
use super::words::{chunks, is_punctuation};

/// 74 kB: most processes embed little.
const FIRST_SLOTS: usize = 1 << 11;
/// 1.2 MB. Fewer would make more words ten times as slow.
const MAX_SLOTS: usize = 1 << 15;
const MAX_KEY_BYTES: usize = 24;
const MAX_ROWS: usize = 6;

pub struct Embedder {
    slots: Vec<WordSlot>,
    cached: usize,
    rows: Vec<RowId>,
}

#[derive(Clone, Copy, Default)]
struct WordSlot {
    key: [u8; MAX_KEY_BYTES],
    key_length: u8,
    count: u8,
    rows: [RowId; MAX_ROWS],
}

impl Default for Embedder {
    fn default() -> Self {
        Self { slots: vec![WordSlot::default(); FIRST_SLOTS], cached: 0, rows: Vec::new() }
    }
}

impl Embedder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, pool: &mut Pool, text: &str) {
        for chunk in chunks(text).filter(|chunk| !is_punctuation(chunk)) {
            let hash = hash(chunk);
            let slot = &self.slots[hash % self.slots.len()];
            if slot.key() == chunk.as_bytes() {
                pool.add_rows(&slot.rows[..usize::from(slot.count)]);
                continue;
            }
            nonzero_rows(chunk, &mut self.rows);
            pool.add_rows(&self.rows);
            if let Some(slot) = WordSlot::new(chunk, &self.rows) {
                self.keep(hash, slot);
            }
        }
    }

    fn keep(&mut self, hash: usize, slot: WordSlot) {
        if self.cached == self.slots.len() && self.cached < MAX_SLOTS {
            let slots = vec![WordSlot::default(); 4 * self.slots.len()];
            for slot in std::mem::replace(&mut self.slots, slots) {
                let at = self::hash(slot.chunk()) % self.slots.len();
                self.slots[at] = slot;
            }
        }
        self.cached += 1;
        let at = hash % self.slots.len();
        self.slots[at] = slot;
    }
}

impl WordSlot {
    fn new(chunk: &str, rows: &[RowId]) -> Option<Self> {
        let mut slot = Self::default();
        slot.key.get_mut(..chunk.len())?.copy_from_slice(chunk.as_bytes());
        slot.rows.get_mut(..rows.len())?.copy_from_slice(rows);
        slot.key_length = u8::try_from(chunk.len()).ok()?;
        slot.count = u8::try_from(rows.len()).ok()?;
        Some(slot)
    }

    fn key(&self) -> &[u8] {
        &self.key[..usize::from(self.key_length)]
    }

    fn chunk(&self) -> &str {
        str::from_utf8(self.key()).unwrap_or_default()
    }
}

/// FNV-1a. Forced collisions only disable the cache.
fn hash(chunk: &str) -> usize {
    let mut hash = 0x811C_9DC5_u32;
    for byte in chunk.bytes().take(MAX_KEY_BYTES) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    (hash ^ (hash >> 15)) as usize
}
