//! ## What it finds
//!
//! In a prompt, a context next to "load", an arrow or a condition from which no rule could be read; and a
//! keyword that holds what no request does, such as a slash between words or "e.g.".
//!
//! ## Why it matters
//!
//! The author believes that the context loads on that condition, and it never does.
//!
//! ## Example
//!
//! ```markdown
//! - Before you touch anything that customers see, load `playbook-release.md`
//! ```
//!
//! Better:
//!
//! ```markdown
//! - "release" | "rollout" → Load `playbook-release.md`
//! ```
//!
//! ## How to fix it
//!
//! Name words that a request would have, in one of the forms that faber reads. `faber list triggers`
//! prints what was read.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unread-rule",
    Group::Selection,
    "a condition for a context that was not understood",
    include_str!("unread_rule.rs"),
);
