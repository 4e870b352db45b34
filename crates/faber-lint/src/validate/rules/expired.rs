//! ## What it finds
//!
//! A context whose `valid_to` is before the reference date. One that is marked as deprecated or
//! as superseded is left alone: its end was meant.
//!
//! ## Why it matters
//!
//! It is left out of every bundle since then, and no one is told when they ask for something that
//! it would have answered.
//!
//! ## Example
//!
//! ```yaml
//! # on 15 January 2026
//! valid_to: 2025-12-31
//! ```
//!
//! Better:
//!
//! ```yaml
//! valid_to: 2026-12-31
//! ```
//!
//! ## How to fix it
//!
//! Renew `valid_to` when the context still holds; else remove the file, or write `status:
//! deprecated`.

use crate::validate::check::DocumentInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::parse::fields::Status;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "expired",
    severity: Severity::Warning,
    group: Group::Freshness,
    fix: Fix::None,
    summary: "a context whose last valid day is over",
    source: include_str!("expired.rs"),
};

/// Looks at one context.
pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let fields = &input.document.front.fields;
    let is_retired = fields.superseded_by.is_some()
        || fields.status.as_ref().is_some_and(|status| status.value != Status::Approved);
    let Some(to) = fields.valid_to.as_ref().filter(|to| to.value < input.whole.today) else {
        return;
    };
    // A range that holds no day is a slip of its own.
    let is_empty = fields.valid_from.as_ref().is_some_and(|from| from.value > to.value);
    if !is_retired && !is_empty {
        let message =
            format!("`{}` was valid up to {} and is not used", input.document.id, to.value);
        found.push(RULE.at(to.span, message).help("renew `valid_to`, or remove the file"));
    }
}
