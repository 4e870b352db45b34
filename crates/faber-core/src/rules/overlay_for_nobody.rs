//! ## What it finds
//!
//! An overlay of a role that there is not, or of a platform that no role declares, no
//! configuration chooses and no context is of.
//!
//! ## Why it matters
//!
//! Nothing in the folder ever takes part. It is often a typo in the name of the folder, or what
//! is left of a role that was renamed.
//!
//! ## Example
//!
//! ```text
//! roles/issue-manager/prompt.md
//! .faber/overlays/roles/issues-manager/contexts/standards/standards-labels.md
//! ```
//!
//! Better:
//!
//! ```text
//! roles/issue-manager/prompt.md
//! .faber/overlays/roles/issue-manager/contexts/standards/standards-labels.md
//! ```
//!
//! ## How to fix it
//!
//! Rename the folder, declare the platform in the `agent.yml` of a role, or remove the folder.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "overlay-for-nobody",
    Group::Layers,
    "an overlay of a role or platform that there is not",
    include_str!("overlay_for_nobody.rs"),
);
