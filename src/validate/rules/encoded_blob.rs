//! Finds encoded text: base64 and hexadecimal digits that decode to words, runs of 200 characters and more that do
//! not, `data:` addresses that carry pages or programs, and a dozen characters in a row that are written as numbers
//! (`\x69`, `&#105;`, `%69`).
//!
//! Models decode what reviewers skip. What is no instruction still costs about a token for every two characters.
//!
//! Bad: a line of base64 that says to send the file elsewhere.
//!
//! Good: digests, UUIDs, public keys, certificates, and `data:` addresses of images and fonts.
//!
//! To mend it, write in words what it says, or put it into a file of its own.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "encoded-blob",
    severity: Severity::Warning,
    group: Group::Security,
    fix: Fix::None,
    summary: "a text is encoded so that nobody can read it",
    source: include_str!("encoded_blob.rs"),
};
