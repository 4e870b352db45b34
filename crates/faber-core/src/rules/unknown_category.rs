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

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unknown-category",
    Group::FrontMatter,
    "a `category` that there is not",
    include_str!("unknown_category.rs"),
)
.except(Severity::Warning);
