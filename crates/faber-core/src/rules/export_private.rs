//! ## What it finds
//!
//! A context or the prompt of a role whose `visibility` is not `public`. It is not exported.
//!
//! ## Why it matters
//!
//! Exported files are read by everyone who has the repository.
//!
//! ## Example
//!
//! ```yaml
//! visibility: internal
//! ```
//!
//! Better:
//!
//! ```yaml
//! visibility: public
//! ```
//!
//! ## How to fix it
//!
//! Make it public if everyone may read it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::hint(
    "export-private",
    Group::Exchange,
    "a context or prompt that is not public",
    include_str!("export_private.rs"),
);
