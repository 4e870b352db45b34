//! ## What it finds
//!
//! A file with bytes that are no UTF-8, and a file name of that kind.
//!
//! ## Why it matters
//!
//! A bundle is text. faber does not guess encodings, so the file is left out.
//!
//! ## Example
//!
//! ```text
//! caf\xe9 (Latin-1)
//! ```
//!
//! Better:
//!
//! ```text
//! café (UTF-8)
//! ```
//!
//! ## How to fix it
//!
//! Save the file as UTF-8; rename one whose name is not.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "not-utf8",
    Group::Files,
    "a file, or the name of one, that is not UTF-8",
    include_str!("not_utf8.rs"),
);
