//! ## What it finds
//!
//! A `category` that is none of the seven. In the folder of a category it is a warning, since
//! the folder decides.
//!
//! ## Why it matters
//!
//! The field does not do what its author wanted.
//!
//! ## Example
//!
//! ```yaml
//! category: guide
//! ```
//!
//! Better:
//!
//! ```yaml
//! category: playbook
//! ```
//!
//! ## How to fix it
//!
//! Write one of the seven categories, or give the field another name.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-category",
    severity: Severity::Error,
    group: Group::FrontMatter,
    fix: Fix::None,
    summary: "a `category` that there is not",
    source: include_str!("unknown_category.rs"),
};
