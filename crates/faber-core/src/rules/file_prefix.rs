//! ## What it finds
//!
//! A context whose file name begins with the prefix of a category that it is not of; or has no
//! prefix while most files of its folder have one.
//!
//! ## Why it matters
//!
//! Files are referred to by name. A prefix that misleads, or that one of ten lacks, makes
//! readers and models look in the wrong place.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/playbook-naming.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-naming.md
//! ```
//!
//! ## How to fix it
//!
//! Rename the file, and the references to it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "file-prefix",
    Group::FrontMatter,
    "a file name without its prefix, or with that of another category",
    include_str!("file_prefix.rs"),
);
