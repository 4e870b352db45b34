//! ## What it finds
//!
//! A reference that names nothing as it is written, and a file or context of the workspace when
//! upper and lower case are taken for the same. Where a missing file would be a warning, this is one too.
//!
//! ## Why it matters
//!
//! It works on the machine of its author, whose file system does not tell cases apart, and nowhere
//! else.
//!
//! ## Example
//!
//! ```markdown
//! <!-- contexts/standards/standards-security.md is there -->
//! See `/contexts/standards/Standards-Security.md`.
//! ```
//!
//! Better:
//!
//! ```markdown
//! See `/contexts/standards/standards-security.md`.
//! ```
//!
//! ## How to fix it
//!
//! Write the name as the file has it. `--fix` does.

use crate::diagnostic::Severity;
use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "reference-case",
    Group::References,
    "a reference in the wrong case",
    include_str!("reference_case.rs"),
)
.fix(Fix::Safe)
.except(Severity::Warning);
