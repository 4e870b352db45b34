//! Tags such as `<example>` around fenced code.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use super::opening_fence;

const BLOCKS: [&str; 9] =
    ["blockquote", "center", "details", "div", "li", "p", "section", "summary", "td"];

/// Raw HTML up to the end tag (CommonMark 0.31, section 4.6).
const VERBATIM: [&str; 4] = ["pre", "script", "style", "textarea"];

/// Blanks out tags directly before a fence, which CommonMark parses as raw HTML. Keeps offsets.
pub fn unhide_fences(text: &str) -> Cow<'_, str> {
    if !may_hide(text) {
        return Cow::Borrowed(text);
    }
    let mut shown: Option<String> = None;
    let mut open: Option<NestedFence> = None;
    let mut tags: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        open = match open.filter(|open| open.contains(line)) {
            Some(open) if open.is_closed_by(line) => None,
            Some(open) => Some(open),
            None => {
                let fence = NestedFence::begun_by(line);
                if let (Some(tags), true) = (tags, opening(line).is_some()) {
                    blank(shown.get_or_insert_with(|| text.to_owned()), tags..at);
                }
                fence
            }
        };
        tags = tags.or(Some(at)).filter(|_| open.is_none() && is_tag(line));
        at += line.len();
    }
    shown.map_or(Cow::Borrowed(text), Cow::Owned)
}

pub(super) struct NestedFence {
    mark: char,
    length: usize,
    /// Of the text of its list item, 0 outside of lists.
    column: usize,
    is_quoted: bool,
}

impl NestedFence {
    pub(super) fn begun_by(line: &str) -> Option<Self> {
        let (mut rest, mut column, mut is_quoted) = (line, 0, false);
        loop {
            let text = rest.trim_start_matches(' ');
            let number = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let marker = match text[number..].chars().next() {
                Some('>') if number == 0 => {
                    is_quoted = true;
                    1
                }
                Some('-' | '*' | '+') if number == 0 => 1,
                Some('.' | ')') if number > 0 => number + 1,
                _ => {
                    let (mark, length) = opening(text)?;
                    return Some(Self { mark, length, column, is_quoted });
                }
            };
            rest =
                text[marker..].strip_prefix(' ').or_else(|| is_quoted.then(|| &text[marker..]))?;
            if !is_quoted {
                column = line.len() - rest.trim_start_matches(' ').len();
            }
        }
    }

    pub(super) fn contains(&self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        match text.trim_end() {
            "" => !self.is_quoted,
            _ => {
                line.len() - text.len() >= self.column && (!self.is_quoted || text.starts_with('>'))
            }
        }
    }

    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let is_mark = |c: char| c == ' ' || self.is_quoted && c == '>';
        let text = line.trim_start_matches(is_mark).trim_end();
        let marks = text.chars().take_while(|&char| char == self.mark).count();
        marks >= self.length && marks == text.len()
    }
}

/// Lines of matching tags alone on their lines, outermost first.
pub(crate) fn pairs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for (at, line) in lines {
        let Some((name, rest)) = tag(line) else { continue };
        if rest.contains(['<', '>']) || rest.ends_with('/') {
            continue;
        }
        match name.strip_prefix('/') {
            None => open.push((at, name)),
            Some(name) => {
                if let Some(begin) = open.iter().rposition(|(_, open)| *open == name) {
                    found.push((open[begin].0, at));
                    open.truncate(begin);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

fn may_hide(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).any(|at| {
        let indent = bytes[..at].iter().rev().take_while(|byte| **byte == b' ').count();
        let begins = at == indent || bytes[at - indent - 1] == b'\n';
        begins
            && memchr(b'\n', &bytes[at..]).is_some_and(|len| {
                opening(&text[at + len + 1..]).is_some() && is_tag(&text[at..at + len])
            })
    })
}

fn opening(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start_matches(' ');
    let (mark, length) = opening_fence(line)?;
    let info = line[length..].lines().next().unwrap_or_default();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

fn is_tag(line: &str) -> bool {
    tag(line).is_some_and(|(name, rest)| {
        let name = name.trim_start_matches('/');
        let is_verbatim = VERBATIM.iter().any(|verbatim| name.eq_ignore_ascii_case(verbatim));
        !is_verbatim && (!rest.contains(['<', '>']) || BLOCKS.contains(&name))
    })
}

fn tag(line: &str) -> Option<(&str, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let inner = line.trim().strip_prefix('<')?.strip_suffix('>').filter(|_| indent < 4)?;
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let slash = usize::from(inner.starts_with('/'));
    let named = inner[slash..].find(|char| !is_name(char)).map_or(inner.len(), |len| slash + len);
    let (name, rest) = inner.split_at(named);
    let begins = inner[slash..].starts_with(|char: char| char.is_ascii_alphabetic());
    (begins && (rest.is_empty() || rest.starts_with([' ', '/', '>']))).then_some((name, rest))
}

pub(super) fn blank(text: &mut String, lines: std::ops::Range<usize>) {
    let spaces: String = text[lines.clone()]
        .bytes()
        .map(|byte| if matches!(byte, b'\r' | b'\n') { char::from(byte) } else { ' ' })
        .collect();
    text.replace_range(lines, &spaces);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::budget::strategies::markdown;
    use crate::markdown::{BlockKind, blocks};

    fn kinds(text: &str) -> Vec<BlockKind> {
        blocks(text).into_iter().map(|block| block.kind).collect()
    }

    #[test]
    fn a_fence_after_a_tag_is_a_fence() {
        use BlockKind::{Fence, Html, Paragraph};
        let text = "<Good>\n```ts\na\n\nb\n```\n</Good>\n\nafter\n";
        assert_eq!(kinds(text), [Html, Fence, Html, Paragraph]);
        let text = "<details>\n<summary>An example</summary>\n~~~\na\n\nb\n~~~\n</details>\n";
        assert_eq!(kinds(text), [Html, Fence, Html]);
        assert_eq!(kinds("a\n<https://b.example>\n```\n\n```\n"), [Paragraph, Fence]);
    }

    #[test]
    fn tags_in_code_stay() {
        let text = "```html\n<p>\n```\n\n<b>x</b>\n```\n<i>\n```\n";
        assert!(matches!(unhide_fences(text), Cow::Borrowed(_)));
    }

    #[test]
    fn fences_in_lists_and_quotes_end_with_them() {
        let html = "<div>\nx\n</div>\n```\ncode\n\n<b>\n```\n";
        let expected = &kinds(html)[..];
        for before in
            ["- ```\n  x\n  ```\n", "1. ```\n   x\n", "> ```\n> x\n", "> ```\n> x\n> ```\n"]
        {
            assert_eq!(&kinds(&format!("{before}\n{html}"))[1..], expected, "{before}");
        }
        let text = "```\n- ```\n<b>\n```\n";
        assert!(matches!(unhide_fences(text), Cow::Borrowed(_)));
    }

    #[test]
    fn fences_in_verbatim_html_are_none() {
        for text in ["<pre>\n```\na\n", "<Script>\n~~~\n", "<pre>a\n</pre>\n```\na\n```\n"] {
            assert!(matches!(unhide_fences(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn tags_are_paired_by_name() {
        let pairs = |text: &str| super::pairs(text.lines().enumerate());
        assert_eq!(pairs("<a>\n<b x=\"1\">\nc\n</b>\n<br>\n</a>\n"), [(0, 5), (1, 3)]);
        assert_eq!(pairs("<a>x</a>\n<b/>\n</c>\n<d>\n"), []);
    }

    proptest! {
        #[test]
        fn every_byte_keeps_its_place(text in markdown(), tags in "(<a>\r?\n|<ä>\n|```\n|</a>\n| <div>é</div>\n){0,8}") {
            let text = format!("{text}\n{tags}{text}");
            let shown = unhide_fences(&text);
            prop_assert_eq!(shown.len(), text.len());
            for (at, char) in shown.char_indices() {
                prop_assert!(char == ' ' || text[at..].starts_with(char));
            }
        }
    }
}
