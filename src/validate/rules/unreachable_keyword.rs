//! ## What it finds
//!
//! A keyword or error without any letter or digit.
//!
//! ## Why it matters
//!
//! Words are compared, and there is none; the context is never selected by it.
//!
//! ## Example
//!
//! ```yaml
//! keywords: ["???"]
//! ```
//!
//! Better:
//!
//! ```yaml
//! keywords: ["question"]
//! ```
//!
//! ## How to mend it
//!
//! Write a word that a request could have, or remove it.

use crate::diagnostic::Severity;
use crate::validate::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unreachable-keyword",
    severity: Severity::Warning,
    group: Group::Selection,
    fix: Fix::None,
    summary: "a keyword that matches nothing",
    source: include_str!("unreachable_keyword.rs"),
};
