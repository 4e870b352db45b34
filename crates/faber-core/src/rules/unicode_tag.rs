//! ## What it finds
//!
//! Characters from `U+E0000` to `U+E007F`. The flags of England, Scotland and Wales, which are made
//! of `U+1F3F4` and tags, are fine.
//!
//! ## Why it matters
//!
//! Tags mirror ASCII, no screen shows them, and models read them: the shortest way to hide
//! instructions in a text. The finding shows what they say.
//!
//! ## Example
//!
//! ```text
//! Sort the letters. U+E0069 U+E0067 U+E006E
//! ```
//!
//! Better:
//!
//! ```text
//! Sort the letters.
//! ```
//!
//! ## How to fix it
//!
//! Delete the characters, as `--fix` does, and ask where the text came from.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "unicode-tag",
    Group::Security,
    "tag characters, which hide a text",
    include_str!("unicode_tag.rs"),
)
.fix(Fix::Safe);
