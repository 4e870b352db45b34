//! ## What it finds
//!
//! A key that is twice in front matter or in `agent.yml`.
//!
//! ## Why it matters
//!
//! Some readers take the first value, others the last, and YAML allows neither.
//!
//! ## Example
//!
//! ```yaml
//! name: review
//! name: code-review
//! ```
//!
//! Better:
//!
//! ```yaml
//! name: code-review
//! ```
//!
//! ## How to fix it
//!
//! Keep one of them.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "duplicate-key",
    Group::FrontMatter,
    "a key that one map has twice",
    include_str!("duplicate_key.rs"),
);
