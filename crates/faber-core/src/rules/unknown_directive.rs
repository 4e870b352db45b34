//! ## What it finds
//!
//! A comment that begins with `faber` and is no directive of faber, such as a misspelled
//! `<!-- faber: include … -->`. In code it is text.
//!
//! ## Why it matters
//!
//! Nothing is included or allowed, and the model reads the comment.
//!
//! ## Example
//!
//! ```markdown
//! <!-- faber: inclde ./partials/labels.md -->
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- faber: include ./partials/labels.md -->
//! ```
//!
//! ## How to fix it
//!
//! Write `<!-- faber: include PATH -->` or `<!-- faber: allow RULE: why -->`, with a space after
//! the colon, on a line of its own.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unknown-directive",
    Group::References,
    "a comment that is almost a directive",
    include_str!("unknown_directive.rs"),
);
