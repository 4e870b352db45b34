//! ## What it finds
//!
//! A key of `agent.yml` that has no meaning for faber.
//!
//! ## Why it matters
//!
//! A typo such as `platform` for `platforms` leaves the role without what it should have.
//!
//! ## Example
//!
//! ```yaml
//! platform: [linear]
//! ```
//!
//! Better:
//!
//! ```yaml
//! platforms: [linear]
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or remove the key.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-role-field",
    severity: Severity::Warning,
    group: Group::Role,
    fix: Fix::None,
    summary: "a key of `agent.yml` that faber does not know",
    source: include_str!("unknown_role_field.rs"),
};
