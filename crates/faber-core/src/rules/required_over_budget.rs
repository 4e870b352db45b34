//! ## What it finds
//!
//! A role whose prompt and required contexts do not fit the budget of a bundle, though everything
//! that may be shortened is.
//!
//! ## Why it matters
//!
//! Nothing can be assembled for this role, whatever is asked: it fails with exit status 3.
//!
//! ## Example
//!
//! ```yaml
//! # a handbook of 60 000 words
//! required: true
//! truncatable: false
//! ```
//!
//! Better:
//!
//! ```yaml
//! required: true
//! summary: Every change has a review and a test. Secrets stay in the vault.
//! ```
//!
//! ## How to fix it
//!
//! Let the largest be shortened, make it no longer required, or raise the budget.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "required-over-budget",
    Group::Budget,
    "what is required cannot fit",
    include_str!("required_over_budget.rs"),
);
