//! ## What it finds
//!
//! An entry of `related` that leads to no context in any view of the workspace.
//!
//! ## Why it matters
//!
//! What should come along with a context does not.
//!
//! ## Example
//!
//! ```yaml
//! related: [playbook/relaese]
//! ```
//!
//! Better:
//!
//! ```yaml
//! related: [playbook/release]
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or remove the entry.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "dangling-related",
    Group::References,
    "a `related` entry that names nothing",
    include_str!("dangling_related.rs"),
);
