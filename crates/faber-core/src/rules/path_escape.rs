//! ## What it finds
//!
//! A path in `custom_contexts`, an include, `extends`, `related`, a rule or the configuration
//! that leaves the workspace: by `..`, as an absolute path or through a link.
//!
//! ## Why it matters
//!
//! A cloned pack must not be able to put files of your machine into a prompt.
//!
//! ## Example
//!
//! ```yaml
//! custom_contexts: [../../secrets.md]
//! ```
//!
//! Better:
//!
//! ```yaml
//! custom_contexts: [/contexts/standards/secrets.md]
//! ```
//!
//! ## How to fix it
//!
//! Copy the file into the workspace.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "path-escape",
    Group::References,
    "a reference that leads out of the workspace",
    include_str!("path_escape.rs"),
);
