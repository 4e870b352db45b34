//! Numbers of statistics and data formats.

#[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53 of anything here")]
pub fn float(count: usize) -> f64 {
    count as f64
}

pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// To multiples of `1 / scale`, without -0.
pub fn rounded(value: f64, scale: f64) -> f64 {
    (value * scale).round() / scale + 0.0
}
