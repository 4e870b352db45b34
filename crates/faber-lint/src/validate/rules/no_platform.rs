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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "no-platform",
    severity: Severity::Warning,
    group: Group::Platforms,
    fix: Fix::None,
    summary: "a role with platforms of which none is chosen",
    source: include_str!("no_platform.rs"),
};
