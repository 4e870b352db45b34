//! ## What it finds
//!
//! A file that `faber import` or `faber export` cannot write: permissions, a full disk, or a file
//! system that refuses the name.
//!
//! ## Why it matters
//!
//! The import or export is incomplete.
//!
//! ## Example
//!
//! ```sh
//! chmod a-w .cursor && faber export cursor
//! ```
//!
//! Better:
//!
//! ```sh
//! chmod u+w .cursor && faber export cursor
//! ```
//!
//! ## How to fix it
//!
//! Correct what the message names and run the command again.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unwritable",
    Group::Exchange,
    "a file that cannot be written",
    include_str!("unwritable.rs"),
);
