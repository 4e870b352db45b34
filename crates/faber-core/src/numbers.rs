//! Numbers of statistics and data formats.

#[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53 of anything here")]
pub fn float(count: usize) -> f64 {
    count as f64
}

/// To multiples of `1 / scale`, without -0.
pub fn rounded(value: f64, scale: f64) -> f64 {
    (value * scale).round() / scale + 0.0
}
