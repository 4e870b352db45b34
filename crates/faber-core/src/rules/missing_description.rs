//! ## What it finds
//!
//! A context that is only named until it is asked for, and that has no `description`, `summary`
//! or `essence` and no sentence to take one from.
//!
//! ## Why it matters
//!
//! A model decides by one line whether to ask for a context. With no line it never does.
//!
//! ## Example
//!
//! ````markdown
//! # Rollback
//!
//! ```sh
//! ctl rollback
//! ```
//! ````
//!
//! Better:
//!
//! ````markdown
//! ---
//! description: How to take a release back
//! ---
//! # Rollback
//!
//! ```sh
//! ctl rollback
//! ```
//! ````
//!
//! ## How to fix it
//!
//! Add a `description` of one line that says when the context is worth loading.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "missing-description",
    Group::FrontMatter,
    "a context without anything that a catalog could say of it",
    include_str!("missing_description.rs"),
);
