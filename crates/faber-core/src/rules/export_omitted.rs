//! ## What it finds
//!
//! A context, the files that belong to it, or an MCP server that the target cannot take or that is
//! not configured.
//!
//! ## Why it matters
//!
//! The agent works without it.
//!
//! ## Example
//!
//! ```sh
//! faber export skills   # a context that always loads
//! ```
//!
//! Better:
//!
//! ```sh
//! faber export claude   # writes what always loads to CLAUDE.md
//! ```
//!
//! ## How to fix it
//!
//! Export to a target that can take it, or change when the context loads.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "export-omitted",
    Group::Exchange,
    "content that is not exported",
    include_str!("export_omitted.rs"),
);
