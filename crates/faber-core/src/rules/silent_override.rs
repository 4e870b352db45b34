//! ## What it finds
//!
//! A file of an overlay that takes the place of a context of the same identity, and does not say
//! that it is to. The contexts of a role are no overlay: that one takes the place of a shared
//! context is the normal way of a role.
//!
//! ## Why it matters
//!
//! Without `strategy` nothing of the base is left, neither its text nor its front matter. Anyone who
//! wanted to add a line to it has dropped the rest, and what is added to the base later never
//! arrives.
//!
//! ## Example
//!
//! ```markdown
//! # .faber/overlays/teams/core/contexts/standards/standards-review.md
//! - Two approvals
//! ```
//!
//! Better:
//!
//! ```markdown
//! ---
//! strategy: merge
//! ---
//! - Two approvals
//! ```
//!
//! ## How to fix it
//!
//! Write `strategy: merge` or `strategy: append` to work on the base, or `strategy: override` to
//! say that replacing it is meant.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "silent-override",
    Group::Layers,
    "an overlay that replaces a context without saying so",
    include_str!("silent_override.rs"),
);
