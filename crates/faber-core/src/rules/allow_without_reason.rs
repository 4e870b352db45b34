//! ## What it finds
//!
//! A `faber: allow RULE` without a colon and a reason after it.
//!
//! ## Why it matters
//!
//! Anyone who comes by later cannot tell whether the exception still holds.
//!
//! ## Example
//!
//! ```markdown
//! <!-- faber: allow dead-anchor -->
//! See [above](#top).
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- faber: allow dead-anchor: the site adds this anchor -->
//! See [above](#top).
//! ```
//!
//! ## How to fix it
//!
//! Write `faber: allow RULE: why`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "allow-without-reason",
    Group::Meta,
    "a comment that allows something and does not say why",
    include_str!("allow_without_reason.rs"),
);
