//! ## What it finds
//!
//! Front matter that is a list, a text or a number.
//!
//! ## Why it matters
//!
//! Fields have names; of a list none can be read, and all of it is lost.
//!
//! ## Example
//!
//! ```yaml
//! ---
//! - name
//! - tags
//! ---
//! ```
//!
//! Better:
//!
//! ```yaml
//! ---
//! name: review
//! tags: [git]
//! ---
//! ```
//!
//! ## How to fix it
//!
//! Write `key: value` lines between the fences.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "frontmatter-not-a-mapping",
    severity: Severity::Error,
    group: Group::FrontMatter,
    fix: Fix::None,
    summary: "front matter that is not a mapping",
    source: include_str!("frontmatter_not_a_mapping.rs"),
};
