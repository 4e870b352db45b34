//! Maps lines of imports to their sources.

use std::collections::HashMap;
use std::ops::Range;

use faber_core::markdown::Lines;
use faber_core::parse::fence::{self, Fences, Split};

use crate::import::PlannedImport;
use crate::managed::{self, Managed};

const READ_FROM: [(&str, &[&str]); 4] = [
    ("globs", &["globs", "paths", "applyTo"]),
    ("keywords", &["keywords", "triggers"]),
    ("load", &["alwaysApply"]),
    ("title", &["title", "name"]),
];

pub(crate) struct SourceLines<'a> {
    source: &'a str,
    lines: Lines<'a>,
    body: usize,
    parts: Vec<Managed>,
    by_subject: HashMap<String, usize>,
    keys: HashMap<&'a str, u32>,
}

impl<'a> SourceLines<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        let body = fence::body(source);
        let parts = managed::parts(&source[body..]);
        let mut by_subject = HashMap::new();
        for (at, part) in parts.iter().enumerate() {
            if let Some(subject) = &part.subject {
                by_subject.entry(subject.to_string()).or_insert(at);
            }
        }
        let lines = Lines::new(source);
        let mut all = Self { source, lines, body, parts, by_subject, keys: HashMap::new() };
        if let Some(front) = fences(source) {
            for (number, line) in all.numbered(front.yaml..front.yaml_end) {
                if let Some(key) = key(line) {
                    all.keys.entry(key).or_insert(number);
                }
            }
        }
        all
    }

    /// From 0, by line of `text`. Imports never move lines.
    pub(crate) fn of(&self, planned: &PlannedImport, text: &str) -> Vec<u32> {
        let Some(id) = &planned.id else {
            let all = self.numbered(0..self.source.len()).skip_while(|(_, line)| is_blank(line));
            return all.map(|(number, _)| number).collect();
        };
        let mut lines = self.front(text);
        let body = &text[fence::body(text)..];
        let gap = body.lines().take_while(|line| is_blank(line)).count();
        let part = self.by_subject.get(id).filter(|_| planned.managed);
        let theirs = self.body(part.map(|&at| &self.parts[at]));
        let first = theirs.first().copied().unwrap_or(0);
        lines.extend(std::iter::repeat_n(first, gap));
        let count = body.lines().count() - gap;
        let skipped = if planned.managed { theirs.len().saturating_sub(count) } else { 0 };
        lines.extend(theirs.into_iter().skip(skipped));
        lines
    }

    fn body(&self, part: Option<&Managed>) -> Vec<u32> {
        let start = self.body;
        let ranges = match part {
            Some(part) => {
                let inner = start + part.inner.start..start + part.inner.end;
                std::iter::once(inner).collect()
            }
            None => managed::own_ranges(start..self.source.len(), &self.parts),
        };
        let mut all: Vec<u32> = Vec::new();
        for range in ranges {
            let lines = self.numbered(range).skip_while(|(_, line)| is_blank(line));
            let lines: Vec<(u32, &str)> = lines.collect();
            let last = lines.iter().rposition(|(_, line)| !is_blank(line));
            let end = last.map_or(0, |last| last + 1);
            let between = (!all.is_empty()).then(|| lines[..end].first()).flatten();
            all.extend(between.map(|(number, _)| number));
            all.extend(lines[..end].iter().map(|(number, _)| number));
        }
        all
    }

    fn front(&self, text: &str) -> Vec<u32> {
        let Some(own) = fences(text) else { return Vec::new() };
        let mut at = 0;
        let mut of_line = |line: &str| {
            if let Some(key) = key(line) {
                let keys = READ_FROM.iter().find(|(own, _)| *own == key).map(|(_, keys)| *keys);
                let keys = keys.unwrap_or(std::slice::from_ref(&key));
                at = keys.iter().find_map(|key| self.keys.get(key).copied()).unwrap_or(0);
            }
            at
        };
        let inner: Vec<u32> = text[own.yaml..own.yaml_end].lines().map(&mut of_line).collect();
        [&[0], &inner[..], &[0]].concat()
    }

    fn numbered(&self, bytes: Range<usize>) -> impl Iterator<Item = (u32, &'a str)> + use<'a> {
        let first = self.lines.at(bytes.start);
        let number = move |at: usize| u32::try_from(first + at).unwrap_or(u32::MAX);
        self.source[bytes].lines().enumerate().map(move |(at, line)| (number(at), line))
    }
}

fn fences(text: &str) -> Option<Fences> {
    match fence::split(text) {
        Split::Closed(fences) => Some(fences),
        Split::None { .. } | Split::Unclosed(_) => None,
    }
}

fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(':')?;
    (!key.starts_with([' ', '\t', '-', '#'])).then(|| key.trim_end())
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use faber_core::source::SourceMap;

    use super::*;
    use crate::import::PlannedContent;

    #[test]
    fn a_source_of_many_parts_is_read_once() {
        let part = |at: usize| {
            format!(
                "<!-- faber: begin standard/s{at} -->\nS{at}\n<!-- faber: end standard/s{at} -->\n"
            )
        };
        let parts = 100_000;
        let source: String = (0..parts).map(part).collect();
        let lines = SourceLines::new(&source);
        let file = SourceMap::default().add("AGENTS.md".into(), source.clone());
        for at in 0..parts {
            let planned = PlannedImport {
                path: "x.md".into(),
                content: PlannedContent::Text(String::new()),
                id: Some(format!("standard/s{at}")),
                source: file,
                always: false,
                managed: true,
            };
            let number = u32::try_from(3 * at + 1).unwrap();
            assert_eq!(lines.of(&planned, &format!("S{at}\n")), [number]);
        }
    }
}
