//! ## What it finds
//!
//! An overlay that overrides or merges into a context with `sealed: true`, or a rule of
//! `sections` that does.
//!
//! ## Why it matters
//!
//! Sealed is what no layer above may change. The attempt has no effect, and its author should
//! know.
//!
//! ## Example
//!
//! ```yaml
//! # overlay of a sealed context
//! strategy: override
//! ```
//!
//! Better:
//!
//! ```yaml
//! # overlay of a sealed context
//! strategy: append
//! ```
//!
//! ## How to fix it
//!
//! Use `append`, or ask the author of the seal.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "sealed-overridden",
    Group::Layers,
    "an attempt to change a sealed context",
    include_str!("sealed_overridden.rs"),
);
