//! Tags of the text's own markup.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::needles::PARTS;
use super::window;
use crate::word_list::words;

/// XML also has them.
const TOOLS: [&str; 4] = ["tool_use", "tool_result", "tool_call", "tool_response"];

const HTML: &[&str] = words!(
    "a, b, blockquote, body, br, center, code, dd, del, details, div, dl, dt, em, h1, h2, h3, h4",
    "h5, h6, head, html, i, kbd, li, ol, p, picture, pre, span, strong, style, sub, summary, sup",
    "table, tbody, td, th, thead, title, tr, ul",
);

const MIN_OWN_ELEMENTS: usize = 3;

pub(super) fn tools(text: &str, is_code: impl Fn(usize) -> bool) -> HashSet<usize> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let (mut own, mut closed, mut inner) = (HashSet::new(), Vec::new(), HashSet::new());
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let Some((name, is_end)) = tag(&text[at + 1..]).filter(|_| !is_code(at)) else { continue };
        if !is_end {
            open.push((name, at));
            *counts.entry(name).or_default() += 1;
            continue;
        }
        if counts.get(name).is_none_or(|count| *count == 0) {
            continue;
        }
        while let Some((last, start)) = open.pop() {
            *counts.entry(last).or_default() -= 1;
            if last != name {
                continue;
            }
            if TOOLS.contains(&name) {
                closed.push(start);
            } else if is_own(name) {
                own.insert(name);
                let first = closed.partition_point(|inner| *inner < start);
                inner.extend(closed.drain(first..));
            }
            break;
        }
    }
    if own.len() < MIN_OWN_ELEMENTS { HashSet::new() } else { inner }
}

pub(super) fn is_tool(needle: &str) -> bool {
    let name = needle.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| TOOLS.contains(&name))
}

/// Who speaks, and what is said: `<operator_alert>`, `[SYSTEM MESSAGE]`.
const SPEAKERS: &[(&[&str], &[&str])] = &[
    (
        words!("system, admin, administrator, operator, developer, owner, root, tool, function"),
        words!(
            "message, messages, msg, notice, note, reminder, result, results, output, response",
            "override, alert, directive, approval, confirmation, permission, announcement",
        ),
    ),
    (
        &["user", "human"],
        words!("approval, approved, approves, confirmation, confirmed, permission"),
    ),
];

const MAX_TAG_BYTES: usize = 200;
const MAX_MESSAGE_BYTES: usize = 2000;

/// Tags and labels that forge a message of the system, of a tool or of people in charge.
pub(super) fn messages(text: &str, is_code: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let forged = |at: usize| {
        if !may_speak(&text.as_bytes()[at + 1..]) {
            return None;
        }
        let is_tag = text[at..].starts_with('<');
        let length = if is_tag { element(text, at) } else { label(text, at) }?;
        (!is_code(at) && !in_example(text, at)).then_some(at..at + length)
    };
    memchr::memchr2_iter(b'<', b'[', text.as_bytes()).filter_map(forged).collect()
}

/// A word that may be a speaker, and another one.
fn may_speak(name: &[u8]) -> bool {
    const LONGEST: usize = 13;
    let begins = name.first().is_some_and(|first| b"saodrtfuh".contains(&(first | 0x20)));
    let end = || name.iter().take(LONGEST + 1).position(|byte| !byte.is_ascii_alphabetic());
    begins
        && end().is_some_and(|end| {
            end > 2 && matches!(name[end], b'_' | b'-' | b'.' | b' ' | b']' | b':')
        })
}

/// With an end and more than a placeholder inside.
fn element(text: &str, at: usize) -> Option<usize> {
    let rest = window::line_after(text, at, MAX_TAG_BYTES);
    let (name, is_end) = tag(&rest[1..])?;
    if is_end || !is_message(name) {
        return None;
    }
    let length = rest.find('>')? + 1;
    let inner = window::after(text, at + length, MAX_MESSAGE_BYTES);
    let end = inner.match_indices("</").find(|(end, _)| inner[end + 2..].starts_with(name))?.0;
    window::words(&inner[..end]).nth(2).map(|_| length)
}

/// In capitals at the start of a line, with text behind it.
fn label(text: &str, at: usize) -> Option<usize> {
    let rest = window::line_after(text, at, MAX_TAG_BYTES);
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'_' | b'-');
    let end = 1 + rest[1..].bytes().position(|byte| !is_capital(byte))?;
    let name = rest[1..end].trim_end();
    let is_first = window::line_before(text, at, 8).trim_matches([' ', '*', '>']).is_empty();
    let said = rest[end..].strip_prefix(']').filter(|said| !said.starts_with(['(', '[']));
    let said = said.or_else(|| rest[end..].strip_prefix(": "));
    let said = said.filter(|_| is_first && rest[end..].contains(']') && name.len() > 4)?;
    let speaks_to = || {
        let mut words = window::words(said);
        words.any(|word| ["you", "your"].iter().any(|you| you.eq_ignore_ascii_case(word)))
    };
    let is_said = window::words(said).nth(2).is_some();
    (is_said && (is_message(name) || name == "SYSTEM" && speaks_to())).then_some(end + 1)
}

fn is_message(name: &str) -> bool {
    let mut parts = name.split(['_', '-', ' ', '.']);
    let (speaker, message) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let has = |table: &[&str], part: &str| table.iter().any(|it| it.eq_ignore_ascii_case(part));
    SPEAKERS.iter().any(|row| has(row.0, speaker) && has(row.1, message))
}

/// Inside of an element `example`.
fn in_example(text: &str, at: usize) -> bool {
    let lead = window::before(text, at, 2000).to_ascii_lowercase();
    lead.rfind("<example").is_some_and(|open| !lead[open..].contains("</example"))
}

fn is_own(name: &str) -> bool {
    let is_part = || PARTS.iter().any(|row| &row.0[1..] == name);
    !matches!(name, "function_calls" | "function_results" | "invoke" | "parameter")
        && HTML.binary_search(&name).is_err()
        && !is_part()
}

fn tag(text: &str) -> Option<(&str, bool)> {
    let rest = text.strip_prefix('/').unwrap_or(text);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let length = rest.find(|c| !is_name(c)).filter(|_| rest.starts_with(char::is_alphabetic))?;
    let (name, rest) = rest.split_at(length);
    let end = rest.find(['<', '>', '\n']).filter(|_| rest.starts_with(['>', ' ']))?;
    let is_tag = rest[end..].starts_with('>') && !rest[..end].ends_with('/');
    is_tag.then_some((name, text.starts_with('/')))
}

pub(super) fn template(text: &str, start: usize, end: usize) -> Option<usize> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || "_▁-".contains(char);
    let rest = window::line_after(text, end, 60);
    let length = rest.find(|char| !is_name(char)).filter(|&length| length > 1)?;
    let close = if text[start..].starts_with("<|") { "|>" } else { "｜>" };
    rest[length..].starts_with(close).then_some(end + length + close.len())
}
