//! Decision records that are no longer valid.

use crate::markdown::{self, BlockKind, Lines};
use crate::parse::fields::ContextStatus;

const AFTER: [&str; 6] = ["as", "by", "in", "on", "see", "since"];

/// From a section `Status`, or a line `Status: …` above all.
pub fn status(body: &str) -> Option<ContextStatus> {
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
                let mut shown = block.lines.map(|line| plain(lines.text(line)));
                let status = shown.find_map(|line| match line.split_once(':') {
                    Some((key, value)) if key.eq_ignore_ascii_case("status") => of_words(value),
                    _ => of_words(&line).filter(|_| is_status),
                });
                if status.is_some() {
                    return status;
                }
            }
            _ => {}
        }
    }
    None
}

fn plain(line: &str) -> String {
    markdown::plain(&line.split("~~").step_by(2).collect::<String>())
}

pub fn of_words(text: &str) -> Option<ContextStatus> {
    let is_letter = |word: &&str| word.starts_with(char::is_alphabetic);
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| !is_letter(word));
    let status = match &*words.next()?.to_lowercase() {
        "superseded" | "superceded" => return Some(ContextStatus::Deprecated),
        "deprecated" => ContextStatus::Deprecated,
        "rejected" => ContextStatus::Rejected,
        _ => return None,
    };
    let is_alone =
        words.next().filter(is_letter).is_none_or(|word| AFTER.contains(&&*word.to_lowercase()));
    is_alone.then_some(status)
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
            ("## Status\n\nAccepted, supersedes 3\n", None),
            ("## Status\n\nDeprecated endpoints are listed below.\n", None),
            ("## Context\n\nSuperseded by events.\n\nStatus: deprecated\n", None),
        ] {
            assert_eq!(
                status(&format!("# 1. Use Go\n\n{text}\n## Decision\n\nGo.\n")),
                expected,
                "{text}"
            );
        }
    }
}
