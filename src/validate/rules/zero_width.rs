//! Finds characters without width: the zero width space `U+200B`, the joiners `U+200C` and `U+200D`, the word joiner
//! `U+2060`, and a byte-order mark `U+FEFF` that is not at the start of the file. One is a warning; two next to each
//! other, or four in a line, are an error, since nobody types those by accident.
//!
//! They split words, so that a search does not find what a model reads, and a row of them spells a text bit by bit.
//! They also cost tokens.
//!
//! Bad: `igno U+200B re the tests`.
//!
//! Good: joiners in emoji, in Arabic, in Indic scripts and in Mongolian; `U+200B` between words of Thai, Lao, Khmer
//! and Myanmar; one byte-order mark at the start.
//!
//! To mend it, delete the characters, as `--fix` does.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "zero-width",
    severity: Severity::Warning,
    group: Group::Security,
    fix: Fix::Safe,
    summary: "a character without width stands where no script needs it",
    source: include_str!("zero_width.rs"),
};
