//! ## What it finds
//!
//! An include that leads back to the file that it is in.
//!
//! ## Why it matters
//!
//! There is no text that it could mean.
//!
//! ## Example
//!
//! ```markdown
//! <!-- a.md -->
//! <!-- faber: include ./b.md -->
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- a.md; b.md does not include it -->
//! <!-- faber: include ./b.md -->
//! ```
//!
//! ## How to fix it
//!
//! Remove one of the includes.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "include-cycle",
    severity: Severity::Error,
    group: Group::References,
    fix: Fix::None,
    summary: "files that include one another in a circle",
    source: include_str!("include_cycle.rs"),
};
