//! ## What it finds
//!
//! A context without any text besides headings and comments. An overlay that only changes front
//! matter or removes sections may be empty, and so may a draft, a context with `load: never` and one
//! that names an `mcp_server`, under which faber itself says how to reach it.
//!
//! ## Why it matters
//!
//! It costs its line in every catalog and gives nothing when it is loaded.
//!
//! ## Example
//!
//! ```markdown
//! # Naming
//!
//! ## Variables
//! ```
//!
//! Better:
//!
//! ```markdown
//! # Naming
//!
//! ## Variables
//!
//! Use whole words.
//! ```
//!
//! ## How to fix it
//!
//! Write it, or remove the file.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "empty-context",
    Group::Budget,
    "a context without content",
    include_str!("empty_context.rs"),
);
