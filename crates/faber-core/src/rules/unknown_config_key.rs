//! ## What it finds
//!
//! A key of a `config.yml` that faber does not know, and a name under `validate.rules` that is
//! no rule.
//!
//! ## Why it matters
//!
//! It has no effect, most likely because of a typo.
//!
//! ## Example
//!
//! ```yaml
//! settings: { teem: core }
//! ```
//!
//! Better:
//!
//! ```yaml
//! settings: { team: core }
//! ```
//!
//! ## How to fix it
//!
//! Correct the key. `faber config show` prints those in force.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unknown-config-key",
    Group::Configuration,
    "a key that the configuration does not have",
    include_str!("unknown_config_key.rs"),
);
