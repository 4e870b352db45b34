//! ## What it finds
//!
//! A link to `#heading`, or to `file.md#heading`, where the file has no such heading, `id` or
//! `name`.
//!
//! ## Why it matters
//!
//! Anyone who follows it ends at the top of a file and reads what is not meant.
//!
//! ## Example
//!
//! ```markdown
//! See [limits](#rate-limits).
//!
//! ## Limits
//! ```
//!
//! Better:
//!
//! ```markdown
//! See [limits](#limits).
//!
//! ## Limits
//! ```
//!
//! ## How to fix it
//!
//! Correct the anchor. Headings are named by their text or as GitHub spells them in addresses,
//! percent-encoded or not.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "dead-anchor",
    Group::References,
    "an anchor that no heading has",
    include_str!("dead_anchor.rs"),
);
