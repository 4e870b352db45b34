//! ## What it finds
//!
//! An `AGENTS.override.md` next to an `AGENTS.md`. For Codex the first replaces the second; `faber
//! import` imports both. For a file that was imported before it is a hint.
//!
//! ## Why it matters
//!
//! The imported contexts may contradict each other.
//!
//! ## Example
//!
//! ```text
//! AGENTS.md
//! AGENTS.override.md
//! ```
//!
//! Better:
//!
//! ```text
//! AGENTS.md
//! ```
//!
//! ## How to fix it
//!
//! Remove one of the two imported contexts.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "import-override",
    Group::Exchange,
    "a file that replaces another one for its tool",
    include_str!("import_override.rs"),
)
.except(Severity::Hint);
