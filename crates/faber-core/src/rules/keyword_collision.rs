//! ## What it finds
//!
//! A keyword, or an error, that selects several contexts of one category which a role has at the
//! same time. Words are compared as requests are matched, so `test` and `tests` are one. Contexts of
//! different categories may share a word (a specialist and the playbook that goes with it), and so
//! may contexts of which one names the other as `related`, and targets of one and the same rule. A
//! word of a context that always loads selects nothing and does not count.
//!
//! ## Why it matters
//!
//! Each request with the word loads all of them, and which one was meant is left to the model.
//!
//! ## Example
//!
//! ```markdown
//! | Keywords | Specialist Context |
//! |---|---|
//! | data, report | specialist-reporting.md |
//! | data, pipeline | specialist-pipelines.md |
//! ```
//!
//! Better:
//!
//! ```markdown
//! | Keywords | Specialist Context |
//! |---|---|
//! | report | specialist-reporting.md |
//! | data pipeline, pipeline | specialist-pipelines.md |
//! ```
//!
//! ## How to fix it
//!
//! Keep the word where it is meant, or write phrases that tell the contexts apart. When both are
//! meant, name one in `related` of the other.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "keyword-collision",
    Group::Selection,
    "one keyword that selects several contexts",
    include_str!("keyword_collision.rs"),
);
