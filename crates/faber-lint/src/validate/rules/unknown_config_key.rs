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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unknown-config-key",
    severity: Severity::Warning,
    group: Group::Configuration,
    fix: Fix::None,
    summary: "a key that the configuration does not have",
    source: include_str!("unknown_config_key.rs"),
};
