//! ## What it finds
//!
//! A file that is larger than what is read.
//!
//! ## Why it matters
//!
//! No model takes in a context of that size, so the file is left out.
//!
//! ## Example
//!
//! ```text
//! contexts/references/everything.md (9 MiB)
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/references/reference-api.md (40 KiB)
//! ```
//!
//! ## How to fix it
//!
//! Split it into contexts that can be selected one by one.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "oversized-file",
    Group::Files,
    "a file of more than 8 MiB",
    include_str!("oversized_file.rs"),
);
