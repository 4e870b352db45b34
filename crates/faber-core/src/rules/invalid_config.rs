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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "invalid-config",
    Group::Configuration,
    "a configuration that cannot be read, or a value that does not fit",
    include_str!("invalid_config.rs"),
);
