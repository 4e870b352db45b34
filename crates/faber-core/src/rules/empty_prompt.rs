//! ## What it finds
//!
//! The `prompt.md` of a role in which nothing is but headings and comments.
//!
//! ## Why it matters
//!
//! The prompt opens every bundle of the role; without one the model is not told what it is. That of
//! a role that this one extends does not take its place.
//!
//! ## Example
//!
//! ```markdown
//! # Clerk
//! ```
//!
//! Better:
//!
//! ```markdown
//! # Clerk
//!
//! You sort letters by urgency.
//! ```
//!
//! ## How to fix it
//!
//! Say in a sentence or two who the model is and what it is there for.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "empty-prompt",
    Group::Role,
    "a prompt without content",
    include_str!("empty_prompt.rs"),
);
