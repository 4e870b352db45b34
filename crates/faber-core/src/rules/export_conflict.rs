//! ## What it finds
//!
//! A file that `faber export` would write and that faber did not write, or whose marks of faber are
//! damaged; also a link, and a file where a folder is needed.
//!
//! ## Why it matters
//!
//! The export is incomplete: the existing file stays as it is.
//!
//! ## Example
//!
//! ```text
//! .cursor/rules/standard-style.mdc   # written by hand
//! ```
//!
//! Better:
//!
//! ```text
//! .cursor/rules/own-style.mdc        # written by hand, with another name
//! ```
//!
//! ## How to fix it
//!
//! Move the file away, or `faber import` it and remove it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "export-conflict",
    Group::Exchange,
    "a file that an export does not overwrite",
    include_str!("export_conflict.rs"),
);
