use rayon::prelude::*;

use crate::validate::check::ViewInput;
use crate::validate::sizes::{self, SizeEstimate, compare_estimate, tokens};
use faber_core::assemble::builder::BundleBuilder;
use faber_core::assemble::offers;
use faber_core::budget::level::Section;
use faber_core::category::Load;
use faber_core::config::Limits;
use faber_core::diagnostic::Diagnostic;
use faber_core::resolve::catalog::Context;
use faber_core::rules::oversized_context::RULE;
use faber_core::select::choose::load_of;
use faber_core::select::selection::BundleGroup as Place;
use faber_core::source::Span;
use faber_core::tokens::estimate;
use faber_output::table::figure;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    sizes::with_measure(input, |measure, limits| {
        let contexts: Vec<&Context> = input.catalog.contexts.values().collect();
        let looked = contexts
            .par_iter()
            .filter(|context| load_of(context) != Load::Never)
            .filter_map(|context| oversized(input, measure, limits, context));
        found.par_extend(looked);
    });
}

fn oversized<'a>(
    input: &ViewInput<'a>,
    measure: &BundleBuilder<'a>,
    limits: &Limits,
    context: &'a Context,
) -> Option<Diagnostic> {
    let fields = &context.front.fields;
    let at = Span::start_of(context.sources.first()?.file);
    if fields.fixed {
        let limit = tokens(limits.limit);
        let size = over(sizes::whole(context), limit, || measure.whole(context))?;
        let message = format!(
            "`{}` has {size} tokens, more than the budget of {}, and may not be shortened",
            context.id,
            figure(limit)
        );
        return Some(RULE.at(at, message).help("split it, or allow it to be shortened"));
    }
    let section = offers::section(context, Place::Specialists);
    let limit = match section {
        Section::Profile => tokens(limits.sections.profile),
        _ => tokens(limits.sections.location),
    };
    // An extract is a quarter at most.
    let most = match &fields.summary {
        Some(_) => usize::MAX,
        None => estimate(context.body.bytes()) / 4,
    };
    let keeps_to = fields.max_tokens.as_ref().is_some_and(|cap| tokens(cap.value) <= limit);
    if keeps_to || !sizes::is_suspect(most, limit) {
        return None;
    }
    let summary = input.summaries.of(context, input.whole);
    let estimated = sizes::FRAME + estimate(summary.len());
    if !sizes::is_suspect(estimated, limit) {
        return None;
    }
    let size = over(estimated, limit, || sizes::FRAME + measure.text(&summary))?;
    let budget = format!("`budget.sections.{}` is {}", section.name(), figure(limit));
    if fields.summary.is_some() {
        let message = format!("the summary of `{}` has {size} tokens; {budget}", context.id);
        return Some(RULE.at(at, message).help("shorten its `summary`, or split it"));
    }
    let message =
        format!("`{}` has {size} tokens when shortened automatically; {budget}", context.id);
    let help = "split it, or write a `summary` in its front matter";
    Some(RULE.at(at, message).exceptional().help(help))
}

fn over(estimated: usize, limit: usize, count: impl FnOnce() -> usize) -> Option<String> {
    match compare_estimate(estimated, limit) {
        SizeEstimate::Within => None,
        SizeEstimate::Over => Some(format!("about {}", figure(estimated))),
        SizeEstimate::Near => Some(count()).filter(|exact| *exact > limit).map(figure),
    }
}
