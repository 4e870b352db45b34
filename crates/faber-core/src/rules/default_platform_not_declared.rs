//! ## What it finds
//!
//! A `default_platform` of `agent.yml` that `platforms` does not name.
//!
//! ## Why it matters
//!
//! `platforms` is what other rules and people go by: no one checks that there is a context for a
//! platform that is not in it.
//!
//! ## Example
//!
//! ```yaml
//! platforms: [linear, github]
//! default_platform: linaer
//! ```
//!
//! Better:
//!
//! ```yaml
//! platforms: [linear, github]
//! default_platform: linear
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or add it to `platforms`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "default-platform-not-declared",
    Group::Role,
    "a default platform that the role does not declare",
    include_str!("default_platform_not_declared.rs"),
);
