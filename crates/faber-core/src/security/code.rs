//! Finds code in Markdown approximately, by line.

use std::ops::Range;

use super::window;

/// Fenced blocks, and whether they are prose.
pub(super) struct Code {
    fences: Vec<(Range<usize>, bool)>,
}

/// The fence and its info string, after list and quote markers.
pub(super) fn fence(line: &str) -> Option<(&str, &str)> {
    let marker = |char: char| matches!(char, ' ' | '\t' | '>' | '-' | '*' | '+' | '.' | ')');
    let start = line.trim_start_matches(|char: char| marker(char) || char.is_ascii_digit());
    let first = start.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let rest = start.trim_start_matches(first);
    let run = &start[..start.len() - rest.len()];
    let info = first == '~' || !rest.contains('`');
    (run.len() >= 3 && info).then_some((run, rest.trim()))
}

impl Code {
    pub(super) fn new(text: &str) -> Self {
        let mut fences = Vec::new();
        let mut open: Option<(&str, usize, bool)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            match (fence(line), open) {
                (Some((run, info)), None) => open = Some((run, end, is_prose(info))),
                (Some((run, "")), Some((opened, start, prose))) if run.starts_with(opened) => {
                    fences.push((start..at, prose));
                    open = None;
                }
                _ => {}
            }
            at = end;
        }
        if let Some((_, start, prose)) = open {
            fences.push((start..at, prose));
        }
        Self { fences }
    }

    pub(super) fn fenced(&self, at: usize) -> bool {
        self.block(at).is_some_and(|prose| !prose)
    }

    pub(super) fn in_block(&self, at: usize) -> bool {
        self.block(at).is_some()
    }

    fn block(&self, at: usize) -> Option<bool> {
        let next = self.fences.partition_point(|(range, _)| range.start <= at);
        let (range, prose) = &self.fences[next.checked_sub(1)?];
        range.contains(&at).then_some(*prose)
    }
}

fn is_prose(info: &str) -> bool {
    let language = info.split([' ', '{', ',']).next().unwrap_or_default().to_ascii_lowercase();
    matches!(&*language, "" | "text" | "txt" | "plain" | "plaintext" | "markdown" | "md" | "prompt")
}

/// Spans of several lines do not count.
pub(super) fn in_span(text: &str, at: usize) -> bool {
    let marks = window::line_before(text, at, 400).bytes().filter(|&byte| byte == b'`').count();
    marks % 2 == 1 && window::line_after(text, at, 400).contains('`')
}

pub(super) fn in_quotes(text: &str, at: usize) -> bool {
    let before = window::line_before(text, at, 200);
    let after = window::line_after(text, at, 200);
    let straight = before.bytes().filter(|&byte| byte == b'"').count();
    if straight % 2 == 1 && after.contains('"') {
        return true;
    }
    // Also an apostrophe, so it must be directly before the word.
    if before.ends_with('\'') && after.contains('\'') {
        return true;
    }
    let pairs = [('“', '”'), ('„', '“'), ('«', '»'), ('‘', '’'), ('「', '」'), ('『', '』')];
    pairs.iter().any(|&(open, close)| {
        let opened =
            before.rfind(open).is_some_and(|at| !before[at + open.len_utf8()..].contains(close));
        opened && after.contains(close)
    })
}

/// Stems of words about attacks.
const ATTACKS: &[&str] = &[
    "inject",
    "attack",
    "malicious",
    "jailbreak",
    "adversar",
    "untrusted",
    "hostile",
    "for example",
    "example:",
    "such as",
    "may say",
    "might say",
];

/// A block quote next to words about attacks.
pub(super) fn in_example(text: &str, at: usize) -> bool {
    let line = window::line_before(text, at, 200);
    let quote = line.trim_start().starts_with('>');
    quote && {
        let around = window::before(text, at, 240).to_lowercase();
        let behind = window::after(text, at, 320).to_lowercase();
        ATTACKS.iter().any(|stem| around.contains(stem) || behind.contains(stem))
    }
}
