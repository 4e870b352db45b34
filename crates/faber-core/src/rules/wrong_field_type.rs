//! ## What it finds
//!
//! A value that is no text, list, number, bool or known word where the field takes one.
//!
//! ## Why it matters
//!
//! What cannot be read does not count, so the context loads as if the field were not there.
//!
//! ## Example
//!
//! ```yaml
//! tags: agile
//! load: allways
//! ```
//!
//! Better:
//!
//! ```yaml
//! tags: [agile]
//! load: always
//! ```
//!
//! ## How to fix it
//!
//! Write what the message asks for. `--fix` makes lists of single words and of words
//! between commas, and `true` of `yes`. Where a comma may be part of an item, the list is yours to
//! write.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "wrong-field-type",
    Group::FrontMatter,
    "a field whose value has the wrong type",
    include_str!("wrong_field_type.rs"),
)
.fix(Fix::Safe);
