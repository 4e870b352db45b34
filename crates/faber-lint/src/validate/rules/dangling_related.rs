use crate::validate::check::ViewInput;
use crate::validate::rules::dead_anchor;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::parse::references;
use faber_core::resolve::index::Resolution;
use faber_core::rules::dangling_related::RULE;
use faber_core::suggest::{self, SuggestionBudget};

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let mut guesses = SuggestionBudget::default();
    let sources = input.whole.sources;
    for document in input.documents {
        let from = input.expander.from(document.file);
        let fields = &document.front.fields;
        let references = fields.related.iter().chain(&fields.superseded_by);
        for reference in references.filter(|reference| !reference.value.is_empty()) {
            match input.catalog.index.resolve_field(&reference.value, from) {
                Resolution::Missing | Resolution::Other => {
                    let message = format!("unknown context `{}`", reference.value);
                    let help = suggest::help(
                        input.catalog.suggest(&reference.value, sources, &mut guesses),
                        "correct or remove it",
                    );
                    found.push(RULE.at(reference.span, message).help(help));
                }
                Resolution::Context(id) => {
                    let heading = references::parse_field(&reference.value).1;
                    if let Some(heading) = heading.filter(|heading| lacks(input, &id, heading)) {
                        let message = format!("`{id}` has no heading `{heading}`");
                        let help = "name a heading by its text or its slug";
                        found.push(RULE.at(reference.span, message).help(help));
                    }
                }
                Resolution::Outside => {}
            }
        }
    }
}

fn lacks(input: &ViewInput<'_>, id: &ContextId, heading: &str) -> bool {
    let has = |file| dead_anchor::has_heading(input.whole.sources, file, heading);
    let context = input.catalog.get(id);
    context.is_some_and(|context| !context.sources.iter().any(|source| has(source.file)))
}
