//! ## What it finds
//!
//! A part of a file that `faber export` wrote and that differs from the context in the workspace.
//! `faber import` keeps the context. For a file that was imported before it is a hint.
//!
//! ## Why it matters
//!
//! The exported file was edited, or the context changed after the export. One of the two is lost with
//! the next export.
//!
//! ## Example
//!
//! ```markdown
//! <!-- AGENTS.md: edited below the mark of faber -->
//! Use tabs.
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- contexts/standards/standards-style.md -->
//! Use tabs.
//! ```
//!
//! ## How to fix it
//!
//! Make the change in the context and export again.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "import-kept",
    Group::Exchange,
    "exported content that differs from its context",
    include_str!("import_kept.rs"),
)
.except(Severity::Hint);
