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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "frontmatter-not-a-mapping",
    Group::FrontMatter,
    "front matter that is not a mapping",
    include_str!("frontmatter_not_a_mapping.rs"),
);
