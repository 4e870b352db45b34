//! ## What it finds
//!
//! A `faber: allow` whose rule finds nothing in what it covers, does not exist, or is a
//! security rule, which no file can excuse itself from.
//!
//! ## Why it matters
//!
//! A comment that is left over lets the next real finding pass unseen.
//!
//! ## Example
//!
//! ```markdown
//! <!-- faber: allow dead-anchor: made by a tool -->
//! Nothing is wrong here.
//! ```
//!
//! Better:
//!
//! ```markdown
//! Nothing is wrong here.
//! ```
//!
//! ## How to fix it
//!
//! Remove the comment. `--fix` does.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unused-allow",
    Group::Meta,
    "a comment that allows what is not found",
    include_str!("unused_allow.rs"),
)
.fix(Fix::Safe);
