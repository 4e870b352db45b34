//! ## What it finds
//!
//! A prompt that loads a context with `load: never`, or one whose `status` keeps it out of bundles.
//!
//! ## Why it matters
//!
//! The prompt says that the model has the text, and it never does.
//!
//! ## Example
//!
//! ```markdown
//! - "audit" → Load `specialist-security.md`
//! ```
//!
//! ```yaml
//! # contexts/specialists/specialist-security.md
//! status: draft
//! ```
//!
//! Better:
//!
//! ```yaml
//! # contexts/specialists/specialist-security.md
//! status: approved
//! ```
//!
//! ## How to fix it
//!
//! Change `load` or `status` of the context, or remove the reference from the prompt.

use faber_core::diagnostic::Severity;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "load-without-effect",
    severity: Severity::Warning,
    group: Group::Selection,
    fix: Fix::None,
    summary: "a prompt that loads what never loads",
    source: include_str!("load_without_effect.rs"),
};
