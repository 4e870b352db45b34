//! ## What it finds
//!
//! A link that leads out of the workspace, which is an error, or back to a folder above it.
//!
//! ## Why it matters
//!
//! The one would put foreign files into a prompt, the other would never end.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/naming.md -> /etc/passwd
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
//! Copy the file into the workspace, or remove the link.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "symlink",
    severity: Severity::Warning,
    group: Group::Files,
    fix: Fix::None,
    summary: "a link that is not followed",
    source: include_str!("symlink.rs"),
};
