//! ## What it finds
//!
//! A role that has no file in `tasks/`, and neither has one that it extends.
//!
//! ## Why it matters
//!
//! Tasks are what a role is asked for again and again; without one every request begins from
//! nothing.
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
//! roles/clerk/prompt.md
//! roles/clerk/tasks/sort-letters.md
//! ```
//!
//! ## How to fix it
//!
//! Add a task: `faber new task NAME --role ROLE`.

use crate::validate::check::RoleInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};
use faber_core::source::Span;
use faber_session::workspace::survey::FileKind;

pub(crate) const RULE: Rule = Rule {
    code: "role-without-task",
    severity: Severity::Hint,
    group: Group::Role,
    fix: Fix::None,
    summary: "a role without any task",
    source: include_str!("role_without_task.rs"),
};

/// Looks at one role.
pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let roots = input.lineage.roots();
    let tasks = input.whole.survey.files.iter().filter(|entry| entry.kind == FileKind::Task);
    let mut paths = tasks.map(|entry| input.whole.sources.path(entry.file));
    // The tasks of the workspace are every role's.
    let is_own = |path: &camino::Utf8Path| {
        path.starts_with("tasks") || roots.iter().any(|root| path.starts_with(root))
    };
    if !paths.any(is_own) {
        let message = format!("`{}` has no task", role.name);
        found.push(
            RULE.at(Span::start_of(role.prompt), message)
                .help(format!("add one: `faber new task NAME --role {}`", role.name)),
        );
    }
}
