//! Tokenizes invalid YAML without a parser.

use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub(super) struct ScannedLine {
    pub(super) start: usize,
    pub(super) content: usize,
    pub(super) end: usize,
    pub(super) next: usize,
    pub(super) has_content: bool,
}

impl ScannedLine {
    pub(super) fn measure(text: &str, start: usize, next: usize) -> Self {
        let line = text[start..next].trim_end_matches(['\n', '\r']);
        let content = leading_blanks(line);
        let has_content = !matches!(line.as_bytes().get(content), None | Some(b'#'));
        Self { start, content: start + content, end: start + line.len(), next, has_content }
    }

    pub(super) fn indent(&self) -> usize {
        self.content - self.start
    }
}

pub(super) fn lines(text: &str, mut start: usize) -> Vec<ScannedLine> {
    let mut lines = Vec::new();
    for line in text[start..].split_inclusive('\n') {
        let next = start + line.len();
        lines.push(ScannedLine::measure(text, start, next));
        start = next;
    }
    lines
}

pub(super) fn leading_blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

pub(super) fn is_item(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

pub(super) fn key_length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let ends_key = |at: usize| matches!(text.as_bytes().get(at + 1), None | Some(b' ' | b'\t'));
    if matches!(first, '"' | '\'') {
        let close = quoted_length(text)?;
        let colon = close + leading_blanks(&text[close..]);
        return (text.as_bytes().get(colon) == Some(&b':') && ends_key(colon)).then_some(colon);
    }
    if "*&!|>%@`#,[]{}".contains(first) || is_item(text) {
        return None;
    }
    let colon = text.match_indices(':').map(|(at, _)| at).find(|&at| ends_key(at))?;
    (colon > 0 && !text[..colon].contains(" #")).then_some(colon)
}

pub(super) fn quoted_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

pub(super) fn is_closed_below(text: &str) -> bool {
    let length = quoted_length(text).filter(|_| text.starts_with(['"', '\'']));
    length.is_some_and(|length| {
        text[..length].contains('\n') && text[length..].lines().next().is_none_or(only_comment)
    })
}

pub(super) fn value_length(text: &str) -> usize {
    let quoted = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => text.rfind(quote).unwrap_or(0),
        _ => 0,
    };
    let comment = text[quoted..].find(" #").map_or(text.len(), |at| quoted + at);
    text[..comment].trim_end_matches([' ', '\t']).len()
}

pub(super) fn flow_items(text: &str) -> Option<Vec<Range<usize>>> {
    let mut items = Vec::new();
    let mut open = Vec::new();
    let mut item = 1;
    // Elsewhere, a quote is an apostrophe.
    let mut fresh = true;
    let mut at = 0;
    while at < text.len() {
        let byte = text.as_bytes()[at];
        match byte {
            b'"' | b'\'' if fresh => {
                at += quoted_length(&text[at..])?;
                fresh = false;
                continue;
            }
            b'#' if at > 0 && text.as_bytes()[at - 1].is_ascii_whitespace() => return None,
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b']' | b'}' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                if open.is_empty() {
                    push_trimmed(text, item..at, &mut items);
                    return only_comment(&text[at + 1..]).then_some(items);
                }
            }
            b',' if open.len() == 1 => {
                push_trimmed(text, item..at, &mut items);
                item = at + 1;
            }
            _ => {}
        }
        let blank = byte.is_ascii_whitespace();
        let after_colon = blank && at > 0 && text.as_bytes()[at - 1] == b':';
        fresh = matches!(byte, b'[' | b'{' | b',') || after_colon || (fresh && blank);
        at += 1;
    }
    None
}

fn push_trimmed(text: &str, range: Range<usize>, items: &mut Vec<Range<usize>>) {
    let item = &text[range.clone()];
    let start = range.start + item.len() - item.trim_start().len();
    let end = start + item.trim().len();
    if start < end {
        items.push(start..end);
    }
}

fn only_comment(text: &str) -> bool {
    let rest = text.trim_start();
    rest.is_empty() || (rest.starts_with('#') && rest.len() < text.len())
}

pub(super) fn anchors_length(text: &str) -> usize {
    let mut length = 0;
    while let Some(rest) = text[length..].strip_prefix('&') {
        let name = name_length(rest);
        let after = &rest[name..];
        if name == 0 || !(after.is_empty() || after.starts_with([' ', '\t'])) {
            break;
        }
        length += 1 + name + leading_blanks(after);
    }
    length
}

pub(super) fn alias(text: &str) -> Option<&str> {
    let name = text.strip_prefix('*')?;
    (!name.is_empty() && name_length(name) == name.len()).then_some(name)
}

pub(super) fn anchored(text: &str) -> std::collections::BTreeSet<String> {
    let after_ampersands = text.split('&').skip(1);
    let names = after_ampersands.map(|rest| rest[..name_length(rest)].to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

fn name_length(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.find(|c| !is_name(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_as_yaml_finds_them() {
        for (text, key) in [
            ("a: b: c", Some("a")),
            ("a b:", Some("a b")),
            ("'a: b' : c", Some("'a: b' ")),
            ("\"a\\\": b\": c", Some("\"a\\\": b\"")),
            ("http://x", None),
            ("- a: b", None),
            ("**/*.ts: x", None),
            ("a #b: c", None),
            ("", None),
        ] {
            assert_eq!(key_length(text).map(|length| &text[..length]), key, "{text}");
        }
    }

    #[test]
    fn values_end_before_their_comment() {
        for (text, value) in [("a # b", "a"), ("a#b  ", "a#b"), ("'a # b' c # d", "'a # b' c")] {
            assert_eq!(&text[..value_length(text)], value);
        }
    }

    #[test]
    fn flow_items_keep_their_brackets_and_quotes() {
        let items = |text: &'static str| -> Option<Vec<&str>> {
            Some(flow_items(text)?.into_iter().map(|range| &text[range]).collect())
        };
        assert_eq!(
            items("[ **/*.{ts,tsx} , don't, 'a, b', ] # x"),
            Some(vec!["**/*.{ts,tsx}", "don't", "'a, b'"])
        );
        assert_eq!(items("{a: 'x, y', b: [1, 2]}"), Some(vec!["a: 'x, y'", "b: [1, 2]"]));
        for broken in ["[a](b)", "[a", "[a}", "['a]", "[a]#b", "[a\n #b\n]"] {
            assert_eq!(items(broken), None, "{broken}");
        }
    }

    #[test]
    fn anchors_are_distinguished_from_text() {
        assert_eq!(anchors_length("&a &b c"), 6);
        assert_eq!(anchors_length("&amp; c"), 0);
        assert_eq!(alias("*base"), Some("base"));
        assert_eq!(alias("*.py"), None);
        assert_eq!(anchored("a: &x 1\nb: & &y-1").into_iter().collect::<Vec<_>>(), ["x", "y-1"]);
    }
}
