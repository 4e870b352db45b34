//! ## What it finds
//!
//! A context whose name, globs or text contain what ends a comment of Markdown or looks like a mark
//! of faber.
//!
//! ## Why it matters
//!
//! faber finds its parts of a file by marks, and could not replace this part with the next export.
//!
//! ## Example
//!
//! ```yaml
//! name: a --> b
//! ```
//!
//! Better:
//!
//! ```yaml
//! name: a-b
//! ```
//!
//! ## How to fix it
//!
//! Change the name, the globs or the lines that look like a mark.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "export-unmarkable",
    Group::Exchange,
    "a context that cannot be marked in an exported file",
    include_str!("export_unmarkable.rs"),
);
