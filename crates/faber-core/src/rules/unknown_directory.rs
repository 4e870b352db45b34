//! ## What it finds
//!
//! A folder right in `contexts/` that is none of the seven categories and not `partials`.
//!
//! ## Why it matters
//!
//! What lies in it needs a category of its own to be a context, and is usually meant to be one.
//!
//! ## Example
//!
//! ```text
//! contexts/standard/naming.md
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
//! Rename the folder.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unknown-directory",
    Group::Layers,
    "a folder that is not a category",
    include_str!("unknown_directory.rs"),
);
