//! ## What it finds
//!
//! A file or text that `faber import` skips because the same is imported from elsewhere: a link to an
//! imported file, the same text for another tool, a context that faber exported, or a role that
//! exists.
//!
//! ## Why it matters
//!
//! Nothing is missing. It tells which file the content comes from.
//!
//! ## Example
//!
//! ```text
//! CLAUDE.md -> AGENTS.md
//! ```
//!
//! Better:
//!
//! ```text
//! AGENTS.md
//! ```
//!
//! ## How to fix it
//!
//! Nothing needs to be done. Edit the context that was imported.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "import-duplicate",
    Group::Exchange,
    "content that is imported only once",
    include_str!("import_duplicate.rs"),
);
