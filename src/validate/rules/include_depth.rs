//! ## What it finds
//!
//! More than 16 includes in a row.
//!
//! ## Why it matters
//!
//! Nobody can tell what such a file says, and it is most likely a mistake.
//!
//! ## Example
//!
//! ```markdown
//! <!-- faber: include ./step-17.md -->
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- faber: include ./all-steps.md -->
//! ```
//!
//! ## How to mend it
//!
//! Include the last file directly.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "include-depth",
    severity: Severity::Error,
    group: Group::References,
    fix: Fix::None,
    summary: "includes that are nested too deeply",
    source: include_str!("include_depth.rs"),
};
