//! ## What it finds
//!
//! Front matter that is not valid YAML and whose meaning is certain, for example a glob without
//! quotes. `faber import` reads it as if it were fixed.
//!
//! ## Why it matters
//!
//! The original file stays invalid for other YAML readers.
//!
//! ## Example
//!
//! ```yaml
//! globs: **/*.rs
//! ```
//!
//! Better:
//!
//! ```yaml
//! globs: "**/*.rs"
//! ```
//!
//! ## How to fix it
//!
//! Nothing needs to be done; the imported context is valid.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "import-repaired",
    Group::Exchange,
    "front matter that is read as if it were fixed",
    include_str!("import_repaired.rs"),
);
