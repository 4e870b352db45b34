//! ## What it finds
//!
//! Variation selectors, `U+FE00` to `U+FE0F` and `U+E0100` to `U+E01EF`, in a row, or three in a
//! line after characters that have no variants. One after an emoji, a key cap, a symbol or an
//! ideograph is fine; one that is misplaced is an `invisible-character`.
//!
//! ## Why it matters
//!
//! There are 256 of them, one for each byte, and none is shown: a row of them after an emoji is a
//! hidden file. The finding shows what they say.
//!
//! ## Example
//!
//! ```text
//! U+1F600 U+E0158 U+E0157 U+E015E
//! ```
//!
//! Better:
//!
//! ```text
//! U+2764 U+FE0F
//! ```
//!
//! ## How to fix it
//!
//! Delete the selectors, as `--fix` does.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "variation-selector-run",
    Group::Security,
    "variation selectors that carry hidden bytes",
    include_str!("variation_selector_run.rs"),
)
.fix(Fix::Safe);
