//! ## What it finds
//!
//! An `extends` in front matter that leads back to its own context.
//!
//! ## Why it matters
//!
//! One of them must be the base of the others, and none is.
//!
//! ## Example
//!
//! ```yaml
//! # a.md
//! extends: standard/b
//! # b.md
//! extends: standard/a
//! ```
//!
//! Better:
//!
//! ```yaml
//! # a.md
//! extends: standard/b
//! # b.md extends nothing
//! ```
//!
//! ## How to fix it
//!
//! Remove `extends` from the one that is the base.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "extends-cycle",
    Group::References,
    "contexts that extend one another in a circle",
    include_str!("extends_cycle.rs"),
);
