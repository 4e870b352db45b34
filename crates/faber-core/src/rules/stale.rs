//! ## What it finds
//!
//! An `updated` that is older than `validate.stale_after_days` of the configuration. Without
//! that key nothing is stale.
//!
//! ## Why it matters
//!
//! Instructions age. A date that no one looks at again is worth as much as none.
//!
//! ## Example
//!
//! ```yaml
//! # with validate: { stale_after_days: 365 }
//! updated: 2019-03-01
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
//! Read the file again, correct it and renew the date.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "stale",
    Group::Freshness,
    "a file that was not updated for long",
    include_str!("stale.rs"),
);
