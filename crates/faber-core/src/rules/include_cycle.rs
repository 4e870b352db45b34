//! ## What it finds
//!
//! An include that leads back to the file that it is in.
//!
//! ## Why it matters
//!
//! There is no text that it could mean.
//!
//! ## Example
//!
//! ```markdown
//! <!-- a.md -->
//! <!-- faber: include ./b.md -->
//! ```
//!
//! Better:
//!
//! ```markdown
//! <!-- a.md; b.md does not include it -->
//! <!-- faber: include ./b.md -->
//! ```
//!
//! ## How to fix it
//!
//! Remove one of the includes.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "include-cycle",
    Group::References,
    "files that include one another in a circle",
    include_str!("include_cycle.rs"),
);
