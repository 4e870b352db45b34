//! Percent-encoding for resource URIs.

use std::fmt::Write;

/// Keeps `-._~/@:` and alphanumeric ASCII.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// `None` if the result is not UTF-8.
pub(crate) fn decoded(rest: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((&first, behind)) = left.split_first() {
        left = behind;
        if first == b'%' {
            let digits = std::str::from_utf8(left.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            left = &left[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_ids() {
        for id in ["standard/a", "@role:clerk/standard/a b", "pattern/größe%20", "x/%", "x/?#"] {
            let address = encoded(id);
            assert!(address.is_ascii() && !address.contains([' ', '?', '#']), "{address}");
            assert_eq!(decoded(&address).as_deref(), Some(id));
        }
        assert_eq!(decoded("%f"), None);
        assert_eq!(decoded("%zz"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
