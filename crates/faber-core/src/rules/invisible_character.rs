//! ## What it finds
//!
//! Soft hyphens that are not between syllables, the combining grapheme joiner, Hangul fillers,
//! invisible operators of mathematics inside of words, seven or more marks on one letter, separators of lines and paragraphs, interlinear annotations,
//! the blank Braille pattern, code points that are no characters, marks of direction in lines of
//! Latin text, a variation selector without anything to vary, and rows of characters of private
//! use. A soft hyphen with two letters on both sides is typography.
//!
//! ## Why it matters
//!
//! What reviewers cannot see, they cannot judge, and names that differ in such a character are
//! different names.
//!
//! ## Example
//!
//! ```text
//! max U+3164 retries
//! ```
//!
//! Better:
//!
//! ```text
//! max retries
//! ```
//!
//! ## How to fix it
//!
//! Delete the characters, as `--fix` does. It sets a space for the separators `U+2028` and
//! `U+2029`.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "invisible-character",
    Group::Security,
    "a character that leaves no trace on the screen",
    include_str!("invisible_character.rs"),
)
.fix(Fix::Safe);
