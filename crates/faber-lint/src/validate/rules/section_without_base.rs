//! ## What it finds
//!
//! A heading in `sections` that neither the base nor the overlay has, in any view.
//!
//! ## Why it matters
//!
//! The rule has no effect, most likely since the base was reworded.
//!
//! ## Example
//!
//! ```yaml
//! sections: { "Aprovals": override }
//! ```
//!
//! Better:
//!
//! ```yaml
//! sections: { "Approvals": override }
//! ```
//!
//! ## How to fix it
//!
//! Correct the heading, or remove the rule.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "section-without-base",
    severity: Severity::Warning,
    group: Group::Layers,
    fix: Fix::None,
    summary: "a heading in `sections` that is not there",
    source: include_str!("section_without_base.rs"),
};
