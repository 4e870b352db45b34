//! ## What it finds
//!
//! A role whose folder has no `README.md`.
//!
//! ## Why it matters
//!
//! The prompt is for the model. People who look for a role want to know what it is for and what
//! it needs.
//!
//! ## Example
//!
//! ```text
//! roles/clerk/prompt.md
//! ```
//!
//! Better:
//!
//! ```text
//! roles/clerk/README.md
//! roles/clerk/prompt.md
//! ```
//!
//! ## How to fix it
//!
//! Add a `README.md` of a few lines.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "missing-readme",
    Group::Role,
    "a role without a README.md",
    include_str!("missing_readme.rs"),
);
