//! ## What it finds
//!
//! A value of front matter that an overlay merges into one of another type: a list into text, or
//! text into a map.
//!
//! ## Why it matters
//!
//! Lists are united and maps merged deeply, but these two cannot be. The value of the base is lost,
//! though the overlay was to add to it.
//!
//! ## Example
//!
//! ```yaml
//! # the base
//! globs: "src/**/*.rs"
//! # the overlay
//! strategy: merge
//! globs: ["tests/**/*.rs"]
//! ```
//!
//! Better:
//!
//! ```yaml
//! # the base
//! globs: ["src/**/*.rs"]
//! # the overlay
//! strategy: merge
//! globs: ["tests/**/*.rs"]
//! ```
//!
//! ## How to fix it
//!
//! Write both values in the same way.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "merge-type-clash",
    Group::Layers,
    "values of front matter that cannot be merged",
    include_str!("merge_type_clash.rs"),
);
