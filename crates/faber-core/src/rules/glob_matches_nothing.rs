//! ## What it finds
//!
//! A glob in a prompt, a task or a flow that names contexts, tasks or flows of which there are none.
//! What is marked "if present" may match nothing, and so may a path with a placeholder.
//!
//! ## Why it matters
//!
//! The context asks for files that do not exist, often because a folder was renamed.
//!
//! ## Example
//!
//! ```markdown
//! - Load all: `/contexts/standrds/*.md`
//! ```
//!
//! Better:
//!
//! ```markdown
//! - Load all: `/contexts/standards/*.md`
//! ```
//!
//! ## How to fix it
//!
//! Correct the path, add a file, or write "if present" into the heading above.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "glob-matches-nothing",
    Group::References,
    "a glob in a prompt, task or flow that matches no file",
    include_str!("glob_matches_nothing.rs"),
);
