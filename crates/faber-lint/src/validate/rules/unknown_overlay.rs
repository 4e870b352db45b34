//! ## What it finds
//!
//! A `settings.team` or `settings.workflow` that no overlay is called by, while others have
//! one.
//!
//! ## Why it matters
//!
//! It is probably a typo, and the overlay that was meant does not take part.
//!
//! ## Example
//!
//! ```yaml
//! # there is .faber/overlays/teams/backend
//! settings: { team: backnd }
//! ```
//!
//! Better:
//!
//! ```yaml
//! settings: { team: backend }
//! ```
//!
//! ## How to fix it
//!
//! Correct the name.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-overlay",
    severity: Severity::Warning,
    group: Group::Layers,
    fix: Fix::None,
    summary: "a team or workflow without an overlay",
    source: include_str!("unknown_overlay.rs"),
};
