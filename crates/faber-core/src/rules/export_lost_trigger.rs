//! ## What it finds
//!
//! Keywords, error phrases or globs by which faber selects a context, when the target cannot load a
//! file by them.
//!
//! ## Why it matters
//!
//! The agent decides by the description alone whether it reads the text.
//!
//! ## Example
//!
//! ```yaml
//! keywords: [deploy, release]
//! ```
//!
//! Better:
//!
//! ```yaml
//! keywords: [deploy, release]
//! description: How to deploy and release a service
//! ```
//!
//! ## How to fix it
//!
//! Write a description that says when the context applies.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "export-lost-trigger",
    Group::Exchange,
    "a condition for loading that the target cannot express",
    include_str!("export_lost_trigger.rs"),
);
