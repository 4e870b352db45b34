//! ## What it finds
//!
//! A file with bytes that are no UTF-8, and a file name of that kind.
//!
//! ## Why it matters
//!
//! A bundle is text. faber does not guess encodings, so the file is left out.
//!
//! ## Example
//!
//! ```text
//! caf\xe9 (Latin-1)
//! ```
//!
//! Better:
//!
//! ```text
//! café (UTF-8)
//! ```
//!
//! ## How to fix it
//!
//! Save the file as UTF-8; rename one whose name is not.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "not-utf8",
    severity: Severity::Error,
    group: Group::Files,
    fix: Fix::None,
    summary: "a file, or the name of one, that is not UTF-8",
    source: include_str!("not_utf8.rs"),
};
