//! ## What it finds
//!
//! A `faber: allow` whose rule finds nothing in what it covers, does not exist, or is a
//! security rule, which no file can excuse itself from.
//!
//! ## Why it matters
//!
//! A comment that is left over lets the next real finding pass unseen.
//!
//! ## Example
//!
//! ```markdown
//! <!-- faber: allow dead-anchor: made by a tool -->
//! Nothing is wrong here.
//! ```
//!
//! Better:
//!
//! ```markdown
//! Nothing is wrong here.
//! ```
//!
//! ## How to fix it
//!
//! Remove the comment. `--fix` does.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unused-allow",
    severity: Severity::Warning,
    group: Group::Meta,
    fix: Fix::Safe,
    summary: "a comment that allows what is not found",
    source: include_str!("unused_allow.rs"),
};
