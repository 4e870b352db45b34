//! Procedures with numbered headings: `Step 1: Build`, or `1. Build` below `Steps`.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::markdown::Lines;

const STEPS: [&str; 4] = ["phase", "schritt", "stage", "step"];
const PROCEDURES: [&str; 4] = ["procedure", "schritt", "step", "workflow"];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Step {
    heading: Range<usize>,
    /// With those of its subsections.
    parts: Range<usize>,
}

#[derive(Default)]
pub(super) struct StepsReader {
    open: Vec<OpenSteps>,
    found: Vec<Vec<Step>>,
}

struct OpenSteps {
    above: Vec<Range<usize>>,
    number: u32,
    steps: Vec<Step>,
}

impl StepsReader {
    pub(super) fn add(&mut self, path: &[Range<usize>], headings: &str, parts: &Range<usize>) {
        let Some((heading, above)) = path.split_last() else { return };
        self.end(|open| !above.starts_with(&open.above));
        if let Some(number) = number(headings) {
            let step = Step { heading: heading.clone(), parts: parts.clone() };
            match self.open.last_mut().filter(|open| open.above == above) {
                Some(open) if number == open.number + 1 => {
                    open.number = number;
                    open.steps.push(step);
                }
                _ if number > 1 => {}
                _ => {
                    self.end(|open| open.above == above);
                    self.open.push(OpenSteps { above: above.to_vec(), number, steps: vec![step] });
                }
            }
        }
        for open in &mut self.open {
            if let Some(last) = open.steps.last_mut().filter(|step| path.contains(&step.heading)) {
                last.parts.end = parts.end;
            }
        }
    }

    fn end(&mut self, is_ended: impl Fn(&OpenSteps) -> bool) {
        while let Some(open) = self.open.pop_if(|open| is_ended(open)) {
            self.found.extend((open.steps.len() > 1).then_some(open.steps));
        }
    }

    /// The innermost first.
    pub(super) fn finish(mut self) -> Vec<Vec<Step>> {
        self.end(|_| true);
        self.found
    }
}

pub(super) fn parts_of(steps: &[Step]) -> Range<usize> {
    steps[0].parts.start..steps[steps.len() - 1].parts.end
}

fn missing<'a>(steps: &'a [Step], kept: &'a [bool]) -> impl Iterator<Item = &'a Step> {
    let is_kept = |step: &Step| kept[step.parts.clone()].contains(&true);
    let is_any = steps.iter().any(is_kept);
    steps.iter().filter(move |step| is_any && !is_kept(step))
}

pub(super) fn beginnings(steps: &[Step], kept: &[bool]) -> Vec<usize> {
    let missing = missing(steps, kept).filter(|step| !step.parts.is_empty());
    missing.map(|step| step.parts.start).collect()
}

/// At most `room` bytes.
pub(super) fn bare_headings(
    steps: &[Vec<Step>],
    lines: &Lines<'_>,
    kept: &[bool],
    mut room: usize,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for steps in steps {
        let headings = || missing(steps, kept).map(|step| step.heading.clone());
        let bytes = headings().map(|heading| lines.bytes(&heading).len()).sum();
        if let Some(left) = room.checked_sub(bytes) {
            room = left;
            found.extend(headings());
        }
    }
    found
}

/// Of the last of `headings`.
pub(super) fn number(headings: &str) -> Option<u32> {
    let headings = headings.to_lowercase();
    let (above, heading) = headings.rsplit_once('\n').unwrap_or(("", &headings));
    let at = heading.find(|c: char| c.is_ascii_digit())?;
    let word = heading[..at].trim_matches(|c: char| !c.is_alphanumeric());
    let rest = &heading[at..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let is_step = match word {
        "" => PROCEDURES.iter().any(|word| above.contains(word)),
        word => STEPS.contains(&word),
    };
    let is_number = is_step && !rest[end..].starts_with(char::is_alphanumeric);
    let last = rest[..end].trim_end_matches('.').rsplit('.').next();
    last.filter(|_| is_number)?.parse().ok()
}
