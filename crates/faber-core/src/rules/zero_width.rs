//! ## What it finds
//!
//! A zero width space `U+200B`, a joiner `U+200C` or `U+200D`, a word joiner `U+2060`, or a
//! byte-order mark `U+FEFF` that is not at the start of the file. Two next to each other, or four
//! in a line, are an error, since no one types those by accident. Joiners are fine in emoji, in
//! Arabic, in Indic scripts and in Mongolian, and `U+200B` between words of Thai, Lao, Khmer and
//! Myanmar.
//!
//! ## Why it matters
//!
//! They split words, so that a search does not find what a model reads, and a row of them spells a
//! text bit by bit.
//!
//! ## Example
//!
//! ```text
//! run U+200B the tests
//! ```
//!
//! Better:
//!
//! ```text
//! run the tests
//! ```
//!
//! ## How to fix it
//!
//! Delete the characters, as `--fix` does.

use crate::diagnostic::Severity;
use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "zero-width",
    Group::Security,
    "a character without width where no script needs one",
    include_str!("zero_width.rs"),
)
.fix(Fix::Safe)
.except(Severity::Error);
