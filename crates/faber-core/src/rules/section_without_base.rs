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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "section-without-base",
    Group::Layers,
    "a heading in `sections` that is not there",
    include_str!("section_without_base.rs"),
);
