//! Decision records that are no longer valid.

use std::ops::Range;

use crate::markdown::{self, BlockKind, Lines};
use crate::parse::fields::ContextStatus;
use crate::source::char_boundary;
use crate::word_list::words;

const AFTER: [&str; 12] =
    ["am", "as", "by", "durch", "in", "on", "see", "seit", "siehe", "since", "von", "with"];

const DEPRECATED: &[&str] = words!(
    "superseded, superceded, ersetzt, replaced, abgelöst, deprecated, obsolete, überholt, veraltet",
);
const REJECTED: [&str; 3] = ["abgelehnt", "rejected", "verworfen"];

/// Of the heading or key, in bytes.
const NEAR: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedStatus {
    pub status: ContextStatus,
    pub line: Range<usize>,
}

/// From a section `Status`, or a line `Status: …` above all.
pub fn status(body: &str) -> Option<StatedStatus> {
    if !may_state(body) {
        return None;
    }
    let lines = Lines::new(body);
    let (mut is_status, mut is_above) = (false, true);
    for block in markdown::blocks(body) {
        match block.kind {
            BlockKind::Heading { level, text, .. } => {
                is_status = text.eq_ignore_ascii_case("status");
                is_above &= level == 1;
            }
            BlockKind::Paragraph
            | BlockKind::List { .. }
            | BlockKind::Quote
            | BlockKind::Container
                if is_status || is_above =>
            {
                let stated = block.lines.clone().find_map(|at| {
                    let line = plain(lines.text(at));
                    let status = match line.split_once(':') {
                        Some((key, value)) if key.eq_ignore_ascii_case("status") => of_words(value),
                        _ => of_words(&line).filter(|_| is_status),
                    };
                    Some(StatedStatus { status: status?, line: lines.range(at) })
                });
                if stated.is_some() {
                    return stated;
                }
            }
            _ => {}
        }
    }
    None
}

fn may_state(body: &str) -> bool {
    let is_status = |line: &str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (word, rest) = line.split_at_checked("status".len()).unwrap_or_default();
        word.eq_ignore_ascii_case("status") && !rest.starts_with(char::is_alphanumeric)
    };
    let says = |at: usize| {
        let near = body[at..char_boundary(body, at + NEAR)].to_lowercase();
        DEPRECATED.iter().chain(&REJECTED).any(|word| near.contains(word))
    };
    let mut next = 0;
    body.split_inclusive('\n').any(|line| {
        let at = next;
        next += line.len();
        is_status(line) && says(at)
    })
}

fn plain(line: &str) -> String {
    markdown::plain(&line.split("~~").step_by(2).collect::<String>())
}

pub fn of_words(text: &str) -> Option<ContextStatus> {
    let is_letter = |word: &&str| word.starts_with(char::is_alphabetic);
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| !is_letter(word));
    let first = words.next()?.to_lowercase();
    let next = words.next().filter(is_letter).map(str::to_lowercase);
    let is_followed = next.as_deref().is_some_and(|word| AFTER.contains(&word));
    let first = first.as_str();
    let is_meant = match first {
        "superseded" | "superceded" => true,
        "ersetzt" | "replaced" => is_followed,
        _ => next.is_none() || is_followed,
    };
    let deprecated = DEPRECATED.contains(&first).then_some(ContextStatus::Deprecated);
    let status = deprecated.or(REJECTED.contains(&first).then_some(ContextStatus::Rejected));
    status.filter(|_| is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_record_is_in_its_section_or_above_all_sections() {
        let (deprecated, rejected) =
            (Some(ContextStatus::Deprecated), Some(ContextStatus::Rejected));
        for (text, expected) in [
            ("## Status\n\n⌛️ Superseded [0019](0019-go.md)\n", deprecated),
            ("## Status\n\nAccepted\n\nSuperceded by [2. Go](0002-go.md)\n", deprecated),
            ("## Status\n\n~~Accepted~~ Deprecated, see ADR 7\n", deprecated),
            ("## Status\n\n- 2020-01-02: Rejected (2021)\n", rejected),
            ("* Status: superseded by [2](0002-go.md)\n* Date: 2020\n", deprecated),
            ("**Status:** Rejected\n", rejected),
            ("Status: Rejected On 2024-01-01\n", rejected),
            ("## Status\n\nReplaced by ADR 9.\n", deprecated),
            ("## Status\n\nAbgelöst durch ADR 9.\n", deprecated),
            ("Status: ersetzt durch 9\n", deprecated),
            ("Status: Veraltet seit 2024\n", deprecated),
            ("Status: verworfen\n", rejected),
            ("Status: ersetzt 9\n", None),
            ("## Status\n\nAccepted, supersedes 3\n", None),
            ("## Status\n\nDeprecated endpoints are listed below.\n", None),
            ("## Context\n\nSuperseded by events.\n\nStatus: deprecated\n", None),
        ] {
            assert_eq!(
                status(&format!("# 1. Use Go\n\n{text}\n## Decision\n\nGo.\n"))
                    .map(|stated| stated.status),
                expected,
                "{text}"
            );
        }
        let text = "# Go\n\n- Status: superseded by [2](2-go.md)\n- Date: 2020\n";
        let line = status(text).unwrap().line;
        assert_eq!(text[line].trim_end(), "- Status: superseded by [2](2-go.md)");
    }
}
