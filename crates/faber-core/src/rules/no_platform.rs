//! ## What it finds
//!
//! A role that declares several platforms while neither the configuration nor
//! `default_platform` says which one to use.
//!
//! ## Why it matters
//!
//! Its bundles have no platform context.
//!
//! ## Example
//!
//! ```yaml
//! platforms: [linear, github]
//! ```
//!
//! Better:
//!
//! ```yaml
//! platforms: [linear, github]
//! default_platform: linear
//! ```
//!
//! ## How to fix it
//!
//! Set `platforms.ROLE` in `.faber/config.yml`, or `default_platform` in `agent.yml`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "no-platform",
    Group::Platforms,
    "a role with platforms of which none is chosen",
    include_str!("no_platform.rs"),
);
