//! Tags of the text's own markup.

use std::collections::{HashMap, HashSet};

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
