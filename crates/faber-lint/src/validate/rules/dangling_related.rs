use crate::validate::check::ViewInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::resolve::index::Resolution;
use faber_core::rules::dangling_related::RULE;
use faber_core::suggest::{self, SuggestionBudget};

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let mut guesses = SuggestionBudget::default();
    for document in input.documents {
        for related in &document.front.fields.related {
            let sources = input.whole.sources;
            let from = input.expander.from(sources.path(document.file));
            if input.catalog.index.resolve_field(&related.value, from) == Resolution::Missing {
                let message = format!("unknown context `{}`", related.value);
                let help = suggest::help(
                    input.catalog.suggest(&related.value, sources, &mut guesses),
                    "correct or remove it",
                );
                found.push(RULE.at(related.span, message).help(help));
            }
        }
    }
}
