//! ## What it finds
//!
//! A reference in a prompt, a task, a flow, a rule table, `custom_contexts`, `extends` or an
//! include to a file, context, section or role that there is not. What is marked "if present"
//! may be missing. In the text of a context it is a warning.
//!
//! ## Why it matters
//!
//! The model follows an instruction whose text never arrives, and no error says so.
//!
//! ## Example
//!
//! ```markdown
//! | Keywords | Context |
//! |---|---|
//! | sprint | specialist-sprnt.md |
//! ```
//!
//! Better:
//!
//! ```markdown
//! | Keywords | Context |
//! |---|---|
//! | sprint | specialist-sprint.md |
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, add the file, or write "if present" into the heading above.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "dangling-reference",
    Group::References,
    "a reference that names nothing",
    include_str!("dangling_reference.rs"),
)
.except(Severity::Warning);
