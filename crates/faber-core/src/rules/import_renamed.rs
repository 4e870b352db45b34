//! ## What it finds
//!
//! A file whose name is already taken by another imported context. The format or a number is added to
//! the name.
//!
//! ## Why it matters
//!
//! References to the old name lead to the other context.
//!
//! ## Example
//!
//! ```text
//! .cursor/rules/style.mdc          -> standard/style
//! .windsurf/rules/style.md         -> standard/style-windsurf
//! ```
//!
//! Better:
//!
//! ```text
//! .cursor/rules/style.mdc          -> standard/style
//! .windsurf/rules/naming.md        -> standard/naming
//! ```
//!
//! ## How to fix it
//!
//! Rename the file before the import if the new name does not fit.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "import-renamed",
    Group::Exchange,
    "a context that is imported under another name",
    include_str!("import_renamed.rs"),
);
