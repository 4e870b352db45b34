//! ## What it finds
//!
//! A `&name` or `*name` in front matter or in `agent.yml`.
//!
//! ## Why it matters
//!
//! A few aliases of aliases can expand to gigabytes, so none is read.
//!
//! ## Example
//!
//! ```yaml
//! tags: &t [a]
//! keywords: *t
//! ```
//!
//! Better:
//!
//! ```yaml
//! tags: [a]
//! keywords: [a]
//! ```
//!
//! ## How to fix it
//!
//! Write the value out where it is wanted.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "yaml-anchor",
    Group::FrontMatter,
    "an anchor or alias",
    include_str!("yaml_anchor.rs"),
);
