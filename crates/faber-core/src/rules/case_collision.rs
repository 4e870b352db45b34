//! ## What it finds
//!
//! Files or folders next to one another whose names differ only in capital and small letters, or in
//! how accents are written.
//!
//! ## Why it matters
//!
//! On Windows and macOS they are one: of two files one is lost when the repository is checked out,
//! and the contents of two folders are mixed.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/standards-api.md
//! contexts/standards/standards-API.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-api.md
//! contexts/standards/standards-api-errors.md
//! ```
//!
//! ## How to fix it
//!
//! Rename one of them.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "case-collision",
    Group::Files,
    "names that are one on Windows and macOS",
    include_str!("case_collision.rs"),
);
