//! Which line of its source each line of a planned file comes from.

use std::collections::HashMap;

use faber_core::parse::fence::{self, Split};

use crate::import::PlannedImport;
use crate::managed;
use crate::read::own_ranges;

/// Keys of front matter, with those that they are read from.
const READ_FROM: [(&str, &[&str]); 4] = [
    ("globs", &["globs", "paths", "applyTo"]),
    ("keywords", &["keywords", "triggers"]),
    ("load", &["alwaysApply"]),
    ("title", &["title", "name"]),
];

/// For each line of `text`, which `planned` makes of `source`, the line there, from 0.
///
/// Import edits within lines and appends includes, and does not move lines: so the lines of a body follow each other
/// as those of the part of the source that it is.
pub(crate) fn lines(planned: &PlannedImport, text: &str, source: &str) -> Vec<u32> {
    if planned.id.is_none() {
        // A file for inclusion is a whole one.
        let all = numbered(source, 0..source.len()).skip_while(|(_, line)| is_blank(line));
        return all.map(|(number, _)| number).collect();
    }
    let mut lines = front_lines(text, source);
    let body = &text[fence::body(text)..];
    let gap = body.lines().take_while(|line| is_blank(line)).count();
    let theirs = body_lines(planned, source);
    let first = theirs.first().copied().unwrap_or(0);
    lines.extend(std::iter::repeat_n(first, gap));
    // A managed part may begin with a line that is not a part of the text.
    let count = body.lines().count() - gap;
    let skipped = if planned.managed { theirs.len().saturating_sub(count) } else { 0 };
    lines.extend(theirs.into_iter().skip(skipped));
    lines
}

fn body_lines(planned: &PlannedImport, source: &str) -> Vec<u32> {
    let start = fence::body(source);
    let parts = managed::parts(&source[start..]);
    let is_own = |part: &&managed::Managed| {
        let subject = part.subject.as_ref().map(ToString::to_string);
        planned.managed && subject == planned.id
    };
    let ranges = match parts.iter().find(is_own) {
        Some(part) => std::iter::once(start + part.inner.start..start + part.inner.end).collect(),
        None => own_ranges(start..source.len(), start, &parts),
    };
    let mut all: Vec<u32> = Vec::new();
    for range in ranges {
        let lines: Vec<(u32, &str)> =
            numbered(source, range).skip_while(|(_, line)| is_blank(line)).collect();
        let end = lines.iter().rposition(|(_, line)| !is_blank(line)).map_or(0, |last| last + 1);
        // A blank line is between two parts.
        let between = (!all.is_empty()).then(|| lines[..end].first()).flatten();
        all.extend(between.map(|(number, _)| number));
        all.extend(lines[..end].iter().map(|(number, _)| number));
    }
    all
}

/// The lines of front matter and its fences, each from where its key is in that of the source.
fn front_lines(text: &str, source: &str) -> Vec<u32> {
    let fences = |text: &str| match fence::split(text) {
        Split::Closed(fences) => Some(fences),
        Split::None { .. } | Split::Unclosed(_) => None,
    };
    let Some(own) = fences(text) else { return Vec::new() };
    let mut known: HashMap<&str, u32> = HashMap::new();
    if let Some(theirs) = fences(source) {
        for (number, line) in numbered(source, theirs.yaml..theirs.yaml_end) {
            if let Some(key) = key(line) {
                known.entry(key).or_insert(number);
            }
        }
    }
    let mut at = 0;
    let mut of_line = |line: &str| {
        if let Some(key) = key(line) {
            let keys = READ_FROM.iter().find(|(own, _)| *own == key).map(|(_, keys)| *keys);
            let keys = keys.unwrap_or(std::slice::from_ref(&key));
            at = keys.iter().find_map(|key| known.get(key).copied()).unwrap_or(0);
        }
        at
    };
    let inner = text[own.yaml..own.yaml_end].lines().map(&mut of_line);
    let inner: Vec<u32> = inner.collect();
    [&[0], &inner[..], &[0]].concat()
}

/// The key that a line of a map begins with.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(':')?;
    (!key.starts_with([' ', '\t', '-', '#'])).then(|| key.trim_end())
}

/// The lines of these bytes with their numbers in the text.
fn numbered(text: &str, bytes: std::ops::Range<usize>) -> impl Iterator<Item = (u32, &str)> {
    let before = text[..bytes.start].matches('\n').count();
    let number = move |at: usize| u32::try_from(before + at).unwrap_or(u32::MAX);
    text[bytes].lines().enumerate().map(move |(at, line)| (number(at), line))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}
