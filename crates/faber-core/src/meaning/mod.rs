//! What a text means, as a vector: texts about the same thing point the same way, also when they
//! share no word.
//!
//! A text is cut into the word pieces of uncased BERT (`words.rs`, `pieces.rs`), and the rows that a
//! fixed table (`table.rs`) has for them are added up ([`Pool`]). The table was made from a sentence
//! encoder by `tools/embedding`; frequent pieces have short rows, so no weighing happens here. Sums
//! are of whole numbers, so a vector is the same on every machine.

mod classes;
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

/// The vector of `text`. Who has many texts keeps an [`Embedder`], which is faster.
pub fn embed(text: &str) -> Vector {
    let mut pool = Pool::new();
    pool.add(text);
    pool.finish()
}

#[cfg(test)]
mod tests;
