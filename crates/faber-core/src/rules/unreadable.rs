//! ## What it finds
//!
//! A file that the system does not let faber read, or that vanished meanwhile.
//!
//! ## Why it matters
//!
//! What it says is missing from every bundle.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/naming.md (no permission)
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/naming.md (readable)
//! ```
//!
//! ## How to fix it
//!
//! See to its permissions.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unreadable",
    Group::Files,
    "a file that cannot be read",
    include_str!("unreadable.rs"),
);
