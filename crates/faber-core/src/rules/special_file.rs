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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "special-file",
    Group::Files,
    "a path that should be a file and is not",
    include_str!("special_file.rs"),
);
