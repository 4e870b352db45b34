use faber_core::category::{Category, Load};
use faber_core::parse::rules::RuleKind;
use faber_core::resolve::catalog::Context;
use faber_core::select::choose::{SelectionInput, load_of};
use faber_core::select::keywords::normalized;
use faber_core::select::reason::ReasonKind;
use faber_core::select::targets::resolve_target;
use faber_core::source::Spanned;

#[derive(Clone, Debug)]
pub(crate) struct SelectingTerm<'a> {
    pub kind: ReasonKind,
    pub word: &'a Spanned<String>,
    pub stems: Vec<String>,
    pub context: &'a Context,
}

/// In source order; those of prompts last.
pub(crate) fn terms<'a>(inputs: &SelectionInput<'a>) -> Vec<SelectingTerm<'a>> {
    let mut terms = Vec::new();
    let mut add = |kind, words: &'a [Spanned<String>], context| {
        terms.extend(words.iter().map(|word| {
            let stems = normalized(&word.value);
            SelectingTerm { kind, word, stems, context }
        }));
    };
    let catalog = inputs.catalog;
    for context in catalog.contexts.values().filter(|context| is_selectable(context)) {
        let fields = &context.front.fields;
        add(ReasonKind::Keyword, &fields.keywords, context);
        add(ReasonKind::Error, &fields.errors, context);
    }
    for rule in inputs.rules {
        let kind = match rule.kind {
            RuleKind::Keyword => ReasonKind::Keyword,
            RuleKind::Error => ReasonKind::Error,
            RuleKind::Files | RuleKind::Platform => continue,
        };
        let target = resolve_target(catalog, inputs.expander, &rule.target);
        for context in target.contexts().into_iter().filter(|context| is_selectable(context)) {
            add(kind, &rule.terms, context);
        }
    }
    terms
}

fn is_selectable(context: &Context) -> bool {
    let by_itself = matches!(load_of(context), Load::Always | Load::Never);
    !by_itself && !context.front.fields.required && context.id.category != Category::Platform
}
