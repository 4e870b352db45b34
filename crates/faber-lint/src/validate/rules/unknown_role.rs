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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-role",
    severity: Severity::Warning,
    group: Group::Platforms,
    fix: Fix::None,
    summary: "a platform for a role that does not exist",
    source: include_str!("unknown_role.rs"),
};
