//! ## What it finds
//!
//! A name in `platforms` of `.faber/config.yml` that is neither a role nor the
//! `platform_config_key` of one.
//!
//! ## Why it matters
//!
//! The role that was meant works on another platform, or on none.
//!
//! ## Example
//!
//! ```yaml
//! # there is a role issue-manager
//! platforms: { issue-manger: linear }
//! ```
//!
//! Better:
//!
//! ```yaml
//! platforms: { issue-manager: linear }
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or remove the entry.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unknown-role",
    Group::Platforms,
    "a platform for a role that does not exist",
    include_str!("unknown_role.rs"),
);
