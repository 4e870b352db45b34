//! ## What it finds
//!
//! A `${NAME}` in a value that becomes a part of prompts: below `platform_config`, `specialist_config` and
//! `platforms`, and in `settings.organization`. Your own configuration does not list the variable.
//!
//! ## Why it matters
//!
//! A prompt is sent to a model. A workspace that could name any variable could send the secrets of
//! everybody who clones it. The text stays as it is written.
//!
//! ## Example
//!
//! ```yaml
//! specialist_config: { deploy: { database: "${DATABASE_URL}" } }
//! ```
//!
//! Better:
//!
//! ```yaml
//! specialist_config: { deploy: { database: the staging database } }
//! ```
//!
//! ## How to fix it
//!
//! Write the value itself. If it is different on each machine, everyone lists the variable in their own
//! configuration, `$XDG_CONFIG_HOME/faber/config.yml`: `environment: { allow: [DEPLOY_REGION] }`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "variable-not-allowed",
    Group::Configuration,
    "an environment variable that would enter a prompt",
    include_str!("variable_not_allowed.rs"),
);
