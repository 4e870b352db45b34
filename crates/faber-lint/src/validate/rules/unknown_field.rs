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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-field",
    severity: Severity::Hint,
    group: Group::FrontMatter,
    fix: Fix::Unsafe,
    summary: "a field that faber does not know",
    source: include_str!("unknown_field.rs"),
};
