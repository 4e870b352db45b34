//! ## What it finds
//!
//! Some lines end in a line feed and others in carriage return and line feed.
//!
//! ## Why it matters
//!
//! Lines that look equal are not, so tools report changes where there are none, and a text that is
//! put together line by line changes its endings in the middle.
//!
//! ## Example
//!
//! ```text
//! first U+000D U+000A second U+000A third U+000D U+000A
//! ```
//!
//! Better:
//!
//! ```text
//! first U+000A second U+000A third U+000A
//! ```
//!
//! ## How to fix it
//!
//! Use the ending that most lines have, as `--fix` does. With as many of each it takes line feeds.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "mixed-line-endings",
    Group::Files,
    "a file that ends its lines in two ways",
    include_str!("mixed_line_endings.rs"),
)
.fix(Fix::Safe);
