//! ## What it finds
//!
//! An `updated` or `created` after the reference date.
//!
//! ## Why it matters
//!
//! Nothing was changed tomorrow. It is a typo, and hides how old the file is.
//!
//! ## Example
//!
//! ```yaml
//! updated: 2206-01-15
//! ```
//!
//! Better:
//!
//! ```yaml
//! updated: 2026-01-15
//! ```
//!
//! ## How to fix it
//!
//! Correct the date.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "future-date",
    Group::Freshness,
    "a change in the future",
    include_str!("future_date.rs"),
);
