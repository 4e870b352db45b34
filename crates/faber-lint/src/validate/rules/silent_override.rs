use std::collections::BTreeSet;

use crate::validate::check::ViewInput;
use crate::validate::rules::identical_overlay;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::resolve::catalog::name_span;
use faber_core::rules::silent_override::RULE;
use faber_core::source::FileId;
use faber_core::strategy::Strategy;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    let chains = input.chains();
    if chains.is_empty() {
        return;
    }
    let identical: BTreeSet<FileId> =
        identical_overlay::identical(input, &chains).into_iter().map(|it| it.0.file).collect();
    for (id, chain) in chains {
        let mut sealed = chain[0].front.fields.sealed;
        for pair in chain.windows(2) {
            let (base, overlay) = (pair[0], pair[1]);
            let strategy = overlay.strategy();
            // Other rules report these.
            if sealed && strategy != Strategy::Append {
                continue;
            }
            sealed = overlay.front.fields.sealed || (sealed && strategy != Strategy::Override);
            if is_silent(overlay) && !identical.contains(&overlay.file) {
                let message = format!("this replaces `{id}` without a `strategy`");
                let finding =
                    RULE.at(name_span(overlay), message).related(name_span(base), "replaced");
                found.push(finding.help("write `strategy: merge` or `append` to add to it, or `strategy: override` to replace it"));
            }
        }
    }
}

fn is_silent(overlay: &Document) -> bool {
    let fields = &overlay.front.fields;
    overlay.kind > LayerKind::Role
        && overlay.strategy() == Strategy::Override
        && fields.strategy.is_none()
}
