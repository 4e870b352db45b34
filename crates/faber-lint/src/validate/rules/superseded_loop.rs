//! ## What it finds
//!
//! A `superseded_by` that leads back to its own context.
//!
//! ## Why it matters
//!
//! Each says that the other takes its place, so all of them stay in use.
//!
//! ## Example
//!
//! ```yaml
//! # a.md
//! superseded_by: standard/b
//! # b.md
//! superseded_by: standard/a
//! ```
//!
//! Better:
//!
//! ```yaml
//! # a.md
//! superseded_by: standard/b
//! # b.md is superseded by nothing
//! ```
//!
//! ## How to fix it
//!
//! Remove `superseded_by` from the one that holds.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "superseded-loop",
    severity: Severity::Error,
    group: Group::Layers,
    fix: Fix::None,
    summary: "contexts that supersede one another in a circle",
    source: include_str!("superseded_loop.rs"),
};
