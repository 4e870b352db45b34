//! ## What it finds
//!
//! A file right in `contexts/` without a `category` and without a prefix of one in its name.
//!
//! ## Why it matters
//!
//! Without a category there is no id, and the file is no context at all.
//!
//! ## Example
//!
//! ```text
//! contexts/deploying.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/playbooks/playbook-deploying.md
//! ```
//!
//! ## How to fix it
//!
//! Move the file into the folder of a category, add `category:`, or give its name a prefix.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "missing-category",
    Group::FrontMatter,
    "a context of which nothing says what it is for",
    include_str!("missing_category.rs"),
);
