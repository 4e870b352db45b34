//! ## What it finds
//!
//! A folder, pipe, socket or device whose name ends in `.md`.
//!
//! ## Why it matters
//!
//! It has no text to read, and a pipe could make a reader wait for ever.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/naming.md/
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/naming.md
//! ```
//!
//! ## How to fix it
//!
//! Rename or remove it.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "special-file",
    severity: Severity::Error,
    group: Group::Files,
    fix: Fix::None,
    summary: "a path that should be a file and is not",
    source: include_str!("special_file.rs"),
};
