//! Bytes in another encoding than UTF-8.

use std::fmt;

use crate::source::Position;

const UTF_16: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUtf8 {
    pub at: Position,
    pub is_utf16: bool,
}

impl NotUtf8 {
    /// UTF-16 may be valid UTF-8, as ASCII is.
    ///
    /// # Errors
    ///
    /// The first byte that is not UTF-8.
    pub fn check(bytes: &[u8]) -> Result<&str, Self> {
        if is_utf16(bytes) {
            return Err(Self { at: Position { line: 1, column: 1 }, is_utf16: true });
        }
        std::str::from_utf8(bytes).map_err(|error| {
            let valid = &bytes[..error.valid_up_to()];
            let line = memchr::memchr_iter(b'\n', valid).count() + 1;
            let start = memchr::memrchr(b'\n', valid).map_or(0, |at| at + 1);
            let column = String::from_utf8_lossy(&valid[start..]).chars().count() + 1;
            Self { at: Position { line, column }, is_utf16: false }
        })
    }

    pub fn reason(&self) -> &'static str {
        if self.is_utf16 { "UTF-16, not UTF-8" } else { "not UTF-8" }
    }
}

fn is_utf16(bytes: &[u8]) -> bool {
    if UTF_16.iter().any(|mark| bytes.starts_with(mark)) {
        return true;
    }
    if bytes.len() % 2 == 1 || memchr::memchr(0, bytes).is_none() {
        return false;
    }
    let zeros = |from: usize| bytes[from..].iter().step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    even.min(odd) == 0 && even.max(odd) > bytes.len() / 4
}

impl fmt::Display for NotUtf8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.at;
        if self.is_utf16 {
            return f.write_str(self.reason());
        }
        write!(f, "{} (line {line}, column {column})", self.reason())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_has_a_mark_or_zeros() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let turned = wide("a b").chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        let bad = |line, column| format!("not UTF-8 (line {line}, column {column})");
        for (bytes, expected) in [
            (b"\xff\xfe0B".to_vec(), "UTF-16, not UTF-8".to_owned()),
            (b"\xfe\xff".to_vec(), "UTF-16, not UTF-8".to_owned()),
            (
                wide("# Rules\n\nUse caf\u{e9}s \u{2013} and \u{4e16}.\n"),
                "UTF-16, not UTF-8".to_owned(),
            ),
            (turned, "UTF-16, not UTF-8".to_owned()),
            (b"one\ntwo\nthr\xe9e\nf\xf6ur".to_vec(), bad(3, 4)),
            (b"\xff".to_vec(), bad(1, 1)),
            (b"a\0\0\0\xff\0".to_vec(), bad(1, 5)),
        ] {
            assert_eq!(NotUtf8::check(&bytes).unwrap_err().to_string(), expected, "{bytes:?}");
        }
        for text in ["", "a\0b", "one.md\0two.md\0", "\0\0", "\0x\0\0", "\u{feff}a"] {
            assert_eq!(NotUtf8::check(text.as_bytes()), Ok(text));
        }
    }
}
