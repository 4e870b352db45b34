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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "glob-invalid",
    Group::Selection,
    "an invalid glob",
    include_str!("glob_invalid.rs"),
);
