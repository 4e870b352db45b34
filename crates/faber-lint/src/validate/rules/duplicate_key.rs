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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "duplicate-key",
    severity: Severity::Error,
    group: Group::FrontMatter,
    fix: Fix::None,
    summary: "a key that one map has twice",
    source: include_str!("duplicate_key.rs"),
};
