//! Sums of rows, and their normalized vectors.

use super::table::{DIMENSIONS, RowId, STEP, nonzero_rows, row};
use super::words::{chunks, is_punctuation};

pub(super) const LENGTH: f64 = 127.0;

/// Rows that fit into a 16-bit sum: 255 × 128 < 2¹⁵.
const MAX_RECENT: u8 = u8::MAX;

#[derive(Clone, Debug)]
pub struct Pool {
    recent: [i16; DIMENSIONS],
    count: u8,
    sums: [i32; DIMENSIONS],
}

impl Default for Pool {
    fn default() -> Self {
        Self { recent: [0; DIMENSIONS], count: 0, sums: [0; DIMENSIONS] }
    }
}

impl Pool {
    pub fn new() -> Self {
        Self::default()
    }

    /// Words must not span two calls.
    pub fn add(&mut self, text: &str) {
        let mut rows = Vec::new();
        for chunk in chunks(text).filter(|chunk| !is_punctuation(chunk)) {
            nonzero_rows(chunk, &mut rows);
            self.add_rows(&rows);
        }
    }

    pub fn add_pool(&mut self, other: &Self) {
        self.settle();
        for (sum, more) in self.sums.iter_mut().zip(other.totals()) {
            *sum = sum.saturating_add(more);
        }
    }

    fn add_rows(&mut self, rows: &[RowId]) {
        for &id in rows {
            if self.count == MAX_RECENT {
                self.settle();
            }
            self.count += 1;
            for (sum, value) in self.recent.iter_mut().zip(row(id)) {
                *sum += i16::from(value.cast_signed());
            }
        }
    }

    fn settle(&mut self) {
        self.sums = self.totals();
        self.recent = [0; DIMENSIONS];
        self.count = 0;
    }

    fn totals(&self) -> [i32; DIMENSIONS] {
        let mut totals = self.sums;
        for (total, &recent) in totals.iter_mut().zip(&self.recent) {
            *total = total.saturating_add(i32::from(recent));
        }
        totals
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "lengths need no more digits"
    )]
    pub fn finish(&self) -> Vector {
        let totals = self.totals();
        let length = totals.iter().fold(0.0_f64, |sum, &x| sum + f64::from(x).powi(2)).sqrt();
        if length < 1.0 {
            return Vector::default();
        }
        let numbers = totals.map(|total| total as f32);
        let factor = (LENGTH / length) as f32;
        // Comparisons assume equal lengths. Rounding adds errors; a second attempt corrects most.
        let first = rounded(&numbers, factor);
        let second = rounded(&numbers, factor * (LENGTH / length_of(&first)) as f32);
        let off = |values| (length_of(values) - LENGTH).abs();
        let values = if off(&second) < off(&first) { second } else { first };
        Vector { values, length: length as f32 * STEP }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "numbers are rounded, and clamped by the cast")]
fn rounded(numbers: &[f32; DIMENSIONS], factor: f32) -> [i8; DIMENSIONS] {
    // Adding 1.5 × 2²³ rounds, faster than `round` without an instruction for it.
    const SHIFT: f32 = 12_582_912.0;
    numbers.map(|number| (number * factor + SHIFT - SHIFT) as i8)
}

fn length_of(values: &[i8; DIMENSIONS]) -> f64 {
    let squares: u32 = values.iter().map(|&value| u32::from(value.unsigned_abs()).pow(2)).sum();
    f64::from(squares.max(1)).sqrt()
}

#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// 127 × the unit vector, rounded; zero if no piece is known.
    pub values: [i8; DIMENSIONS],
    /// Grows with the number, rarity and agreement of words.
    pub length: f32,
}

impl Default for Vector {
    fn default() -> Self {
        Self { values: [0; DIMENSIONS], length: 0.0 }
    }
}

#[derive(Clone, Debug)]
pub struct QueryVector {
    values: [i16; DIMENSIONS],
    scale: f32,
}

impl QueryVector {
    pub fn new(vector: &Vector) -> Self {
        Self::of_values(&vector.values)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a cosine needs no more digits")]
    fn of_values(values: &[i8; DIMENSIONS]) -> Self {
        let scale = 1.0 / (length_of(values) * LENGTH);
        Self { values: values.map(i16::from), scale: scale as f32 }
    }

    /// From −1 to 1; 0 if a vector is empty or `row` has another length. The error is usually
    /// 0.2 %, at most 6 %.
    pub fn cosine(&self, row: &[u8]) -> f32 {
        let Ok(row) = <&[u8; DIMENSIONS]>::try_from(row) else {
            return 0.0;
        };
        let mut wide = [0_i16; DIMENSIONS];
        for (to, from) in wide.iter_mut().zip(row) {
            *to = i16::from(from.cast_signed());
        }
        let dot: i32 =
            self.values.iter().zip(&wide).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a sum of some hundred products of bytes fits"
        )]
        let dot = dot as f32;
        (dot * self.scale).clamp(-1.0, 1.0)
    }
}

pub fn cosine(a: &[i8; DIMENSIONS], b: &[u8]) -> f32 {
    QueryVector::of_values(a).cosine(b)
}

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
