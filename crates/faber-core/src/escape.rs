//! Escapes text for output.

use std::borrow::Cow;
use std::fmt::{Display, Formatter, Write};

use crate::unseen;

/// On one line; invisible characters become escapes (`\u{202e}`).
#[derive(Clone, Copy, Debug)]
pub struct Visible<'a>(pub &'a str);

impl Visible<'_> {
    pub fn code(self) -> String {
        let shown = escaped(self.0, false);
        if shown.contains('`') { shown.replace('`', "'") } else { shown.into_owned() }
    }
}

impl Display for Visible<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&escaped(self.0, false))
    }
}

const SHOWN: usize = 60;

pub fn clip(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", Visible(&text[..end])),
        None => Visible(text).to_string(),
    }
}

/// Keeps line feeds and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, true)
}

fn escaped(text: &str, is_block: bool) -> Cow<'_, str> {
    let breaks = |byte: u8| match byte {
        b'\n' | b'\t' => !is_block,
        b'\r' | 0x0c => true,
        _ => false,
    };
    let runs = unseen::runs(text);
    if runs.is_empty() && !text.bytes().any(breaks) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut runs = runs.into_iter().peekable();
    for (at, char) in text.char_indices() {
        while runs.next_if(|run| run.end <= at).is_some() {}
        let ends_line = is_block && char == '\r' && text[at + 1..].starts_with('\n');
        if ends_line {
            continue;
        }
        if runs.peek().is_some_and(|run| run.start <= at) {
            let _ = write!(out, "{}", char.escape_unicode());
        } else if char.is_ascii() && breaks(char as u8) {
            let _ = write!(out, "{}", char.escape_default());
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out)
}

/// Also escapes control characters; keeps byte offsets.
pub fn same_length(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let returns = memchr::memchr_iter(b'\r', text.as_bytes());
    let returns = returns.filter(|at| text.as_bytes().get(at + 1) != Some(&b'\n'));
    let feeds = memchr::memchr_iter(0x0c, text.as_bytes());
    for at in returns.chain(feeds) {
        bytes[at] = b'?';
    }
    for run in unseen::runs(text) {
        for (offset, char) in text[run.clone()].char_indices() {
            let stand_in = match char.len_utf8() {
                1 => "?",
                2 => "·",
                3 => "\u{fffd}",
                _ => "··",
            };
            let start = run.start + offset;
            bytes[start..start + stand_in.len()].copy_from_slice(stand_in.as_bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn json(text: &str) -> Cow<'_, str> {
    let runs = unseen::runs(text);
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for run in runs {
        out.push_str(&text[copied..run.start]);
        for unit in text[run.clone()].encode_utf16() {
            let _ = write!(out, "\\u{unit:04x}");
        }
        copied = run.end;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

pub fn without_unseen(text: &str) -> Cow<'_, str> {
    let runs = unseen::runs(text);
    if runs.is_empty() {
        return Cow::Borrowed(text);
    }
    let ends = runs.iter().map(|run| run.end);
    let starts = runs.iter().map(|run| run.start).chain([text.len()]);
    Cow::Owned([0].into_iter().chain(ends).zip(starts).map(|(from, to)| &text[from..to]).collect())
}

pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            _ => out.push(xml_char(char)),
        }
    }
    out
}

pub(crate) fn xml_char(char: char) -> char {
    match char {
        '\n' | '\t' | '\r' => char,
        '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ => char,
    }
}

/// RFC 3986; never reads as a scheme or query.
pub fn uri(path: &str) -> String {
    percent_encoded(path, "-._~/")
}

pub fn percent_encoded(text: &str, kept: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
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

    #[test]
    fn a_name_is_one_line_and_all_of_it_is_seen() {
        for (name, shown) in [
            ("plain-name", "plain-name"),
            ("a`\n\n# Request\r\t", r"a`\n\n# Request\r\t"),
            ("\u{1b}[8mx\u{9b}", r"\u{1b}[8mx\u{9b}"),
            ("a\u{202e}b\u{200b}c\u{e0041}", r"a\u{202e}b\u{200b}c\u{e0041}"),
            ("a\u{2028}b", r"a\u{2028}b"),
            (
                "\u{1f468}\u{200d}\u{1f469} \u{645}\u{6cc}\u{200c}\u{62e} é",
                "\u{1f468}\u{200d}\u{1f469} \u{645}\u{6cc}\u{200c}\u{62e} é",
            ),
        ] {
            assert_eq!(Visible(name).to_string(), shown);
            assert_eq!(Visible(shown).to_string(), shown, "escaping twice changes nothing");
        }
        assert_eq!(Visible("a`b\n").code(), r"a'b\n");
        assert_eq!(lines("a\tb\r\nc\rd\u{1b}\n"), "a\tb\nc\\rd\\u{1b}\n");
    }

    #[test]
    fn bytes_are_kept_where_spans_must_hold() {
        for text in ["a\u{1b}b\rc\r\n", "a\u{9b}b", "a\u{202e}b", "a\u{e0041}\u{e0042}b", "a\n\tb"]
        {
            let shown = same_length(text);
            assert_eq!(shown.len(), text.len(), "{shown}");
            assert!(unseen::runs(&shown).is_empty() && !shown.contains('\u{1b}'));
        }
    }

    #[test]
    fn json_says_the_same_and_xml_stays_well_formed() {
        let text = serde_json::to_string("a\u{202e}b\u{e0041}\n\u{7f}").unwrap();
        assert_eq!(json(&text), "\"a\\u202eb\\udb40\\udc41\\n\\u007f\"");
        assert_eq!(
            serde_json::from_str::<String>(&json(&text)).unwrap(),
            "a\u{202e}b\u{e0041}\n\u{7f}"
        );
        assert_eq!(xml("<a>\0\u{1b}\u{ffff}"), "&lt;a&gt;\u{fffd}\u{fffd}\u{fffd}");
    }
}
