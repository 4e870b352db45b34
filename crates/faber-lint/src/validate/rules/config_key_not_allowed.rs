//! ## What it finds
//!
//! A key in the `config.yml` of an overlay that decides which overlays there are or who sees
//! what; and a key that only the own configuration of a user may set.
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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "config-key-not-allowed",
    severity: Severity::Error,
    group: Group::Layers,
    fix: Fix::None,
    summary: "a key that this configuration may not set",
    source: include_str!("config_key_not_allowed.rs"),
};
