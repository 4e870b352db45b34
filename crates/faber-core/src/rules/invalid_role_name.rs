//! ## What it finds
//!
//! A `name` in `agent.yml` that is not lower-case letters, digits and hyphens, or begins with a
//! hyphen.
//!
//! ## Why it matters
//!
//! Names of roles are names of folders and words of command lines.
//!
//! ## Example
//!
//! ```yaml
//! name: Issue Manager
//! ```
//!
//! Better:
//!
//! ```yaml
//! name: issue-manager
//! ```
//!
//! ## How to fix it
//!
//! Use lower-case letters, digits and hyphens.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "invalid-role-name",
    Group::Role,
    "a name that no role can have",
    include_str!("invalid_role_name.rs"),
);
