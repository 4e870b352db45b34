//! Part of a text, line by line.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::markdown::{Definitions, Lines};

pub(super) const GAP: &str = "[…]";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcerptLine {
    /// Source line, from 0: of a closing fence the opening one, of [`GAP`] the first omitted one.
    pub from: usize,
    pub text: String,
}

impl ExcerptLine {
    pub fn is_gap(&self) -> bool {
        self.text == GAP
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    pub lines: Vec<ExcerptLine>,
    pub complete: bool,
    pub definitions: usize,
}

impl Excerpt {
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.lines.iter().map(|l| l.text.len() + 1).sum());
        for (at, line) in self.lines.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            text.push_str(&line.text);
        }
        text
    }

    pub fn without_definitions(&self) -> &[ExcerptLine] {
        &self.lines[..self.lines.len() - self.definitions]
    }

    pub(super) fn whole(lines: &Lines<'_>) -> Self {
        let mut whole =
            Self { lines: Vec::with_capacity(lines.len()), complete: true, definitions: 0 };
        for from in 0..lines.len() {
            whole.push(from, lines.text(from));
        }
        whole
    }

    pub(super) fn with_definitions(mut self, lines: &Lines<'_>, all: &Definitions) -> Self {
        if all.0.is_empty() {
            return self;
        }
        let mut shown = BTreeMap::new();
        for line in self.lines.iter().filter(|line| lines.text(line.from).starts_with(&line.text)) {
            let length: &mut usize = shown.entry(line.from).or_default();
            *length = line.text.len().max(*length);
        }
        let before = self.lines.len();
        let mut next = None;
        for range in all.missing(|line| shown.get(&line).copied().unwrap_or(0)) {
            if before > 0 && next.replace(range.end) != Some(range.start) {
                self.push(range.start, "");
            }
            for line in range {
                self.push(line, lines.text(line));
            }
        }
        self.definitions = self.lines.len() - before;
        self
    }

    pub(super) fn push(&mut self, from: usize, text: &str) {
        self.lines.push(ExcerptLine { from, text: text.to_owned() });
    }

    /// Only an item with the number 1 may directly follow a paragraph.
    pub(super) fn end_gap(&mut self, below: usize, next: &str) {
        let mut last = self.lines.iter().rev();
        if !last.next().is_some_and(ExcerptLine::is_gap) {
            return;
        }
        let is_own = last.next().is_none_or(|line| {
            let text = line.text.trim();
            text.is_empty() || text.starts_with("```") || text.starts_with("~~~")
        });
        let rest = next.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = rest.len() < next.trim_start().len() && rest.starts_with(['.', ')']);
        if is_own && is_numbered {
            self.push(below, "");
        }
    }

    pub(super) fn push_until(&mut self, lines: &Lines<'_>, text: &str, first: usize, end: usize) {
        let last = lines.at(end.saturating_sub(1)).max(first);
        for from in first..last {
            self.push(from, lines.text(from));
        }
        let range = lines.range(last);
        self.push(last, &text[range.start..end.clamp(range.start, range.end)]);
    }
}

pub(super) fn says(lines: &Lines<'_>, mut of: Range<usize>) -> bool {
    of.any(|line| lines.text(line).contains(char::is_alphanumeric))
}

/// `None` if 0 does not fit. O(log n) calls. A weaker `fits` never gives less.
pub(super) fn max_steps(limit: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    if !fits(0) {
        return None;
    }
    let mut good = 0;
    let mut bad = 1;
    while bad <= limit && fits(bad) {
        good = bad;
        bad = bad.saturating_mul(2);
    }
    bad = bad.min(limit + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_finds_the_last_step_that_fits_in_few_questions() {
        for limit in 0..200 {
            let calls = std::cell::Cell::new(0);
            let fits = |step| {
                calls.set(calls.get() + 1);
                step <= limit
            };
            assert_eq!(max_steps(100, fits), Some(limit.min(100)));
            assert!(calls.get() <= 16);
        }
        assert_eq!(max_steps(100, |_| false), None);
        assert_eq!(max_steps(0, |_| true), Some(0));
    }

    #[test]
    fn lines_are_cut_at_the_end_only() {
        let text = "a b\r\nc d\n";
        let lines = Lines::new(text);
        let mut part = Excerpt::default();
        part.push_until(&lines, text, 0, 6);
        assert_eq!(part.text(), "a b\nc");
        assert_eq!(Excerpt::whole(&lines).text(), "a b\nc d");
    }
}
