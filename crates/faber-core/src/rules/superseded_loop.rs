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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "superseded-loop",
    Group::Layers,
    "contexts that supersede one another in a circle",
    include_str!("superseded_loop.rs"),
);
