//! ## What it finds
//!
//! A file that `faber import` would create and that already exists with different content, is reached
//! through a link, or is blocked by a file where a folder is needed.
//!
//! ## Why it matters
//!
//! The import is incomplete: the existing file stays as it is.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/standards-style.md   # written by hand, before `faber import .cursor/rules/style.mdc`
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-cursor-style.md   # the existing file has another name
//! ```
//!
//! ## How to fix it
//!
//! Remove or rename the existing file, or import into another folder with `--into DIR`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "import-conflict",
    Group::Exchange,
    "a file that an import does not overwrite",
    include_str!("import_conflict.rs"),
);
