//! Vectors of sentences from a small BERT model, such as all-MiniLM-L6-v2. Bytes in, vectors out: no I/O.
//!
//! [`convert`](convert::convert) makes one file of eight-bit integers from the files of a model
//! (`file.rs` has the format), [`Encoder`] reads it in place and encodes texts (`model.rs`). All sums of
//! products are of integers and all others have a fixed order, so a text has the same vector on every
//! machine, with and without vector instructions.

pub mod convert;
mod file;
mod math;
mod model;
mod pieces;
mod safetensors;
mod wheel;

#[cfg(test)]
mod tests;

pub use file::{Encoder, InvalidFile};
pub use wheel::Wheel;

/// The cosine of the vectors of two texts, −1 to 1; 0 if one is empty or of another encoder.
pub fn cosine(a: &[i8], b: &[i8]) -> f64 {
    let product = |(&a, &b): (&i8, &i8)| f64::from(i16::from(a) * i16::from(b));
    let dot = |a: &[i8], b: &[i8]| a.iter().zip(b).map(product).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if a.len() == b.len() && lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}
