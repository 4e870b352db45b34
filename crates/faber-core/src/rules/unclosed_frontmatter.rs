//! ## What it finds
//!
//! A `---` at the start of a file with fields below it, and no second `---`.
//!
//! ## Why it matters
//!
//! Where the fields end has to be guessed, and another reader guesses otherwise.
//!
//! ## Example
//!
//! ```yaml
//! ---
//! name: review
//!
//! # Review
//! ```
//!
//! Better:
//!
//! ```yaml
//! ---
//! name: review
//! ---
//!
//! # Review
//! ```
//!
//! ## How to fix it
//!
//! Write a line of `---` after the last field. `--fix --unsafe` puts it where faber takes the
//! fields to end.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unclosed-frontmatter",
    Group::FrontMatter,
    "front matter that no fence ends",
    include_str!("unclosed_frontmatter.rs"),
)
.fix(Fix::Unsafe);
