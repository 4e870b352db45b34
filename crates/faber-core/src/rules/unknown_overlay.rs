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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unknown-overlay",
    Group::Layers,
    "a team or workflow without an overlay",
    include_str!("unknown_overlay.rs"),
);
