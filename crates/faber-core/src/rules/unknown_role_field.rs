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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "unknown-role-field",
    Group::Role,
    "a key of `agent.yml` that faber does not know",
    include_str!("unknown_role_field.rs"),
);
