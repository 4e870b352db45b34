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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "role-cycle",
    severity: Severity::Error,
    group: Group::References,
    fix: Fix::None,
    summary: "roles that extend one another in a circle",
    source: include_str!("role_cycle.rs"),
};
