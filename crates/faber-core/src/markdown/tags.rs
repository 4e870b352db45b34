//! Tags such as `<example>` alone on their lines.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use super::containers::{MAX_DEPTH, is_item};
use super::fences::{closes, opens};
use crate::word_list::words;

const BLOCKS: [&str; 9] =
    ["blockquote", "center", "details", "div", "li", "p", "section", "summary", "td"];

/// Raw HTML up to the end tag (CommonMark 0.31, section 4.6).
const VERBATIM: [&str; 4] = ["pre", "script", "style", "textarea"];

/// The names of HTML blocks (CommonMark 0.31, section 4.6, type 6) and others.
const HTML: &[&str] = words!(
    "a, address, article, aside, audio, b, base, basefont, blockquote, body, button, canvas",
    "caption, center, code, col, colgroup, dd, del, details, dialog, dir, div, dl, dt, em",
    "fieldset, figcaption, figure, font, footer, form, frame, frameset, h1, h2, h3, h4, h5",
    "h6, head, header, hr, html, i, iframe, ins, kbd, legend, li, link, main, menu, menuitem",
    "nav, noframes, ol, optgroup, option, p, param, picture, pre, script, search, section",
    "small, span, strong, style, sub, summary, sup, svg, table, tbody, td, textarea, tfoot",
    "th, thead, title, tr, track, tt, u, ul, video",
);

/// `<!T>`, in bytes.
const SHORTEST: usize = 4;

/// Makes tags blocks of their own: in CommonMark, raw HTML goes on to the next blank line. Keeps
/// offsets.
///
/// Separates pairs of tags that are not of HTML, and all tags directly before a fence.
pub fn separate_tags(text: &str) -> Cow<'_, str> {
    separate(text, |_| true)
}

pub(crate) fn separate_tags_without_examples(text: &str) -> Cow<'_, str> {
    separate(text, |tag| !tag.contains("example"))
}

fn separate(text: &str, is_wanted: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !begins_with_tag(text) {
        return Cow::Borrowed(text);
    }
    let mut apart: Vec<usize> = Vec::new();
    let mut candidates = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    let mut open: Option<NestedFence> = None;
    let (mut is_in_list, mut is_raw) = (false, false);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some(fence) = open.take_if(|fence| fence.contains(line)) {
            open = Some(fence).filter(|fence| !fence.is_closed_by(line));
            continue;
        }
        open = NestedFence::begun_by(line);
        let inner = line.trim_start();
        let is_indented = inner.len() < line.len();
        is_in_list = is_item(inner) || is_in_list && (inner.is_empty() || is_indented);
        is_raw = !inner.is_empty() && (is_raw || begins_html(inner));
        if opens(line.trim_start_matches(' ')).is_some() {
            apart.append(&mut above);
        } else if is_tag(line) && open.is_none() {
            above.push(start);
            candidates.extend((!is_raw && !is_in_list && is_wanted(line)).then_some((start, line)));
            continue;
        }
        above.clear();
    }
    apart.extend(pairs(candidates.into_iter()).into_iter().flat_map(|(begin, end)| [begin, end]));
    if apart.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = text.to_owned();
    for line in apart {
        let len = memchr(b'\n', &text.as_bytes()[line..]).unwrap_or(text.len() - line);
        let inner = text[line..line + len].trim();
        let start = line + len - text[line..line + len].trim_start().len();
        if inner.len() < SHORTEST {
            blank(&mut shown, line..line + len);
        } else {
            shown.replace_range(start..start + 3, "<!T");
        }
    }
    Cow::Owned(shown)
}

pub(super) struct NestedFence {
    fence: (char, usize),
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
                    return opens(text).map(|fence| Self { fence, column, is_quoted });
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
        closes(line.trim_start_matches(is_mark), self.fence)
    }
}

/// Outermost first.
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
                let near = open.len().saturating_sub(MAX_DEPTH);
                let same = open[near..].iter().rposition(|(_, open)| *open == name);
                if let Some(begin) = same.map(|begin| near + begin) {
                    found.push((open[begin].0, at));
                    open.truncate(begin);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

fn begins_with_tag(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).any(|at| {
        let indent = bytes[..at].iter().rev().take_while(|byte| **byte == b' ').count();
        let begins = at == indent || bytes[at - indent - 1] == b'\n';
        begins && is_tag(text[at..].lines().next().unwrap_or_default())
    })
}

fn begins_html(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('<') else { return false };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let name = rest.split(|char| !is_name(char)).next().unwrap_or_default();
    HTML.iter().any(|html| name.eq_ignore_ascii_case(html))
}

fn is_tag(line: &str) -> bool {
    tag(line).is_some_and(|(name, rest)| {
        let name = name.trim_start_matches('/');
        let is_verbatim = VERBATIM.iter().any(|verbatim| name.eq_ignore_ascii_case(verbatim));
        !is_verbatim && (!rest.contains(['<', '>']) || BLOCKS.contains(&name))
    })
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}

fn tag(line: &str) -> Option<(&str, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let inner = line.trim().strip_prefix('<')?.strip_suffix('>').filter(|_| indent < 4)?;
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
        assert_eq!(kinds(text), [Html, Html, Fence, Html]);
        assert_eq!(kinds("<a>\n```\n\n```\n"), [Html, Fence]);
        assert_eq!(kinds("a\n<https://b.example>\n```\n\n```\n"), [Paragraph, Fence]);
    }

    #[test]
    fn a_pair_of_tags_stands_apart_from_what_it_holds() {
        use BlockKind::{Html, Paragraph};
        let list = |items: &[std::ops::Range<usize>]| BlockKind::List {
            marker: '-',
            items: items.to_vec(),
        };
        let text = "a\n<rules>\n- b\n- c\n</rules>\nd\n";
        assert_eq!(kinds(text), [Paragraph, Html, list(&[2..3, 3..4]), Html, Paragraph]);
        let text = "<a-b c=\"d\">\r\n  <step>\r\n  b\r\n  </step>\r\n</a-b>\r\n";
        assert_eq!(kinds(text), [Html, Html, Paragraph, Html, Html]);
        let text = "- a\n  <rule>\n  b\n  </rule>\n- c\n";
        assert_eq!(kinds(text), [list(&[0..4, 4..5])]);
        assert_eq!(kinds("a\n<your name>\nb\n"), [Paragraph]);
        assert_eq!(kinds("<div>\n<rule>\n- a\n</rule>\n</div>\n\nb\n"), [Html, Paragraph]);
        assert_eq!(kinds("<picture>\n<img a>\n</picture>\n"), [Html]);
    }

    #[test]
    fn tags_in_code_stay() {
        let text = "```html\n<p>\n```\n\n<b>x</b>\n```\n<i>\n```\n";
        assert!(matches!(separate_tags(text), Cow::Borrowed(_)));
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
        assert!(matches!(separate_tags(text), Cow::Borrowed(_)));
    }

    #[test]
    fn fences_in_verbatim_html_are_none() {
        for text in ["<pre>\n```\na\n", "<Script>\n~~~\n", "<pre>a\n</pre>\n```\na\n```\n"] {
            assert!(matches!(separate_tags(text), Cow::Borrowed(_)), "{text}");
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
        fn every_byte_keeps_its_place(text in markdown(), tags in "(<a>\r?\n|<b-c>\n|<ä>\n|```\n|</a>\n|</b-c>\r?\n|- d\n| <div>é</div>\n){0,8}") {
            let text = format!("{text}\n{tags}{text}");
            let shown = separate_tags(&text);
            prop_assert_eq!(shown.len(), text.len());
            for (at, char) in shown.char_indices() {
                let same = char == ' ' || text[at..].starts_with(char);
                prop_assert!(same || shown[..at + 2].ends_with("<!T") || shown[..=at].ends_with("<!T"));
            }
        }
    }
}
