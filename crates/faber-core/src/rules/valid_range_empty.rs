//! ## What it finds
//!
//! A `valid_from` after the `valid_to` of the same context.
//!
//! ## Why it matters
//!
//! There is no day on which such a context is used.
//!
//! ## Example
//!
//! ```yaml
//! valid_from: 2026-07-01
//! valid_to: 2026-06-30
//! ```
//!
//! Better:
//!
//! ```yaml
//! valid_from: 2026-06-01
//! valid_to: 2026-06-30
//! ```
//!
//! ## How to fix it
//!
//! Correct one of the dates; `valid_to` is the last valid day.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "valid-range-empty",
    Group::Freshness,
    "a context that ends before it begins",
    include_str!("valid_range_empty.rs"),
);
