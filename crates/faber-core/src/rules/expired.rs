//! ## What it finds
//!
//! A context whose `valid_to` is before the reference date. One that is marked as deprecated or
//! as superseded is left alone: its end was meant.
//!
//! ## Why it matters
//!
//! It has been left out of every bundle since then, and a request that it would have answered
//! goes without it.
//!
//! ## Example
//!
//! ```yaml
//! # on 15 January 2026
//! valid_to: 2025-12-31
//! ```
//!
//! Better:
//!
//! ```yaml
//! valid_to: 2026-12-31
//! ```
//!
//! ## How to fix it
//!
//! Renew `valid_to` when the context still holds; else remove the file, or write `status:
//! deprecated`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "expired",
    Group::Freshness,
    "a context whose last valid day is over",
    include_str!("expired.rs"),
);
