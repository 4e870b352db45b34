//! ## What it finds
//!
//! A role for which the prompt and what loads with every request (standards, the platform, custom
//! contexts and what is related to them) are together over the budget of a bundle. What cannot be
//! assembled at all is `required-over-budget` alone.
//!
//! ## Why it matters
//!
//! Something of it is shortened or left out every time, before the request has added anything.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/standards-everything.md   30 000 words
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-core.md         600 words
//! contexts/references/reference-details.md     the rest, on demand
//! ```
//!
//! ## How to fix it
//!
//! Let part of it load on demand or by keyword, shorten it, or raise the budget.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "always-over-budget",
    Group::Budget,
    "what always loads does not fit",
    include_str!("always_over_budget.rs"),
);
