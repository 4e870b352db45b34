//! ## What it finds
//!
//! Two files of one layer with the same category and name.
//!
//! ## Why it matters
//!
//! Only the first by path is used; the other is silently without effect.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/standards-naming.md
//! contexts/standards/standard-naming.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-naming.md
//! ```
//!
//! ## How to fix it
//!
//! Rename or remove one of the two.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "duplicate-context",
    Group::Layers,
    "two contexts of one identity in one layer",
    include_str!("duplicate_context.rs"),
);
