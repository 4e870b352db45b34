//! ## What it finds
//!
//! A placeholder that faber does not fill in: a typo of one that it does, in a prompt or in a path,
//! and any other in a path that is to be loaded. Any other in a prompt is a hint, for the model may be
//! meant to fill it in. `{detected}`, `{configured}`, `{platform}`,
//! `{configured-platform}` and `{role-name}` are filled in.
//!
//! ## Why it matters
//!
//! The model gets the braces, and looks for a file of that name.
//!
//! ## Example
//!
//! ```markdown
//! - Load: `/contexts/platforms/platform-{detectd}.md`
//! ```
//!
//! Better:
//!
//! ```markdown
//! - Load: `/contexts/platforms/platform-{detected}.md`
//! ```
//!
//! ## How to fix it
//!
//! Write the placeholder that is meant, or the name itself.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unknown-placeholder",
    Group::References,
    "a placeholder that is not filled in",
    include_str!("unknown_placeholder.rs"),
)
.except(Severity::Hint);
