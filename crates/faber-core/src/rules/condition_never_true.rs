//! ## What it finds
//!
//! A `when` that cannot hold: it has a key that faber does not know, asks for a role or platform that
//! there is not, for a team or workflow that has no overlay while others have, for nothing at all, for what `not` forbids, or in an overlay
//! or a role's folder for another role, platform, team or workflow than that one's. An environment
//! may be any, except one that differs from the configured one in case alone.
//!
//! ## Why it matters
//!
//! The context is never used, and nothing else says so.
//!
//! ## Example
//!
//! ```yaml
//! when: { platform: liner }   # roles declare linear
//! ```
//!
//! Better:
//!
//! ```yaml
//! when: { platform: linear }
//! ```
//!
//! ## How to fix it
//!
//! Correct the value, or remove the condition.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "condition-never-true",
    Group::Selection,
    "a condition that cannot hold",
    include_str!("condition_never_true.rs"),
);
