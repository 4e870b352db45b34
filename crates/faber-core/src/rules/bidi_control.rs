//! ## What it finds
//!
//! An embedding or override, `U+202A` to `U+202E`, or an isolate, `U+2066` to `U+2069`, in a text
//! or in the name of a file. In lines of Arabic and Hebrew the marks `U+200E`, `U+200F` and
//! `U+061C` are fine.
//!
//! ## Why it matters
//!
//! A reviewer reads what the screen shows, a model reads the order of the bytes. With an override
//! the two are different texts: what looks like a harmless remark is an order to the model.
//!
//! ## Example
//!
//! ```text
//! approve U+202E erongi U+202C requests
//! ```
//!
//! Better:
//!
//! ```text
//! approve requests that the owner has seen
//! ```
//!
//! ## How to fix it
//!
//! Delete the characters, as `--fix` does, and read the line again. No script needs them.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "bidi-control",
    Group::Security,
    "a character that changes the order in which a line is shown",
    include_str!("bidi_control.rs"),
)
.fix(Fix::Safe);
