//! ## What it finds
//!
//! More than 64 KiB, more than 16 levels of nesting, or a second YAML document.
//!
//! ## Why it matters
//!
//! Nothing of it is read. Front matter says what a file is; what is that long is content.
//!
//! ## Example
//!
//! ```yaml
//! a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]
//! ```
//!
//! Better:
//!
//! ```yaml
//! a: 1
//! ```
//!
//! ## How to fix it
//!
//! Shorten it, or move the content below the front matter.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "frontmatter-limit",
    Group::FrontMatter,
    "front matter that is too long, too deep, or several documents",
    include_str!("frontmatter_limit.rs"),
);
