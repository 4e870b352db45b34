//! ## What it finds
//!
//! A `default_platform` of `agent.yml` that `platforms` does not name.
//!
//! ## Why it matters
//!
//! `platforms` is what other rules and people go by: no one checks that there is a context for a
//! platform that is not in it.
//!
//! ## Example
//!
//! ```yaml
//! platforms: [linear, github]
//! default_platform: linaer
//! ```
//!
//! Better:
//!
//! ```yaml
//! platforms: [linear, github]
//! default_platform: linear
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or add it to `platforms`.

use crate::validate::check::RoleInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};
use faber_core::suggest;

pub(crate) const RULE: Rule = Rule {
    code: "default-platform-not-declared",
    severity: Severity::Error,
    group: Group::Role,
    fix: Fix::None,
    summary: "a default platform that the role does not declare",
    source: include_str!("default_platform_not_declared.rs"),
};

/// Looks at one role.
pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let Some(agent) = &role.agent else { return };
    let Some(default) = &agent.default_platform else { return };
    let declared = agent.platforms.iter().map(|platform| platform.value.as_str());
    // A list that cannot be read is a finding of its own.
    let is_unread =
        agent.platforms.is_empty() && agent.node.get("platforms").is_some_and(|n| !n.is_null());
    let is_empty_list = agent.node.get("platforms").is_some_and(|n| n.items() == Some(&[]));
    if declared.clone().any(|name| name == default.value) || (is_unread && !is_empty_list) {
        return;
    }
    let message =
        format!("`{}` does not declare its default platform `{}`", role.name, default.value);
    let help = match suggest::closest(&default.value, declared) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("add `{}` to `platforms`", default.value),
    };
    let mut diagnostic = RULE.at(default.span, message).help(help);
    if let Some(first) = agent.platforms.first() {
        diagnostic = diagnostic.related(first.span, "declared here");
    }
    found.push(diagnostic);
}
