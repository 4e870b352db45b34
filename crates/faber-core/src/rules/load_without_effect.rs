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

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::warning(
    "load-without-effect",
    Group::Selection,
    "a prompt that loads what never loads",
    include_str!("load_without_effect.rs"),
);
