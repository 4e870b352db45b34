//! ## What it finds
//!
//! A `valid_from` after the `valid_to` of the same context.
//!
//! ## Why it matters
//!
//! There is no day on which such a context is used.
//!
//! ## Example
//!
//! ```yaml
//! valid_from: 2026-07-01
//! valid_to: 2026-06-30
//! ```
//!
//! Better:
//!
//! ```yaml
//! valid_from: 2026-06-01
//! valid_to: 2026-06-30
//! ```
//!
//! ## How to fix it
//!
//! Correct one of the dates; `valid_to` is the last valid day.

use crate::validate::check::DocumentInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "valid-range-empty",
    severity: Severity::Error,
    group: Group::Freshness,
    fix: Fix::None,
    summary: "a context that ends before it begins",
    source: include_str!("valid_range_empty.rs"),
};

/// Looks at one context.
pub(crate) fn check(input: &DocumentInput<'_>, found: &mut Vec<Diagnostic>) {
    let fields = &input.document.front.fields;
    let (Some(from), Some(to)) = (&fields.valid_from, &fields.valid_to) else { return };
    if from.value > to.value {
        let message = format!("`valid_to` {} is before `valid_from` {}", to.value, from.value);
        found.push(
            RULE.at(to.span, message)
                .label("ends here")
                .related(from.span, "begins here")
                .help("correct one of the dates; on no day is this context used"),
        );
    }
}
