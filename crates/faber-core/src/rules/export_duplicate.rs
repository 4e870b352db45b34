//! ## What it finds
//!
//! A file of the tool that was imported before and that has the same content as a context that is now
//! exported to another place.
//!
//! ## Why it matters
//!
//! The agent gets the same text twice.
//!
//! ## Example
//!
//! ```text
//! .cursor/rules/style.mdc            # imported as standard/style
//! .cursor/rules/standard-style.mdc   # exported
//! ```
//!
//! Better:
//!
//! ```text
//! .cursor/rules/standard-style.mdc   # exported
//! ```
//!
//! ## How to fix it
//!
//! Remove the original file once the export is what you want.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "export-duplicate",
    Group::Exchange,
    "a file that repeats an exported context",
    include_str!("export_duplicate.rs"),
);
