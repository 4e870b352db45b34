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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "bad-date",
    severity: Severity::Error,
    group: Group::Role,
    fix: Fix::None,
    summary: "an invalid date",
    source: include_str!("bad_date.rs"),
};
