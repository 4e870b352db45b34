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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "unset-variable",
    Group::Platforms,
    "an environment variable that is not set",
    include_str!("unset_variable.rs"),
);
