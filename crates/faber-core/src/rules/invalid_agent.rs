//! ## What it finds
//!
//! An `agent.yml` that is not YAML, or no map.
//!
//! ## Why it matters
//!
//! What the role extends, which platforms it knows and who may see it is there.
//!
//! ## Example
//!
//! ```yaml
//! name: clerk
//!   platforms: [linear]
//! ```
//!
//! Better:
//!
//! ```yaml
//! name: clerk
//! platforms: [linear]
//! ```
//!
//! ## How to fix it
//!
//! Correct the YAML; a value with `: ` in it needs quotes. No fix is made: this file decides who
//! may see the role, so what it means is yours to say.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "invalid-agent",
    Group::Role,
    "an `agent.yml` that cannot be read",
    include_str!("invalid_agent.rs"),
);
