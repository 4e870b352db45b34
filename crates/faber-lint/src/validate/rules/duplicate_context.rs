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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-context",
    severity: Severity::Error,
    group: Group::Layers,
    fix: Fix::None,
    summary: "two contexts of one identity in one layer",
    source: include_str!("duplicate_context.rs"),
};
