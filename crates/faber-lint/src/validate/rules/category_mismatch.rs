//! ## What it finds
//!
//! A context in the folder of one category whose front matter names another.
//!
//! ## Why it matters
//!
//! The folder decides what loads the context, so the field promises something that does not
//! happen.
//!
//! ## Example
//!
//! ```yaml
//! # contexts/standards/naming.md
//! category: pattern
//! ```
//!
//! Better:
//!
//! ```yaml
//! # contexts/standards/naming.md
//! category: standard
//! ```
//!
//! ## How to fix it
//!
//! Move the file, or correct the field. `--fix` writes the category of the folder.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "category-mismatch",
    severity: Severity::Error,
    group: Group::FrontMatter,
    fix: Fix::Safe,
    summary: "a `category` that is not that of the folder",
    source: include_str!("category_mismatch.rs"),
};
