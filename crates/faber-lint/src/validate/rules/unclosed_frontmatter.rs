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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unclosed-frontmatter",
    severity: Severity::Error,
    group: Group::FrontMatter,
    fix: Fix::Unsafe,
    summary: "front matter that no fence ends",
    source: include_str!("unclosed_frontmatter.rs"),
};
