//! ## What it finds
//!
//! The `prompt.md` of a role in which nothing is but headings and comments.
//!
//! ## Why it matters
//!
//! The prompt opens every bundle of the role; without one the model is not told what it is. That of
//! a role that this one extends does not take its place.
//!
//! ## Example
//!
//! ```markdown
//! # Clerk
//! ```
//!
//! Better:
//!
//! ```markdown
//! # Clerk
//!
//! You sort letters by urgency.
//! ```
//!
//! ## How to fix it
//!
//! Say in a sentence or two who the model is and what it is there for.

use crate::validate::check::RoleInput;
use crate::validate::rules::empty_context;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::parse::fence;
use faber_core::rule::{Fix, Group, Rule};
use faber_core::source::Span;

pub(crate) const RULE: Rule = Rule {
    code: "empty-prompt",
    severity: Severity::Error,
    group: Group::Role,
    fix: Fix::None,
    summary: "a prompt that says nothing",
    source: include_str!("empty_prompt.rs"),
};

/// Looks at one role.
pub(crate) fn check(input: &RoleInput<'_>, found: &mut Vec<Diagnostic>) {
    let role = input.lineage.role();
    let text = &input.whole.sources.get(role.prompt).text;
    if empty_context::says_nothing(&text[fence::body(text)..]) {
        let message = format!("the prompt of `{}` says nothing", role.name);
        found.push(
            RULE.at(Span::start_of(role.prompt), message)
                .help("say who the model is and what it is there for"),
        );
    }
}
