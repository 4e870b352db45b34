use crate::validate::check::ViewInput;
use crate::validate::rules::required_over_budget;
use crate::validate::sizes::{self, SizeEstimate, compare_estimate, tokens};
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::always_over_budget::RULE;
use faber_core::source::Span;
use faber_output::table::figure;

const SHOWN: usize = 3;

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
        if compare_estimate(estimated, limit) != SizeEstimate::Within {
            let exact = measure.at_most(input.read, selection);
            figures = (exact > limit).then(|| (figure(exact), limit));
        }
    });
    let Some((size, limit)) = figures else { return };
    if required_over_budget::excess(input).is_some() {
        return;
    }
    let role = input.lineage.map_or("", |lineage| &lineage.role().name);
    let limit = figure(limit);
    let message = format!(
        "contexts that always load for `{role}` take {size} tokens with headings and the prompt; \
         the budget is {limit}"
    );
    let largest = figure(pieces[0].0);
    let finding = RULE
        .at(Span::start_of(pieces[0].1), message)
        .label(format!("the largest of {} pieces, about {largest} tokens", pieces.len()))
        .help("load some of them on demand, shorten them, or raise the budget");
    let others = pieces.iter().skip(1).take(SHOWN);
    found.push(others.fold(finding, |finding, (tokens, file, name)| {
        finding.related(Span::start_of(*file), format!("{name}, about {} tokens", figure(*tokens)))
    }));
}
