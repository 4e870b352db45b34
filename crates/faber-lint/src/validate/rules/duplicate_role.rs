//! ## What it finds
//!
//! A role of one name in several of the folders that hold roles.
//!
//! ## Why it matters
//!
//! Only the first is used; changes of the other have no effect.
//!
//! ## Example
//!
//! ```text
//! roles/clerk/prompt.md
//! .faber/roles/clerk/prompt.md
//! ```
//!
//! Better:
//!
//! ```text
//! roles/clerk/prompt.md
//! ```
//!
//! ## How to fix it
//!
//! Remove or rename one of the two.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-role",
    severity: Severity::Warning,
    group: Group::Role,
    fix: Fix::None,
    summary: "a role that is defined in two places",
    source: include_str!("duplicate_role.rs"),
};
