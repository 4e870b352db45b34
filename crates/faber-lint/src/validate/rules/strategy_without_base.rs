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

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "strategy-without-base",
    severity: Severity::Warning,
    group: Group::Layers,
    fix: Fix::None,
    summary: "a strategy that has nothing to work on",
    source: include_str!("strategy_without_base.rs"),
};
