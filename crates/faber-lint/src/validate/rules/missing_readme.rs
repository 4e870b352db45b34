//! ## What it finds
//!
//! A role whose folder has no `README.md`.
//!
//! ## Why it matters
//!
//! The prompt is for the model. People who look for a role want to know what it is for and what
//! it needs.
//!
//! ## Example
//!
//! ```text
//! roles/clerk/prompt.md
//! ```
//!
//! Better:
//!
//! ```text
//! roles/clerk/README.md
//! roles/clerk/prompt.md
//! ```
//!
//! ## How to fix it
//!
//! Add a `README.md` of a few lines.

use crate::validate::check::RoleInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};
use faber_core::source::Span;

pub(crate) const RULE: Rule = Rule {
    code: "missing-readme",
    severity: Severity::Hint,
    group: Group::Role,
    fix: Fix::None,
    summary: "a role without a README.md",
    source: include_str!("missing_readme.rs"),
};

/// Looks at one role.
pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    if input.whole.sources.find(&role.root.join("README.md")).is_none() {
        let message = format!("`{}` has no README.md", role.name);
        found.push(
            RULE.at(Span::start_of(role.prompt), message)
                .help(format!("say in `{}/README.md` what the role is for", role.root)),
        );
    }
}
