//! ## What it finds
//!
//! A `&name` or `*name` in front matter or in `agent.yml`.
//!
//! ## Why it matters
//!
//! A few aliases of aliases can expand to gigabytes, so none is read.
//!
//! ## Example
//!
//! ```yaml
//! tags: &t [a]
//! keywords: *t
//! ```
//!
//! Better:
//!
//! ```yaml
//! tags: [a]
//! keywords: [a]
//! ```
//!
//! ## How to fix it
//!
//! Write the value out where it is wanted.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "yaml-anchor",
    severity: Severity::Error,
    group: Group::FrontMatter,
    fix: Fix::None,
    summary: "an anchor or alias",
    source: include_str!("yaml_anchor.rs"),
};
