//! ## What it finds
//!
//! A file that the system does not let faber read, or that vanished meanwhile.
//!
//! ## Why it matters
//!
//! What it says is missing from every bundle.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/naming.md (no permission)
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/naming.md (readable)
//! ```
//!
//! ## How to fix it
//!
//! See to its permissions.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unreadable",
    severity: Severity::Error,
    group: Group::Files,
    fix: Fix::None,
    summary: "a file that cannot be read",
    source: include_str!("unreadable.rs"),
};
