//! ## What it finds
//!
//! Front matter that no YAML reader accepts. faber reads what it can as if the values that lack
//! quotes had them. An `agent.yml` that is not YAML is `invalid-agent`.
//!
//! ## Why it matters
//!
//! Other tools drop such a file or take its fields for text. Which fields count must not depend
//! on how forgiving a reader is.
//!
//! ## Example
//!
//! ```yaml
//! ---
//! description: deploys: how and when
//! ---
//! ```
//!
//! Better:
//!
//! ```yaml
//! ---
//! description: "deploys: how and when"
//! ---
//! ```
//!
//! ## How to fix it
//!
//! Put the value in quotes. `--fix` does so where quotes are all that is missing.

use crate::rule::{Fix, Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "invalid-frontmatter",
    Group::FrontMatter,
    "front matter that is not YAML",
    include_str!("invalid_frontmatter.rs"),
)
.fix(Fix::Safe);
