//! Comparing one vector with many.

use super::pool::{LENGTH, Vector, length_of};
use super::table::DIMENSIONS;

/// A vector that many rows of bytes are compared with.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Widened once, so that what is left to do for a row is what every x86-64 does eight numbers at a time.
    values: [i16; DIMENSIONS],
    /// From a product of bytes to a cosine.
    scale: f32,
}

impl Probe {
    /// Prepares `vector`.
    pub fn new(vector: &Vector) -> Self {
        Self::of_values(&vector.values)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a cosine needs no more digits")]
    fn of_values(values: &[i8; DIMENSIONS]) -> Self {
        let scale = 1.0 / (length_of(values) * LENGTH);
        Self { values: values.map(i16::from), scale: scale as f32 }
    }

    /// The cosine between this and `row`, the `values` of a [`Vector`] as bytes, in −1..1; 0 when one of them
    /// is empty. A row of another length than [`DIMENSIONS`] resembles nothing: 0.
    ///
    /// The row is taken to be 127 long instead of measured. That is off by 0.2 % as a rule, and by 6 % at most, for
    /// a text of one or two words of little meaning.
    pub fn cosine(&self, row: &[u8]) -> f32 {
        let Ok(row) = <&[u8; DIMENSIONS]>::try_from(row) else {
            return 0.0;
        };
        let mut wide = [0_i16; DIMENSIONS];
        for (to, from) in wide.iter_mut().zip(row) {
            *to = i16::from(from.cast_signed());
        }
        // Sums of products of 16 bits are one instruction, which compilers find in this shape.
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

/// The cosine of two vectors of bytes, as [`Probe::cosine`] has it; the second may lie in a file.
pub fn cosine(a: &[i8; DIMENSIONS], b: &[u8]) -> f32 {
    Probe::of_values(a).cosine(b)
}
