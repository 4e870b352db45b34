//! Findings in every form that people and programs take them in.

pub mod github;
pub mod human;
pub mod json;
pub mod junit;
pub mod sarif;

use camino::Utf8PathBuf;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{SourceMap, Span};

/// Everything that one run has to report.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The findings, by file and place.
    pub found: &'a [Diagnostic],
    /// The texts that they point at.
    pub sources: &'a SourceMap,
    /// The files that were looked at, by path.
    pub files: &'a [Utf8PathBuf],
    /// Where secrets stand, which no form shows.
    pub secrets: &'a [Span],
}

impl Findings<'_> {
    /// How many findings are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.severity == severity).count()
    }
}

/// `text` for the attributes and the text of XML; what XML cannot say becomes U+FFFD.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            // XML 1.0 has no way to write these.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
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
    fn escapes_leave_nothing_that_could_be_taken_for_the_form_itself() {
        assert_eq!(xml("a<b>&\"'\u{1b}\n"), "a&lt;b&gt;&amp;&quot;&apos;\u{fffd}&#10;");
        assert_eq!(uri("a b/c:d#é.md"), "a%20b/c%3Ad%23%C3%A9.md");
    }
}
