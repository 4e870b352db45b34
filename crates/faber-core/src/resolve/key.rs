//! Keys of list items and table rows, for merging.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::markdown::{collapse, options};
use crate::resolve::body::is_blank;
use crate::resolve::tree::fold;

/// Ignores case, except in code spans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn of_item(first_line: &str) -> Option<Self> {
        let text = without_box(first_line);
        leading_span(text).or_else(|| Self::of_row(before_colon(text)?))
    }

    /// An empty cell continues the row above.
    pub(super) fn of_row(cell: &str) -> Option<Self> {
        let parts = cell.split('`').enumerate();
        let parts = parts.map(|(at, part)| if at % 2 == 0 { fold(part) } else { part.to_owned() });
        let words = collapse(&parts.collect::<Vec<_>>().join(" "));
        (!words.is_empty()).then_some(Self(words))
    }
}

fn without_box(text: &str) -> &str {
    let text = text.trim_start();
    let rest = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
    rest.filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(text)
}

fn leading_span(text: &str) -> Option<Key> {
    let text = text.trim_start();
    if !text.starts_with(['*', '_', '`']) {
        return None;
    }
    let mut events = Parser::new_ext(text, options());
    let Some(Event::Start(Tag::Paragraph)) = events.next() else { return None };
    match events.next()? {
        Event::Code(code) => Some(Key(collapse(&code))),
        Event::Start(Tag::Strong) => {
            let mut words = String::new();
            for event in events {
                match event {
                    Event::End(TagEnd::Strong) => break,
                    Event::Text(text) => words.push_str(&text),
                    Event::Code(code) => words.extend(["`", &code, "`"]),
                    _ => {}
                }
            }
            let words = words.trim_end();
            Key::of_row(words.strip_suffix(':').unwrap_or(words))
        }
        _ => None,
    }
}

fn before_colon(text: &str) -> Option<&str> {
    let colon = text
        .match_indices(':')
        .find(|(at, _)| text[at + 1..].chars().next().is_none_or(char::is_whitespace))?;
    Some(&text[..colon.0])
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prefix<'a> {
    pub(super) bytes: usize,
    pub(super) marker: &'a str,
    pub(super) column: usize,
}

impl<'a> Prefix<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let digits = line[indent..].bytes().take_while(u8::is_ascii_digit).count();
        let sign = line[indent + digits..].chars().next().map_or(0, char::len_utf8);
        let end = indent + digits + sign;
        let space = line[end..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let mut column = end;
        for byte in line[end..end + space].bytes() {
            column = if byte == b'\t' { column / 4 * 4 + 4 } else { column + 1 };
        }
        let marker = &line[..end];
        if is_blank(&line[end..]) {
            return Self { bytes: line.len(), marker, column: end + 1 };
        }
        // After five columns, the content is indented code.
        if column >= end + 5 {
            return Self { bytes: end + 1, marker, column: end + 1 };
        }
        Self { bytes: end + space, marker, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_items() {
        let words = |text: &str| Some(Key(text.to_owned()));
        for (item, expected) in [
            ("**Cycle  Time**: 2 weeks", words("cycle time")),
            ("__Cycle:__ 2", words("cycle")),
            ("[ ] **A** b", words("a")),
            ("[x] A: b", words("a")),
            ("`Name` x", words("Name")),
            ("`page_size`: 50", words("page_size")),
            ("**`retries`**: 3", words("retries")),
            ("**`Name`** x", words("Name")),
            ("page_size: 100", words("page_size")),
            ("Set `A`: x", words("set A")),
            ("Name : x", words("name")),
            ("Name:", words("name")),
            ("see https://a.b/c", None),
            ("[a](https://b): c", words("[a](https://b)")),
            ("*a* b", None),
            ("**", None),
            (": x", None),
            ("", None),
            ("- **a**", None),
        ] {
            assert_eq!(Key::of_item(item), expected, "{item}");
        }
    }

    #[test]
    fn keys_of_rows() {
        for (cell, other, same) in [
            ("Cycle  Time", "cycle time", true),
            ("`-v`", "`-V`", false),
            ("`-v`, `--verbose`", "`-V`, `--verbose`", false),
            ("Verbose `-v`  Flag", "verbose `-v` flag", true),
            ("`a`", "A", true),
        ] {
            assert_eq!(Key::of_row(cell) == Key::of_row(other), same, "{cell}");
        }
        assert_eq!(Key::of_row("  "), None);
    }

    #[test]
    fn prefixes_of_items() {
        let prefix = |line| {
            let Prefix { bytes, marker, column } = Prefix::of(line);
            (bytes, marker, column)
        };
        assert_eq!(prefix("- a"), (2, "-", 2));
        assert_eq!(prefix("  10.  a"), (7, "  10.", 7));
        assert_eq!(prefix("-\ta"), (2, "-", 4));
        assert_eq!(prefix("-      code"), (2, "-", 2));
        assert_eq!(prefix("*"), (1, "*", 2));
        assert_eq!(prefix(""), (0, "", 1));
    }
}
