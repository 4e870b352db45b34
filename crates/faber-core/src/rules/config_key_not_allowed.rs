//! ## What it finds
//!
//! A key in the `config.yml` of an overlay that decides which overlays there are or who sees
//! what, or how much rules matter. A key that only the own configuration of a user may set is ignored,
//! with a warning.
//!
//! ## Why it matters
//!
//! An overlay must not choose overlays, and a cloned pack must not make faber run programs.
//!
//! ## Example
//!
//! ```yaml
//! # .faber/overlays/teams/core/config.yml
//! settings: { team: core }
//! ```
//!
//! Better:
//!
//! ```yaml
//! # .faber/config.yml
//! settings: { team: core }
//! ```
//!
//! ## How to fix it
//!
//! Move the key to the place that the message names.

use crate::diagnostic::Severity;
use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "config-key-not-allowed",
    Group::Layers,
    "a key that this configuration may not set",
    include_str!("config_key_not_allowed.rs"),
)
.except(Severity::Warning);
