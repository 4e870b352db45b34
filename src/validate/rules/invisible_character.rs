//! Finds other characters that cannot be seen: soft hyphens that do not stand between syllables, the combining grapheme
//! joiner, the Hangul fillers, invisible operators of mathematics, separators of lines and paragraphs, interlinear
//! annotations, the blank Braille pattern, code points that are no characters, marks of direction in lines of
//! Latin text, a variation selector without anything to vary, and rows of characters of private use.
//!
//! What a reviewer cannot see, he cannot judge, and names that differ in such a character are different names.
//!
//! Bad: `max U+3164 retries`, which looks like two words and is one.
//!
//! Good: `Donau U+00AD dampf U+00AD schiff`: a soft hyphen with two letters on both sides is typography.
//!
//! To mend it, delete the characters, as `--fix` does. It sets a space for the separators `U+2028` and `U+2029`.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "invisible-character",
    severity: Severity::Warning,
    group: Group::Security,
    fix: Fix::Safe,
    summary: "a character leaves no trace on the screen",
    source: include_str!("invisible_character.rs"),
};
