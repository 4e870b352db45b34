//! Finds unclosed blocks.

use memchr::{memchr, memchr_iter, memchr2, memmem};

use crate::markdown::{BlockKind, Lines, blocks};

const HTML_ENDS: [&str; 8] =
    [">", "-->", "?>", "]]>", "</script>", "</pre>", "</style>", "</textarea>"];

/// Of blocks that [`HTML_ENDS`] end.
const RAW: [&str; 6] = ["!", "?", "script", "pre", "style", "textarea"];

pub fn closer(text: &str) -> Option<String> {
    if is_closed_at_sight(text) { None } else { closer_of_last_block(text) }
}

fn closer_of_last_block(text: &str) -> Option<String> {
    let last = blocks(text).pop()?;
    closer_of(&last.kind, &text[Lines::new(text).range(last.lines.start).start..])
}

pub(crate) fn is_closed_at_sight(text: &str) -> bool {
    after_fences(text).is_some_and(|rest| !begins_raw(rest))
}

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

/// Fast: every second fence closes the one before, and no raw HTML hides it.
pub fn is_plainly_closed(text: &str) -> bool {
    after_fences(text).is_some()
}

fn after_fences(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n')) {
        return None;
    }
    let mut open: Option<OpenFence> = None;
    let mut before = 0;
    while let Some(at) = next_fence(bytes, before) {
        let end = memchr(b'\n', &bytes[at..]).map_or(text.len(), |len| at + len + 1);
        // The parser does not accept a tab after a closing fence.
        let line = text[at..end].trim_end_matches(['\n', '\r', ' ']);
        let (mark, length) = opening_fence(line)?;
        let indent = bytes[..at].iter().rev().take_while(|byte| **byte == b' ').count();
        let begins = indent == at || bytes[at - indent - 1] == b'\n';
        let (info, between) = (&line[length..], &text[before..at]);
        open = match open {
            _ if !begins => return None,
            None if info.contains(['`', '~']) || may_hide(between) => return None,
            None => Some(OpenFence { mark, length, indent }),
            Some(open) if open.is_closed_by(mark, length, indent, info) => {
                let own = &between[..between.len() - indent];
                if !own.lines().all(|line| is_indented(line, indent)) {
                    return None;
                }
                None
            }
            Some(_) => return None,
        };
        before = end;
    }
    open.is_none().then(|| &text[before..])
}

struct OpenFence {
    mark: char,
    length: usize,
    indent: usize,
}

impl OpenFence {
    fn is_closed_by(&self, mark: char, length: usize, indent: usize, info: &str) -> bool {
        self.mark == mark && length >= self.length && indent == self.indent && info.is_empty()
    }
}

fn is_indented(line: &str, indent: usize) -> bool {
    line.bytes().take(indent).all(|byte| byte == b' ') || line.trim_ascii().is_empty()
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

fn may_hide(text: &str) -> bool {
    let last = &text[text.rfind("\n\n").unwrap_or(0)..];
    memchr_iter(b'<', last.as_bytes()).any(|at| begins_line(last.as_bytes(), at))
        || memmem::find(last.as_bytes(), b"]:").is_some()
        || begins_raw(text)
}

fn begins_raw(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).any(|at| {
        let begins = |name: &str| {
            bytes
                .get(at + 1..=at + name.len())
                .is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()))
        };
        RAW.into_iter().any(begins) && begins_line(bytes, at)
    })
}

fn begins_line(bytes: &[u8], at: usize) -> bool {
    let is_mark = |byte: &&u8| b" \t>*+-.)0123456789".contains(byte);
    let marks = bytes[..at].iter().rev().take_while(is_mark).count();
    marks == at || bytes[at - marks - 1] == b'\n'
}

pub fn fence_of(line: &str) -> Option<&str> {
    let fence = line.trim_start_matches(' ');
    let (_, length) = opening_fence(fence).filter(|(_, length)| *length >= 3)?;
    Some(&line[..line.len() - fence.len() + length])
}

/// `line` is without its indentation.
pub fn opens(line: &str) -> Option<(char, usize)> {
    let (mark, length) = opening_fence(line).filter(|(_, length)| *length >= 3)?;
    let is_inline_code = mark == '`' && line[length..].contains('`');
    (!is_inline_code).then_some((mark, length))
}

pub fn closes(line: &str, (mark, length): (char, usize)) -> bool {
    let rest = line.trim_start_matches(mark);
    line.len() - rest.len() >= length && rest.trim().is_empty()
}

pub fn opening_fence(block: &str) -> Option<(char, usize)> {
    let open = block.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    Some((open, block.chars().take_while(|&char| char == open).count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_closed_at_sight_needs_no_closer(
            text in "(x|- |> |1\\. |```|~~~|<div>|<pre>|</pre>|<Script|<style|<s>|<!--|-->|<\\?|\\[a\\]: b \"|\"|\n|\n\n|    ){0,14}",
        ) {
            if is_closed_at_sight(&text) {
                prop_assert_eq!(closer_of_last_block(&text), None);
            }
        }
    }
}
