//! ## What it finds
//!
//! An include or an entry of `custom_contexts` that names a file which is there and not read:
//! one in `.git`, `.faber/state` or `.faber/cache`, one that git ignores, or one that is neither
//! Markdown nor plain text.
//!
//! ## Why it matters
//!
//! Such files hold passwords and private notes. A cloned pack must not put them into a prompt.
//!
//! ## Example
//!
//! ```yaml
//! custom_contexts: [.git/config]
//! ```
//!
//! Better:
//!
//! ```yaml
//! custom_contexts: [docs/architecture.md]
//! ```
//!
//! ## How to fix it
//!
//! Name a Markdown or text file that is part of the repository.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "forbidden-file",
    Group::References,
    "a reference to a private, ignored or binary file",
    include_str!("forbidden_file.rs"),
);
