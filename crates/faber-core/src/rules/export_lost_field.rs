//! ## What it finds
//!
//! A description, title, condition or other field of a context for which the files of the target have
//! no place.
//!
//! ## Why it matters
//!
//! The agent does not get the field. The text itself is exported in full.
//!
//! ## Example
//!
//! ```yaml
//! # `faber export agents-md`
//! description: How to write tests
//! ```
//!
//! Better:
//!
//! ```yaml
//! # `faber export cursor`
//! description: How to write tests
//! ```
//!
//! ## How to fix it
//!
//! Nothing needs to be done, unless the text is not clear without the field.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "export-lost-field",
    Group::Exchange,
    "a field that the target cannot express",
    include_str!("export_lost_field.rs"),
);
