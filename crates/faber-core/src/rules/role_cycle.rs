//! ## What it finds
//!
//! An `extends` in `agent.yml` that leads back to its own role.
//!
//! ## Why it matters
//!
//! None of the roles is the base, so what is inherited cannot be told.
//!
//! ## Example
//!
//! ```yaml
//! # roles/a/agent.yml
//! extends: b
//! # roles/b/agent.yml
//! extends: a
//! ```
//!
//! Better:
//!
//! ```yaml
//! # roles/a/agent.yml
//! extends: b
//! # roles/b/agent.yml extends nothing
//! ```
//!
//! ## How to fix it
//!
//! Remove one `extends`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "role-cycle",
    Group::References,
    "roles that extend one another in a circle",
    include_str!("role_cycle.rs"),
);
