//! ## What it finds
//!
//! A `CLAUDE.local.md`, which holds the preferences of one user, imported into the layer of the
//! project. For a file that was imported before it is a hint.
//!
//! ## Why it matters
//!
//! All users of the workspace get the preferences of one.
//!
//! ## Example
//!
//! ```sh
//! faber import CLAUDE.local.md
//! ```
//!
//! Better:
//!
//! ```sh
//! faber import CLAUDE.local.md --into .faber/overlays/users/ann
//! ```
//!
//! ## How to fix it
//!
//! Import it into the overlay of the user: `--into .faber/overlays/users/NAME`.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "import-personal",
    Group::Exchange,
    "a personal file that is imported for everyone",
    include_str!("import_personal.rs"),
)
.except(Severity::Hint);
