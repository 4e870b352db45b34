//! Confidence intervals of shares.

use faber_core::numbers::float;

/// For 95 %.
const Z: f64 = 1.96;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

/// 95 % Wilson score interval (1927). Brown, Cai and `DasGupta` (Statistical Science, 2001)
/// recommend it below 40 cases.
pub(crate) fn wilson(hits: usize, of: usize) -> Interval {
    if of == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let count = float(of);
    let share = float(hits.min(of)) / count;
    let square = Z * Z;
    let middle = share + square / (2.0 * count);
    let spread = Z * (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
    let scale = 1.0 + square / count;
    Interval {
        low: ((middle - spread) / scale).clamp(0.0, 1.0),
        high: ((middle + spread) / scale).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_formula() {
        let close = |one: f64, other: f64| (one - other).abs() < 5e-4;
        for (hits, of, low, high) in [
            (0, 0, 0.0, 1.0),
            (3, 3, 0.4385, 1.0),
            (4, 4, 0.5101, 1.0),
            (0, 73, 0.0, 0.05),
            (50, 100, 0.4038, 0.5962),
            (9, 3, 0.4385, 1.0),
        ] {
            let found = wilson(hits, of);
            assert!(close(found.low, low) && close(found.high, high), "{hits}/{of}: {found:?}");
        }
    }
}
