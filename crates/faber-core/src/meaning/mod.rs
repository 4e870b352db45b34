//! Embeddings: texts about the same subject have similar vectors, even without common words.
//!
//! A text is split into the word pieces of uncased BERT (`words.rs`, `pieces.rs`), and their rows
//! in a fixed table (`table.rs`) are added up ([`Pool`]). `tools/embedding` made the table from a
//! sentence encoder; frequent pieces have short rows, so no weighting happens here. Sums are of
//! integers, so vectors are the same on every machine.

mod embedder;
mod pieces;
mod pool;
mod probe;
mod table;
mod words;

pub use embedder::Embedder;
pub use pool::{Pool, Vector};
pub use probe::{Probe, cosine};
pub use table::DIMENSIONS;

/// The vector of `text`. For many texts an [`Embedder`] is faster.
pub fn embed(text: &str) -> Vector {
    let mut pool = Pool::new();
    pool.add(text);
    pool.finish()
}

#[cfg(test)]
mod tests;
