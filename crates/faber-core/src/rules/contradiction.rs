//! ## What it finds
//!
//! A context that names another one under `contradicts`, while both are loaded whatever is
//! requested.
//!
//! ## Why it matters
//!
//! The model reads both and follows one of them, and no one knows which.
//!
//! ## Example
//!
//! ```yaml
//! # contexts/standards/standards-tabs.md, loaded always
//! contradicts: [standard/spaces]
//! ```
//!
//! Better:
//!
//! ```yaml
//! # contexts/standards/standards-tabs.md
//! contradicts: [standard/spaces]
//! load: on-demand
//! ```
//!
//! ## How to fix it
//!
//! Load only one of them by default, with `load`, `when` or `superseded_by`; or remove what does
//! not hold.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "contradiction",
    Group::Layers,
    "contexts that contradict each other and are always loaded together",
    include_str!("contradiction.rs"),
);
