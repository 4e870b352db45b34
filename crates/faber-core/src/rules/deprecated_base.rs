//! ## What it finds
//!
//! An overlay that adds to a context which is marked as deprecated, or merges with it.
//!
//! ## Why it matters
//!
//! A deprecated context is left out, so the overlay has nothing to work on and is alone: a
//! few lines that were meant to complete a text.
//!
//! ## Example
//!
//! ```yaml
//! # contexts/playbooks/playbook-deploy.md
//! status: deprecated
//! # .faber/overlays/teams/core/contexts/playbooks/playbook-deploy.md
//! strategy: append
//! ```
//!
//! Better:
//!
//! ```yaml
//! # contexts/playbooks/playbook-deploy.md
//! status: deprecated
//! # .faber/overlays/teams/core/contexts/playbooks/playbook-deploy.md
//! strategy: override
//! ```
//!
//! ## How to fix it
//!
//! Extend what takes the place of the base, write the overlay so that it is alone and give it
//! `strategy: override`, or remove it.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "deprecated-base",
    Group::Layers,
    "an overlay on a deprecated context",
    include_str!("deprecated_base.rs"),
);
