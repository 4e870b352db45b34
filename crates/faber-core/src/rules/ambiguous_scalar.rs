//! ## What it finds
//!
//! A plain `yes`, `no`, `on` or `off`, and a number that is meant as text: a version such as
//! `1.10`, or digits with a zero in front.
//!
//! ## Why it matters
//!
//! YAML 1.1 takes `no` for false and `012` for ten, and every version takes `1.10` for 1.1.
//! faber reads the text, another tool something else.
//!
//! ## Example
//!
//! ```yaml
//! version: 1.10
//! tags: [no]
//! ```
//!
//! Better:
//!
//! ```yaml
//! version: "1.10"
//! tags: ["no"]
//! ```
//!
//! ## How to fix it
//!
//! Put the value in quotes. `--fix` does.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "ambiguous-scalar",
    Group::FrontMatter,
    "a value that YAML readers read differently",
    include_str!("ambiguous_scalar.rs"),
)
.fix(Fix::Safe);
