use crate::validate::check::ViewInput;
use crate::validate::sizes::{self, SizeEstimate, compare_estimate, tokens};
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::required_over_budget::RULE;
use faber_core::select::selection::{Selected, Selection};
use faber_core::source::Span;
use faber_output::table::figure;

const SHOWN: usize = 3;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let Some((needed, limit)) = excess(input) else { return };
    let mut pieces = pieces(input);
    pieces.sort_by(|a, b| b.cmp(a));
    let role = input.lineage.map_or("", |lineage| &lineage.role().name);
    let (needed, limit) = (figure(needed), figure(limit));
    let message =
        format!("required contexts of `{role}` take {needed} tokens; the budget is {limit}");
    let Some((_, (at, _))) = pieces.first() else { return };
    let finding = RULE
        .at(*at, message)
        .label("the largest piece")
        .help("allow the largest to be shortened, do not require them, or raise the budget");
    let others = pieces.iter().skip(1).take(SHOWN);
    found.push(others.fold(finding, |finding, (tokens, (span, name))| {
        finding.related(*span, format!("{name}, about {} tokens", figure(*tokens)))
    }));
}

pub(crate) fn excess(input: &ViewInput<'_>) -> Option<(usize, usize)> {
    let (prompt, _) = sizes::prompt(input)?;
    let required = required(input.selection, input);
    let least = |selected: &Selected| {
        input.catalog.get(&selected.id).map_or(0, |c| sizes::least(c, input.whole.sources))
    };
    let estimated = prompt + required.selected.iter().map(least).sum::<usize>();
    let mut excess = None;
    sizes::with_measure(input, |measure, limits| {
        let limit = tokens(limits.limit);
        if compare_estimate(estimated, limit) != SizeEstimate::Within {
            let needed = measure.at_least(input.read, &required);
            excess = (needed > limit).then_some((needed, limit));
        }
    });
    excess
}

fn required(selection: &Selection, input: &ViewInput<'_>) -> Selection {
    let is_required = |id| input.catalog.get(id).is_some_and(|c| c.front.fields.required);
    let selected = selection.selected.iter().filter(|selected| is_required(&selected.id));
    Selection { selected: selected.cloned().collect(), ..Selection::default() }
}

fn pieces(input: &ViewInput<'_>) -> Vec<(usize, (Span, String))> {
    let sources = input.whole.sources;
    let prompt = sizes::prompt(input).map(|(tokens, file)| {
        let name = format!("`{}`", sources.path(file));
        (tokens, (Span::start_of(file), name))
    });
    let contexts = input.catalog.contexts.values().filter(|c| c.front.fields.required);
    let contexts = contexts.filter_map(|context| {
        let entries = context.front.node.entries().iter();
        let mut field = entries.filter(|entry| entry.key == "required").map(|entry| entry.key_span);
        let file = context.sources.first()?.file;
        let span = field.next_back().unwrap_or(Span::start_of(file));
        Some((sizes::least(context, sources), (span, format!("`{}`", context.id))))
    });
    prompt.into_iter().chain(contexts).collect()
}
