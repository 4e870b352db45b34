//! ## What it finds
//!
//! A role for which the prompt and what loads with every request (standards, the platform, custom
//! contexts and what is related to them) are together over the budget of a bundle. What cannot be
//! assembled at all is `required-over-budget` alone.
//!
//! ## Why it matters
//!
//! Something of it is shortened or left out every time, before the request has added anything.
//!
//! ## Example
//!
//! ```text
//! contexts/standards/standards-everything.md   30 000 words
//! ```
//!
//! Better:
//!
//! ```text
//! contexts/standards/standards-core.md         600 words
//! contexts/references/reference-details.md     the rest, on demand
//! ```
//!
//! ## How to fix it
//!
//! Let part of it load on demand or by keyword, shorten it, or raise the budget.

use crate::validate::check::ViewInput;
use crate::validate::rules::required_over_budget;
use crate::validate::sizes::{self, Guess, guess, tokens};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::rule::{Fix, Group, Rule};
use faber_core::source::Span;

pub(crate) const RULE: Rule = Rule {
    code: "always-over-budget",
    severity: Severity::Warning,
    group: Group::Budget,
    fix: Fix::None,
    summary: "what always loads does not fit",
    source: include_str!("always_over_budget.rs"),
};

/// How many of the largest pieces a finding shows besides the first.
const SHOWN: usize = 3;

/// Looks at what one view always loads. The finding stands at the largest piece, so that roles that
/// share it have one.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let Some((prompt, file)) = sizes::prompt(input) else { return };
    let selection = input.selection;
    let sources = input.whole.sources;
    let contexts = selection.selected.iter().filter_map(|selected| {
        let context = input.catalog.get(&selected.id)?;
        let file = context.sources.first()?.file;
        Some((sizes::whole(context), file, format!("`{}`", context.id)))
    });
    let own = (prompt, file, format!("`{}`", sources.path(file)));
    let mut pieces: Vec<_> = contexts.chain([own]).collect();
    pieces.sort_by(|a, b| (b.0, sources.path(a.1)).cmp(&(a.0, sources.path(b.1))));
    let estimated = pieces.iter().map(|piece| piece.0).sum();
    let mut figures = None;
    sizes::with_measure(input, |measure, limits| {
        let limit = tokens(limits.limit);
        let size = match guess(estimated, limit) {
            Guess::Within => return,
            Guess::Over => format!("about {estimated}"),
            Guess::Near => match measure.at_most(input.read, selection) {
                exact if exact > limit => exact.to_string(),
                _ => return,
            },
        };
        figures = Some((size, limit));
    });
    let Some((size, limit)) = figures else { return };
    if required_over_budget::excess(input).is_some() {
        return;
    }
    let role = input.lineage.map_or("", |lineage| &lineage.role().name);
    let message =
        format!("what always loads for `{role}` takes {size} tokens, and a bundle has {limit}");
    let finding = RULE
        .at(Span::start_of(pieces[0].1), message)
        .label(format!("the largest of {} pieces, about {} tokens", pieces.len(), pieces[0].0))
        .help("let part of it load on demand, shorten it, or raise the budget");
    let others = pieces.iter().skip(1).take(SHOWN);
    found.push(others.fold(finding, |finding, (tokens, file, name)| {
        finding.related(Span::start_of(*file), format!("{name}, about {tokens} tokens"))
    }));
}
