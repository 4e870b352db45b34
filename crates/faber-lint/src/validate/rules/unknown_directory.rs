//! ## What it finds
//!
//! A folder right in `contexts/` that is none of the seven categories and not `partials`.
//!
//! ## Why it matters
//!
//! What lies in it needs a category of its own to be a context, and is usually meant to be one.
//!
//! ## Example
//!
//! ```text
//! contexts/standard/naming.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/naming.md
//! ```
//!
//! ## How to fix it
//!
//! Rename the folder.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-directory",
    severity: Severity::Warning,
    group: Group::Layers,
    fix: Fix::None,
    summary: "a folder that is not a category",
    source: include_str!("unknown_directory.rs"),
};
