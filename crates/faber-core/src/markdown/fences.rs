//! Blocks that run on to the end of a text when nothing closes them.

use memchr::{memchr, memchr_iter, memchr2, memmem};

use crate::markdown::{BlockKind, Lines, blocks};

/// The ends of HTML blocks that blank lines do not end.
const HTML_ENDS: [&str; 8] =
    [">", "-->", "?>", "]]>", "</script>", "</pre>", "</style>", "</textarea>"];

/// The line that closes the last block of `text`, if anything after it would be a part of that
/// block: an unclosed fence, comment or other raw HTML.
///
/// Tested with the parser, by a paragraph after the block, instead of repeating the rules about the
/// ends of fences and HTML blocks.
pub(crate) fn closer(text: &str) -> Option<String> {
    if is_closed_at_sight(text) {
        return None;
    }
    let last = blocks(text).pop()?;
    closer_of(&last.kind, &text[Lines::new(text).range(last.lines.start).start..])
}

/// Whether it can be seen without reading Markdown that [`closer`] gives nothing.
pub(crate) fn is_closed_at_sight(text: &str) -> bool {
    is_plainly_closed(text) && !may_hide(text)
}

/// As [`closer`], of the last block, whose text is `text`.
pub(crate) fn closer_of(kind: &BlockKind, text: &str) -> Option<String> {
    let text = text.trim_end();
    let swallows = |closer: &str| blocks(&format!("{text}\n{closer}\n\nx\n")).len() == 1;
    match kind {
        BlockKind::Fence if swallows("") => {
            let fence = text.trim_start();
            let mark = fence.chars().next()?;
            Some(fence.chars().take_while(|&c| c == mark).collect())
        }
        BlockKind::Html if swallows("") => {
            HTML_ENDS.into_iter().find(|end| !swallows(end)).map(str::to_owned)
        }
        _ => None,
    }
}

/// Whether it can be seen without reading Markdown that no code block of `text` is open at its end:
/// it has no fences, or all are at the beginning of a line and every second one closes the one
/// before it. Such a line ends the list, quote or paragraph that it comes after, so nothing but raw
/// HTML and the title of a link definition can hide it.
pub fn is_plainly_closed(text: &str) -> bool {
    let bytes = text.as_bytes();
    if memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n')) {
        return false;
    }
    let mut open: Option<(char, usize)> = None;
    let mut before = 0;
    while let Some(at) = next_fence(bytes, before) {
        let end = memchr(b'\n', &bytes[at..]).map_or(text.len(), |len| at + len + 1);
        // The parser does not take a fence with a tab behind it for the end of a block.
        let line = text[at..end].trim_end_matches(['\n', '\r', ' ']);
        let begins = at == 0 || bytes[at - 1] == b'\n';
        let Some((mark, length)) = opening_fence(line).filter(|_| begins) else { return false };
        let info = &line[length..];
        open = match open {
            None if info.contains(['`', '~']) || may_hide(&text[before..at]) => return false,
            None => Some((mark, length)),
            Some((same, least)) if mark == same && length >= least && info.is_empty() => None,
            Some(_) => return false,
        };
        before = end;
    }
    open.is_none()
}

/// The first place from `from` on with three backticks or tildes.
fn next_fence(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr2(b'`', b'~', &bytes[from..])?;
        if bytes[at..].starts_with(b"```") || bytes[at..].starts_with(b"~~~") {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Whether something in `text`, which begins with a line, may make the fence below it no fence: a line
/// of raw HTML, marks of lists and quotes aside, or a link definition.
fn may_hide(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_mark = |byte: &&u8| b" \t>*+-.)0123456789".contains(byte);
    let begins = |at: usize| {
        let marks = bytes[..at].iter().rev().take_while(is_mark).count();
        marks == at || bytes[at - marks - 1] == b'\n'
    };
    memchr_iter(b'<', bytes).any(begins) || memmem::find(bytes, b"]:").is_some()
}

/// The character of the fence that `block` begins with, and how often.
pub fn opening_fence(block: &str) -> Option<(char, usize)> {
    let open = block.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    Some((open, block.chars().take_while(|&char| char == open).count()))
}
