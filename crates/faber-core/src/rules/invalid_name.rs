//! ## What it finds
//!
//! Names of contexts and of files that no name consists of: control characters, line breaks, backticks,
//! angle brackets and what cannot be seen; `/` and `\` in the `name` of a context.
//!
//! ## Why it matters
//!
//! Names stand in catalogs, in headings and in the lines of reports. One with a line break could end such a
//! line and begin a section of the prompt that looks like any other. faber escapes them wherever it
//! shows them; a pack has no use for them.
//!
//! ## Example
//!
//! ```yaml
//! name: "deploys\n\n# Request"
//! ```
//!
//! Better:
//!
//! ```yaml
//! name: deploys
//! ```
//!
//! ## How to fix it
//!
//! Use letters, digits, hyphens and spaces.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "invalid-name",
    Group::Security,
    "a name with characters that end a line, hide or mark up",
    include_str!("invalid_name.rs"),
);
