//! ## What it finds
//!
//! An entry of `related` that leads to no context in any view of the workspace.
//!
//! ## Why it matters
//!
//! What should come along with a context does not.
//!
//! ## Example
//!
//! ```yaml
//! related: [playbook/relaese]
//! ```
//!
//! Better:
//!
//! ```yaml
//! related: [playbook/release]
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or remove the entry.

use crate::validate::check::ViewInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::resolve::index::Resolution;
use faber_core::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "dangling-related",
    severity: Severity::Warning,
    group: Group::References,
    fix: Fix::None,
    summary: "a `related` entry that names nothing",
    source: include_str!("dangling_related.rs"),
};

/// Looks at every context of a view, selected or not.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for document in input.documents {
        for related in &document.front.fields.related {
            let sources = input.whole.sources;
            let from = input.expander.from(sources.path(document.file));
            if input.catalog.index.resolve(&related.value, from) == Resolution::Missing {
                let message = format!("unknown context `{}`", related.value);
                let help = match input.catalog.suggest(&related.value, sources) {
                    Some(close) => format!("did you mean `{close}`?"),
                    None => "correct or remove it".to_owned(),
                };
                found.push(RULE.at(related.span, message).help(help));
            }
        }
    }
}
