//! BM25F: BM25 over weighted fields. Robertson and Zaragoza, "The Probabilistic Relevance
//! Framework: BM25 and Beyond", 2009, section 3.6:
//!
//! ```text
//! f     = Σ over fields of weight · tf / (1 − b + b·length/average)
//! score = Σ over terms of qtf · idf · f·(k₁ + 1) / (f + k₁)
//! ```
//!
//! qtf, the frequency in the question, is doubled for names such as `GPL`.

use crate::numbers::float;

/// Usual values (section 3.2).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Of [`HEAD`] (names, keywords, headings) and [`BODY`].
pub const WEIGHTS: [f64; 2] = [3.0, 1.0];
pub const HEAD: usize = 0;
pub const BODY: usize = 1;

pub fn idf(total: usize, having: usize) -> f64 {
    let (total, having) = (float(total), float(having));
    (1.0 + (total - having + 0.5) / (having + 0.5)).ln()
}

/// Without idf. `lengths` are relative to the average.
pub fn saturated(counts: [u32; WEIGHTS.len()], lengths: [f64; WEIGHTS.len()]) -> f64 {
    let fields = counts.iter().zip(lengths).zip(WEIGHTS);
    let weighted =
        fields.map(|((&often, length), weight)| weight * f64::from(often) / (1.0 - B + B * length));
    let frequency: f64 = weighted.sum();
    frequency * (K1 + 1.0) / (frequency + K1)
}

pub fn bound(idf: impl Iterator<Item = f64>) -> f64 {
    idf.sum::<f64>() * (K1 + 1.0)
}

/// From 0 to 1. `bound` is 0 if no text has any term.
pub fn relevance(score: f64, bound: f64) -> f64 {
    (score / bound.max(f64::MIN_POSITIVE)).sqrt()
}

pub fn average(sum: u64, count: usize) -> f64 {
    float(usize::try_from(sum).unwrap_or(usize::MAX)).max(1.0) / float(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarity_length_and_repetition_count_as_they_should() {
        assert!(idf(100, 1) > idf(100, 2) && idf(100, 100) > 0.0);
        let body = |often, length| saturated([0, often], [1.0, length]);
        assert!(body(2, 1.0) > body(1, 1.0) && body(1, 0.5) > body(1, 2.0));
        assert!((saturated([3, 0], [1.0, 1.0]) - body(9, 1.0)).abs() < 1e-12);
        assert!((saturated([3, 3], [1.0, 1.0]) - body(12, 1.0)).abs() < 1e-12);
        let most = idf(10, 1) * saturated([u32::MAX; 2], [0.0; 2]);
        assert!((relevance(most, bound([idf(10, 1)].into_iter())) - 1.0).abs() < 1e-6);
        assert!(relevance(0.0, bound([].into_iter())).abs() < 1e-12);
    }
}
