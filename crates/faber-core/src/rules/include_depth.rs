//! ## What it finds
//!
//! More than 16 includes in a row, or a document that comes to more than 10 000 includes or 8 MiB
//! with all that it includes. It is reported once, where the limit is reached, and nothing after
//! that is included.
//!
//! ## Why it matters
//!
//! No one can tell what such a file says, and it is most likely a mistake. A few files that
//! include one another many times would never come to an end.
//!
//! ## Example
//!
//! ```markdown
//! <!-- faber: include ./step-17.md -->
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- faber: include ./all-steps.md -->
//! ```
//!
//! ## How to fix it
//!
//! Include the last file directly, and each file once.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "include-depth",
    Group::References,
    "includes that are nested too deeply or too many",
    include_str!("include_depth.rs"),
);
