//! ## What it finds
//!
//! A role of one name in several of the folders that hold roles.
//!
//! ## Why it matters
//!
//! Only the first is used; changes of the other have no effect.
//!
//! ## Example
//!
//! ```text
//! roles/clerk/prompt.md
//! .faber/roles/clerk/prompt.md
//! ```
//!
//! Better:
//!
//! ```text
//! roles/clerk/prompt.md
//! ```
//!
//! ## How to fix it
//!
//! Remove or rename one of the two.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "duplicate-role",
    Group::Role,
    "a role that is defined in two places",
    include_str!("duplicate_role.rs"),
);
