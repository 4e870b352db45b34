//! ## What it finds
//!
//! A pattern in `globs` that cannot be read, such as one with an open bracket.
//!
//! ## Why it matters
//!
//! It matches no file, so the context never loads by it.
//!
//! ## Example
//!
//! ```yaml
//! globs: ["src/[a-z"]
//! ```
//!
//! Better:
//!
//! ```yaml
//! globs: ["src/[a-z]*"]
//! ```
//!
//! ## How to fix it
//!
//! Correct the pattern.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "glob-invalid",
    severity: Severity::Error,
    group: Group::Selection,
    fix: Fix::None,
    summary: "an invalid glob",
    source: include_str!("glob_invalid.rs"),
};
