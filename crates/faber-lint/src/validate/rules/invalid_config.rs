//! ## What it finds
//!
//! A `config.yml` that is not YAML, a key with a value of another type, or a name that no
//! folder can have.
//!
//! ## Why it matters
//!
//! What the overlays are and who may see what is decided there, so faber does not assemble on a
//! guess.
//!
//! ## Example
//!
//! ```yaml
//! budget: { total: plenty }
//! ```
//!
//! Better:
//!
//! ```yaml
//! budget: { total: 30000 }
//! ```
//!
//! ## How to fix it
//!
//! Write what the message asks for.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "invalid-config",
    severity: Severity::Error,
    group: Group::Configuration,
    fix: Fix::None,
    summary: "a configuration that cannot be read, or a value that does not fit",
    source: include_str!("invalid_config.rs"),
};
