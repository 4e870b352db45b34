//! ## What it finds
//!
//! A field of front matter that has no meaning for faber. It is kept, and data formats show it.
//!
//! ## Why it matters
//!
//! Fields of other tools are fine. A typo such as `keyword` for `keywords`, though, silently
//! selects nothing.
//!
//! ## Example
//!
//! ```yaml
//! keyword: [deploy]
//! ```
//!
//! Better:
//!
//! ```yaml
//! keywords: [deploy]
//! ```
//!
//! ## How to fix it
//!
//! Correct the name. `--fix --unsafe` takes the closest known one.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "unknown-field",
    Group::FrontMatter,
    "a field that faber does not know",
    include_str!("unknown_field.rs"),
)
.fix(Fix::Unsafe);
