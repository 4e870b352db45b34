//! ## What it finds
//!
//! A value of `created`, `updated`, `valid_from` or `valid_to` that is no day of the calendar.
//!
//! ## Why it matters
//!
//! A validity that cannot be read leaves the context out.
//!
//! ## Example
//!
//! ```yaml
//! updated: 2026-02-30
//! ```
//!
//! Better:
//!
//! ```yaml
//! updated: 2026-02-28
//! ```
//!
//! ## How to fix it
//!
//! Write a day as `YYYY-MM-DD`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule =
    Rule::error("bad-date", Group::Role, "an invalid date", include_str!("bad_date.rs"));
