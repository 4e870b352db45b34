//! Arithmetic that compilers vectorize, with equal results on every machine.
#![expect(clippy::inline_always, reason = "otherwise it is compiled without these instructions")]

use crate::file::BLOCK;

/// As many as the widest registers hold.
const LANES: usize = 16;
/// The largest quantized input. With 8-bit weights, an `i32` holds a sum of 8 000 products.
const MAX_QUANTIZED: f32 = 2047.0;
/// Adding and subtracting 1.5 × 2²³ rounds to an integer in the low bits.
const SHIFT: f32 = 12_582_912.0;

#[derive(Default)]
pub(crate) struct Quantized {
    pub(crate) values: Vec<i16>,
    pub(crate) scales: Vec<f32>,
}

impl Quantized {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "12 bits")]
    pub(crate) fn set(&mut self, rows: &[f32], width: usize) {
        self.values.clear();
        self.scales.clear();
        for row in rows.chunks_exact(width) {
            let max = largest(row);
            let factor = if max > 0.0 { MAX_QUANTIZED / max } else { 0.0 };
            self.scales.push(max / MAX_QUANTIZED);
            self.values.extend(row.iter().map(|x| {
                let bits = (x * factor + SHIFT).to_bits();
                bits.wrapping_sub(SHIFT.to_bits()) as i16
            }));
        }
    }
}

#[inline(always)]
pub(crate) fn products(row: &[i16], others: &[i16]) -> [i32; BLOCK] {
    let width = row.len();
    let others: [&[i16]; BLOCK] = std::array::from_fn(|at| &others[at * width..(at + 1) * width]);
    let mut sums = [0_i32; BLOCK];
    for at in 0..width {
        for (sum, other) in sums.iter_mut().zip(others) {
            // A damaged file may have larger values.
            *sum = sum.wrapping_add(i32::from(row[at]) * i32::from(other[at]));
        }
    }
    sums
}

#[inline(always)]
pub(crate) fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += of(*x);
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += of(*x);
    }
    sums.iter().sum()
}

#[inline(always)]
pub(crate) fn largest(values: &[f32]) -> f32 {
    let greater = |a: f32, b: f32| if b > a { b } else { a };
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut maxima = [0.0; LANES];
    for chunk in chunks {
        for (most, x) in maxima.iter_mut().zip(chunk) {
            *most = greater(*most, x.abs());
        }
    }
    rest.iter().map(|x| x.abs()).chain(maxima).fold(0.0, greater)
}

/// Within 2⁻²², by a polynomial between −½ ln 2 and ½ ln 2.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 87.0 { 87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let power = shifted - SHIFT;
    // ln 2 in two parts, the first exact in few bits.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let mut result = 1.0 / 720.0;
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        result = result * rest + factor;
    }
    let exponent = shifted.to_bits().wrapping_sub(SHIFT.to_bits()).wrapping_add(127);
    result * f32::from_bits(exponent << 23)
}

/// With erf by Abramowitz and Stegun 7.1.26, within 10⁻⁶.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut sum = 1.061_405_4;
    for factor in [-1.453_152, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        sum = sum * t + factor;
    }
    let erf = 1.0 - sum * t * exp(-z * z);
    0.5 * x * (1.0 + erf.copysign(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_gelu_are_close() {
        for step in -2000..2000_i16 {
            let x = f32::from(step) / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 1e-6, "exp {x}");
        }
        for (x, share) in [(0.0, 0.5), (1.0, 0.841_344_7), (-1.0, 0.158_655_3), (3.0, 0.998_650_1)]
        {
            assert!((gelu(x) - x * share).abs() < 1e-6, "gelu {x}");
        }
        assert!(gelu(-30.0).abs() < 1e-6 && (gelu(30.0) - 30.0).abs() < 1e-6);
    }

    #[test]
    fn rows_keep_their_values() {
        let row: Vec<f32> = (0..40_u8).map(|x| f32::from(x) / 7.0 - 2.0).collect();
        let mut quantized = Quantized::default();
        quantized.set(&row, 40);
        for (value, x) in quantized.values.iter().zip(&row) {
            assert!((f32::from(*value) * quantized.scales[0] - x).abs() < 0.002);
        }
    }
}
