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

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "category-mismatch",
    Group::FrontMatter,
    "a `category` that is not that of the folder",
    include_str!("category_mismatch.rs"),
)
.fix(Fix::Safe);
