//! ## What it finds
//!
//! Two contexts nine tenths of whose text are the same, word for word. What one layer makes of the
//! context of another is no duplicate, and neither is a context that is not in use any more.
//!
//! ## Why it matters
//!
//! One of them will be corrected and the other forgotten, and a bundle that has both pays twice.
//!
//! ## Example
//!
//! ```text
//! contexts/playbooks/playbook-release.md
//! contexts/playbooks/playbook-release-copy.md
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/playbooks/playbook-release.md
//! ```
//!
//! ## How to fix it
//!
//! Keep one of them, or put what they share into a file of `partials/` and include it. What two
//! roles have in common belongs into `contexts/` of the workspace.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "near-duplicate",
    Group::Layers,
    "two contexts with nearly the same text",
    include_str!("near_duplicate.rs"),
);
