//! ## What it finds
//!
//! An `updated` or `created` after the reference date.
//!
//! ## Why it matters
//!
//! Nothing was changed tomorrow. It is a typo, and hides how old the file is.
//!
//! ## Example
//!
//! ```yaml
//! updated: 2206-01-15
//! ```
//!
//! Better:
//!
//! ```yaml
//! updated: 2026-01-15
//! ```
//!
//! ## How to fix it
//!
//! Correct the date.

use crate::validate::check::FileInput;
use crate::validate::rules::stale;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::role::Lineage;
use faber_core::rule::{Fix, Group, Rule};
use faber_session::workspace::survey::FileKind;

pub(crate) const RULE: Rule = Rule {
    code: "future-date",
    severity: Severity::Warning,
    group: Group::Freshness,
    fix: Fix::None,
    summary: "a change in the future",
    source: include_str!("future_date.rs"),
};

/// Looks at one file.
pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    let mut dates = vec![("updated", stale::updated(input))];
    if input.entry.kind == FileKind::Agent {
        let mut roles = input.whole.survey.lineages.iter().map(Lineage::role);
        let role = roles.find(|role| role.agent_file == Some(input.entry.file));
        let agent = role.and_then(|role| role.agent.as_ref());
        dates.push(("created", agent.and_then(|agent| agent.created.clone())));
    }
    for (field, date) in dates {
        let Some(date) = date.filter(|date| date.value > input.whole.today) else { continue };
        let message = format!("`{field}` is {}, which is to come", date.value);
        found.push(RULE.at(date.span, message).help("correct the date"));
    }
}
