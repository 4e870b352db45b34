use jiff::civil::Date;
use pgvector::HalfVector;
use sha2::{Digest, Sha256};

use faber_core::meaning;

/// PostgreSQL has no year 0.
pub(crate) fn day(date: Date) -> String {
    date.max(jiff::civil::date(1, 1, 1)).to_string()
}

pub(crate) fn dimension() -> i32 {
    i32::try_from(meaning::DIMENSIONS).unwrap_or(i32::MAX)
}

pub(crate) fn digest(parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_vec()
}

/// Exact for all `i8` values.
pub(crate) fn to_half(values: &[i8; meaning::DIMENSIONS]) -> HalfVector {
    let halves: Vec<half::f16> =
        values.iter().map(|&value| half::f16::from_f32(f32::from(value))).collect();
    HalfVector::from(halves)
}
