//! ## What it finds
//!
//! A role that has no file in `tasks/`, and neither has one that it extends.
//!
//! ## Why it matters
//!
//! Tasks are what a role is asked for again and again; without one every request begins from
//! nothing.
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
//! roles/clerk/prompt.md
//! roles/clerk/tasks/sort-letters.md
//! ```
//!
//! ## How to fix it
//!
//! Add a task: `faber new task NAME --role ROLE`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "role-without-task",
    Group::Role,
    "a role without any task",
    include_str!("role_without_task.rs"),
);
