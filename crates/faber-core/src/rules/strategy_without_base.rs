//! ## What it finds
//!
//! An overlay with a `strategy` or an `extends` below which no layer defines the context, in
//! any view.
//!
//! ## Why it matters
//!
//! The overlay is alone, most likely because its name does not match that of its base.
//!
//! ## Example
//!
//! ```yaml
//! # overlays/…/standards-nameing.md
//! strategy: merge
//! ```
//!
//! Better:
//!
//! ```yaml
//! # overlays/…/standards-naming.md
//! strategy: merge
//! ```
//!
//! ## How to fix it
//!
//! Rename the file to match its base, or remove `strategy`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "strategy-without-base",
    Group::Layers,
    "a strategy that has nothing to work on",
    include_str!("strategy_without_base.rs"),
);
