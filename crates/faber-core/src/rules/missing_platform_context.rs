//! ## What it finds
//!
//! A platform in `platforms` of `agent.yml` for which the role has no approved context: not of
//! its own, not of the project and not in an overlay.
//!
//! ## Why it matters
//!
//! On that platform the model gets no word on how things are done there.
//!
//! ## Example
//!
//! ```yaml
//! # agent.yml; there is no contexts/platforms/platform-jira.md
//! platforms: [linear, jira]
//! ```
//!
//! Better:
//!
//! ```yaml
//! platforms: [linear]
//! ```
//!
//! ## How to fix it
//!
//! Add the context, or remove the platform: `faber new platform NAME --role ROLE`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "missing-platform-context",
    Group::Platforms,
    "a declared platform that no context describes",
    include_str!("missing_platform_context.rs"),
);
