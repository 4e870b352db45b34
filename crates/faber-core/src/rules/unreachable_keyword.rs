//! ## What it finds
//!
//! A keyword or error without any letter or digit, and one that the same file has already, in other
//! words or the same: words are compared by their stems, so `audit` matches "audits" and "audited"
//! too.
//!
//! ## Why it matters
//!
//! The first matches nothing, for words are compared and there is none. Of the second only one can
//! ever match, and a reader takes it for something that the other does not catch.
//!
//! ## Example
//!
//! ```yaml
//! keywords: ["???", audit, audits]
//! ```
//!
//! Better:
//!
//! ```yaml
//! keywords: ["question", audit]
//! ```
//!
//! ## How to fix it
//!
//! Write a word that a request could have and no other keyword catches, or remove it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unreachable-keyword",
    Group::Selection,
    "a keyword that matches nothing, or nothing more than another",
    include_str!("unreachable_keyword.rs"),
);
