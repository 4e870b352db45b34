//! Text that a terminal only shows, whatever is in it.

/// `text` without what would make a terminal do more than show it; as many bytes, so that spans
/// hold.
pub fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_line = c == '\r' && chars.peek() == Some(&'\n');
        out.push(match c {
            '\n' | '\t' => c,
            _ if ends_line || !c.is_control() => c,
            _ if c.is_ascii() => '?',
            // The others have two bytes.
            _ => '·',
        });
    }
    out
}

/// A path with escapes such as `\u{1b}` for what would act on a terminal or end a line, and for what
/// turns the direction of writing. A path on its own need not keep its length.
pub fn printable(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => out.extend(c.escape_unicode()),
            _ if c.is_control() => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// `path` as a relative reference of RFC 3986: everything but unreserved characters and `/` is
/// escaped, so that no path is taken for a scheme or a query.
pub fn uri(path: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_nothing_that_could_be_taken_for_a_scheme_or_query() {
        assert_eq!(uri("a b/c:d#é.md"), "a%20b/c%3Ad%23%C3%A9.md");
    }
}
