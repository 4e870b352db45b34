//! ## What it finds
//!
//! A reference in a prompt, a task, a flow, a rule table, `custom_contexts`, `extends` or an
//! include to a file, context, section or role that there is not. What is marked "if present"
//! may be missing.
//!
//! ## Why it matters
//!
//! The model is told to go by something that never arrives, and nobody notices.
//!
//! ## Example
//!
//! ```markdown
//! | Keywords | Context |
//! |---|---|
//! | sprint | specialist-sprnt.md |
//! ```
//!
//! Better:
//!
//! ```markdown
//! | Keywords | Context |
//! |---|---|
//! | sprint | specialist-sprint.md |
//! ```
//!
//! ## How to mend it
//!
//! Correct the name, add the file, or write "if present" into the heading above.

use crate::diagnostic::{Diagnostic, Severity};
use crate::parse::references;
use crate::resolve::catalog::dangling;
use crate::resolve::index::{Resolution, candidates};
use crate::source::Spanned;
use crate::validate::check::ViewInput;
use crate::validate::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "dangling-reference",
    severity: Severity::Error,
    group: Group::References,
    fix: Fix::None,
    summary: "a reference that names nothing",
    source: include_str!("dangling_reference.rs"),
};

/// Looks at what the prompt, tasks and flows of a view name. What rules, `extends`,
/// `custom_contexts` and includes name is noticed where these are followed.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let survey = input.whole.survey;
    let sources = input.whole.sources;
    for entry in survey.instructions(sources, input.lineage) {
        let from = input.expander.from(sources.path(entry.file));
        for reference in entry.references.iter().filter(|reference| !reference.optional) {
            if input.catalog.index.resolve(&reference.text, from) != Resolution::Missing {
                continue;
            }
            let (parsed, _) = references::parse(&reference.text);
            let (root, homes) = (input.expander.role_root, input.expander.role_homes);
            let paths = candidates(&parsed, from, root, homes).unwrap_or_default();
            let is_there = paths
                .iter()
                .any(|path| sources.find(path).is_some() || survey.present.contains(path));
            if !is_there {
                let value = reference.text.clone();
                found.push(dangling(&Spanned { value, span: reference.span }));
            }
        }
    }
}
