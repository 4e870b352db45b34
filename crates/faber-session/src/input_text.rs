//! Encodings and terminal escape sequences.

use std::borrow::Cow;

use faber_core::not_utf8::NotUtf8;

const BOM: char = '\u{feff}';
const ESCAPE: char = '\u{1b}';

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    pub text: String,
    /// Invalid places, now U+FFFD.
    pub replaced: usize,
}

/// # Errors
///
/// If it is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<String, NotUtf8> {
    let text = NotUtf8::check(bytes)?;
    Ok(text.strip_prefix(BOM).unwrap_or(text).to_owned())
}

/// # Errors
///
/// For UTF-16 and binary texts; other invalid bytes are replaced.
pub fn decode_lossy(bytes: &[u8]) -> Result<DecodedText, NotUtf8> {
    match NotUtf8::check(bytes) {
        Err(why) if why.is_utf16 || bytes.contains(&0) => return Err(why),
        _ => {}
    }
    let replaced = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix(BOM).unwrap_or(&text).to_owned();
    Ok(DecodedText { text, replaced })
}

/// Removes control sequences (ECMA-48) and link addresses.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        kept.push_str(before);
        rest = if let Some(length) = sequence(after) {
            &after[length..]
        } else {
            kept.push(ESCAPE);
            after
        };
    }
    Cow::Owned(kept + rest)
}

fn sequence(after: &str) -> Option<usize> {
    match after.as_bytes() {
        [b'[', parameters @ ..] => {
            let end = parameters.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
            (0x40..=0x7e).contains(&parameters[end]).then_some(end + 2)
        }
        [b']', ..] => {
            let end = after.find(['\u{7}', ESCAPE, '\n'])?;
            let length =
                ["\u{7}", "\u{1b}\\"].iter().find(|it| after[end..].starts_with(**it))?.len();
            Some(end + length)
        }
        [b'P' | b'X' | b'^' | b'_', ..] => {
            let end = after.find(ESCAPE)?;
            after[end..].starts_with("\u{1b}\\").then_some(end + 2)
        }
        [0x20..=0x2f, ..] => {
            let end = after.bytes().position(|byte| !(0x20..=0x2f).contains(&byte))?;
            (0x30..=0x7e).contains(&after.as_bytes()[end]).then_some(end + 1)
        }
        [0x30..=0x7e, ..] => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_are_no_text() {
        assert_eq!(decode(b"\xef\xbb\xbfhi\n").as_deref(), Ok("hi\n"));
        assert_eq!(decode(b"hi \xef\xbb\xbf").as_deref(), Ok("hi \u{feff}"));
        assert_eq!(decode(b"hi \xff").map_err(|why| why.at.column), Err(4));
    }

    #[test]
    fn logs_may_have_single_bytes_of_other_encodings() {
        for (bytes, text, replaced) in [
            (&b"a b"[..], "a b", 0),
            (b"\xef\xbb\xbfcaf\xe9 \xff\xfe.", "caf\u{fffd} \u{fffd}\u{fffd}.", 3),
            ("\u{fffd}".as_bytes(), "\u{fffd}", 0),
            (b"a\0b", "a\0b", 0),
        ] {
            let decoded = DecodedText { text: text.to_owned(), replaced };
            assert_eq!(decode_lossy(bytes), Ok(decoded));
        }
        for other in [&b"a\0\xfc\0"[..], b"\xfe\xff\x30\x42"] {
            assert!(decode_lossy(other).is_err(), "{other:?}");
        }
    }

    #[test]
    fn control_sequences_are_removed() {
        for (text, expected) in [
            ("\u{1b}[1mdiff --git\u{1b}[m a\n\u{1b}[38;5;1m-x\u{1b}[0K\n", "diff --git a\n-x\n"),
            ("\u{1b}]8;;http://a\u{1b}\\b\u{1b}]8;;\u{7}c\u{1b}(B", "bc"),
            ("\u{1b}[31", "\u{1b}[31"),
            ("a\u{1b}", "a\u{1b}"),
            ("a\u{1b}=b\u{1b}>c\u{1b}Md\u{1b}P+q\ne\u{1b}\\f\u{1b}7g\u{1b}%Gh", "abcdfgh"),
            ("\u{1b}Px\u{1b}ä", "\u{1b}Px\u{1b}ä"),
            ("\u{1b}]0;x\ny\u{7}", "\u{1b}]0;x\ny\u{7}"),
            ("[31m", "[31m"),
        ] {
            assert_eq!(without_escapes(text), expected, "{text:?}");
        }
    }
}
