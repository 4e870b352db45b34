//! ## What it finds
//!
//! A reference by bare file name that several contexts of one view answer to.
//!
//! ## Why it matters
//!
//! One of them is taken, that of the lowest layer and first path, and another file added later can
//! change which.
//!
//! ## Example
//!
//! ```markdown
//! <!-- contexts/playbooks/deploy.md and contexts/patterns/deploy.md are there -->
//! - Load `deploy.md`
//! ```
//!
//! Better:
//!
//! ```markdown
//! - Load `playbook/deploy`
//! ```
//!
//! ## How to fix it
//!
//! Write the id or the path of the one that is meant.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "ambiguous-name",
    Group::References,
    "a bare file name that several contexts answer to",
    include_str!("ambiguous_name.rs"),
);
