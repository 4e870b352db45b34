//! ## What it finds
//!
//! A link that leads out of the workspace, or back to a folder above it. It is not followed.
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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "symlink",
    Group::Files,
    "a link that is not followed",
    include_str!("symlink.rs"),
);
