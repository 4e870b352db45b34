use std::collections::{BTreeMap, BTreeSet};

use crate::validate::check::ViewInput;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::resolve::catalog::Context;
use faber_core::resolve::index::Resolution;
use faber_core::rules::contradiction::RULE;
use faber_core::source::Span;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let selected = input.selection.selected.iter();
    let selected: BTreeMap<&ContextId, &Context> =
        selected.filter_map(|it| Some((&it.id, input.catalog.get(&it.id)?))).collect();
    let mut reported: BTreeSet<(&ContextId, &ContextId)> = BTreeSet::new();
    for (&id, context) in &selected {
        for named in &context.front.fields.contradicts {
            let from = input.expander.from(named.span.file);
            let Resolution::Context(target) = input.catalog.index.resolve(&named.value, from)
            else {
                continue;
            };
            let target = input.catalog.aliases.get(&target).unwrap_or(&target);
            let Some((&target, other)) = selected.get_key_value(target) else { continue };
            if target != id && reported.insert((id.min(target), id.max(target))) {
                let message = format!("`{id}` contradicts `{target}`, and both are always loaded");
                let finding = RULE
                    .at(named.span, message)
                    .related(Span::start_of(other.sources[0].file), "also loaded");
                found.push(finding.help(
                    "load only one of them by default, with `load`, `when` or `superseded_by`",
                ));
            }
        }
    }
}
