//! Finds unclosed blocks.

use memchr::{memchr, memchr_iter, memchr2, memmem};

use crate::markdown::{BlockKind, Lines, blocks};

/// Of blocks that blank lines do not end.
const HTML_ENDS: [&str; 8] =
    [">", "-->", "?>", "]]>", "</script>", "</pre>", "</style>", "</textarea>"];

/// The line that closes a fence, comment or other raw HTML at the end. Tested by parsing, instead
/// of repeating the rules of CommonMark.
pub(crate) fn closer(text: &str) -> Option<String> {
    if is_closed_at_sight(text) {
        return None;
    }
    let last = blocks(text).pop()?;
    closer_of(&last.kind, &text[Lines::new(text).range(last.lines.start).start..])
}

/// A fast check that [`closer`] returns `None`.
pub(crate) fn is_closed_at_sight(text: &str) -> bool {
    is_plainly_closed(text) && !may_hide(text)
}

/// [`closer`] for one block.
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

/// A fast check that all code blocks are closed: fences begin lines, and every second one closes
/// the one before. May be wrong only if raw HTML or a link title contains a fence.
pub fn is_plainly_closed(text: &str) -> bool {
    let bytes = text.as_bytes();
    if memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n')) {
        return false;
    }
    let mut open: Option<(char, usize)> = None;
    let mut before = 0;
    while let Some(at) = next_fence(bytes, before) {
        let end = memchr(b'\n', &bytes[at..]).map_or(text.len(), |len| at + len + 1);
        // The parser does not accept a tab after a closing fence.
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

fn next_fence(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + memchr2(b'`', b'~', &bytes[from..])?;
        if bytes[at..].starts_with(b"```") || bytes[at..].starts_with(b"~~~") {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Whether raw HTML or a link definition may hide a fence below.
fn may_hide(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_mark = |byte: &&u8| b" \t>*+-.)0123456789".contains(byte);
    let begins = |at: usize| {
        let marks = bytes[..at].iter().rev().take_while(is_mark).count();
        marks == at || bytes[at - marks - 1] == b'\n'
    };
    memchr_iter(b'<', bytes).any(begins) || memmem::find(bytes, b"]:").is_some()
}

/// Character and length.
pub fn opening_fence(block: &str) -> Option<(char, usize)> {
    let open = block.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    Some((open, block.chars().take_while(|&char| char == open).count()))
}
