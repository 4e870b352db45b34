//! ## What it finds
//!
//! A field, a comment, an include or a link that `faber import` does not carry over: it cannot be
//! read, would mean something else to faber, or leads to a file that is not imported. For a file that
//! was imported before it is a hint.
//!
//! ## Why it matters
//!
//! The imported context says less than the file that it comes from.
//!
//! ## Example
//!
//! ```yaml
//! # review.mdc
//! globs: **/*.rs # only for crates
//! ```
//!
//! Better:
//!
//! ```yaml
//! globs: "**/*.rs"
//! # the comment is in the text
//! ```
//!
//! ## How to fix it
//!
//! Add what is missing to the imported context.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "import-omitted",
    Group::Exchange,
    "content that an import leaves out",
    include_str!("import_omitted.rs"),
)
.except(Severity::Hint);
