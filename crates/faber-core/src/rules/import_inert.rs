//! ## What it finds
//!
//! A field of another tool that `faber import` keeps in the front matter, although faber does nothing
//! with it. For a file that was imported before it is a hint.
//!
//! ## Why it matters
//!
//! What the field did for the other tool no longer happens.
//!
//! ## Example
//!
//! ```yaml
//! # .github/instructions/review.instructions.md
//! excludeAgent: code-review
//! ```
//!
//! Better:
//!
//! ```yaml
//! # contexts/standards/standards-review.md
//! when: { role: engineer }
//! ```
//!
//! ## How to fix it
//!
//! Express the same with fields of faber, or remove the field from the imported context.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "import-inert",
    Group::Exchange,
    "a field that is kept and has no effect",
    include_str!("import_inert.rs"),
)
.except(Severity::Hint);
