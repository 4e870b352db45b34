use std::collections::BTreeSet;

use crate::validate::check::ViewInput;
use crate::validate::declared::SelectingTerm;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::resolve::catalog::Context;
use faber_core::resolve::index::Resolution;
use faber_core::rules::keyword_collision::RULE;
use faber_core::select::reason::ReasonKind;

const SHOWN: usize = 5;

/// At the last place: two roles that add a word to a shared context get two findings.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let sources = input.whole.sources;
    let mut terms: Vec<&SelectingTerm<'_>> =
        input.terms.iter().filter(|t| !t.stems.is_empty()).collect();
    let same = |term: &SelectingTerm<'_>| (term.kind, term.context.id.category);
    terms.sort_by(|a, b| {
        let place =
            |term: &SelectingTerm<'_>| (sources.path(term.word.span.file), term.word.span.start);
        (same(a), &a.stems, place(a)).cmp(&(same(b), &b.stems, place(b)))
    });
    for group in terms.chunk_by(|a, b| same(a) == same(b) && a.stems == b.stems) {
        let Some((last, others)) = group.split_last() else { continue };
        let first = group[0];
        if group.iter().all(|term| term.context.id == first.context.id) {
            continue;
        }
        let related = related(input, last.context);
        let mut seen = BTreeSet::new();
        let others = others.iter().filter(|other| {
            let is_other = other.context.id != last.context.id && other.word.span != last.word.span;
            is_other
                && !related.contains(&other.context.id)
                && !names(input, other.context, &last.context.id)
                && seen.insert(&other.context.id)
        });
        let others: Vec<&&SelectingTerm<'_>> = others.collect();
        found.extend(finding(last, &others));
    }
}

fn finding(last: &SelectingTerm<'_>, others: &[&&SelectingTerm<'_>]) -> Option<Diagnostic> {
    let first = others.first()?;
    let more = match others.len() - 1 {
        0 => String::new(),
        1 => " and one more".to_owned(),
        more => format!(" and {more} more"),
    };
    let what = if last.kind == ReasonKind::Error { "error" } else { "keyword" };
    let message = format!(
        "the {what} `{}` selects `{}` as well as `{}`{more}",
        last.word.value, last.context.id, first.context.id
    );
    let finding = RULE.at(last.word.span, message).help(
        "remove it from one of them, use a longer phrase, or list one context in `related` of the other",
    );
    let shown = others.iter().take(SHOWN);
    Some(shown.fold(finding, |finding, other| {
        finding.related(other.word.span, format!("selects `{}`", other.context.id))
    }))
}

fn related(input: &ViewInput<'_>, context: &Context) -> BTreeSet<ContextId> {
    let targets = context.front.fields.related.iter().filter_map(|reference| {
        let from = input.expander.from(reference.span.file);
        match input.catalog.index.resolve_field(&reference.value, from) {
            Resolution::Context(id) => input.catalog.get(&id).map(|context| context.id.clone()),
            _ => None,
        }
    });
    targets.collect()
}

fn names(input: &ViewInput<'_>, context: &Context, other: &ContextId) -> bool {
    !context.front.fields.related.is_empty() && related(input, context).contains(other)
}
