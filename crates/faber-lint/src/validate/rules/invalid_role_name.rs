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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "invalid-role-name",
    severity: Severity::Error,
    group: Group::Role,
    fix: Fix::None,
    summary: "a name that no role can have",
    source: include_str!("invalid_role_name.rs"),
};
