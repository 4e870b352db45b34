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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "sealed-overridden",
    severity: Severity::Error,
    group: Group::Layers,
    fix: Fix::None,
    summary: "an attempt to change a sealed context",
    source: include_str!("sealed_overridden.rs"),
};
