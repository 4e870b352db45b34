//! Sentence vectors from a small BERT model.
//!
//! [`convert`](convert::convert) makes one file of a model; [`Encoder`] reads it in place. Vectors
//! are equal on every machine: sums are of integers, or in a fixed order.

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

pub fn cosine(a: &[i8], b: &[i8]) -> f64 {
    let product = |(&a, &b): (&i8, &i8)| f64::from(i16::from(a) * i16::from(b));
    let dot = |a: &[i8], b: &[i8]| a.iter().zip(b).map(product).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if a.len() == b.len() && lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}
