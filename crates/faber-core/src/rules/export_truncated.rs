//! ## What it finds
//!
//! A description, a name or a text that is longer than the target reads.
//!
//! ## Why it matters
//!
//! The agent sees only the beginning.
//!
//! ## Example
//!
//! ```yaml
//! description: |
//!   1,500 characters, of which a skill keeps 1,024
//! ```
//!
//! Better:
//!
//! ```yaml
//! description: What it is for, and when to use it
//! ```
//!
//! ## How to fix it
//!
//! Shorten it, or load less of it always.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "export-truncated",
    Group::Exchange,
    "content that the target cuts",
    include_str!("export_truncated.rs"),
);
