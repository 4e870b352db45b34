//! ## What it finds
//!
//! A `${NAME}` in a configuration while the environment has no `NAME`.
//!
//! ## Why it matters
//!
//! The text stays as it is written, which is rarely a working value.
//!
//! ## Example
//!
//! ```yaml
//! config: { api_key: "${LINEAR_KEI}" }
//! ```
//!
//! Better:
//!
//! ```yaml
//! config: { api_key: "${LINEAR_KEY}" }
//! ```
//!
//! ## How to fix it
//!
//! Set the variable, or correct its name.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unset-variable",
    severity: Severity::Warning,
    group: Group::Platforms,
    fix: Fix::None,
    summary: "an environment variable that is not set",
    source: include_str!("unset_variable.rs"),
};
