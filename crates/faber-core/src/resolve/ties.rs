//! Overlays of one layer on one context: their paths decide the order.

use crate::config;
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::resolve::catalog::name_span;
use crate::resolve::fold;
use crate::resolve::include::Expander;
use crate::rules::overlay_clash;
use crate::source::Span;

/// Each takes two folds.
const MAX_COMPARED: usize = 8;

/// Reports neighbors in `chain` whose order matters.
pub(super) fn report(
    id: &ContextId,
    chain: &[&Document],
    is_tie: impl Fn(&Document, &Document) -> bool,
    expander: &Expander<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let ties = (2..chain.len()).filter(|&at| is_tie(chain[at - 1], chain[at]));
    for at in ties.take(MAX_COMPARED) {
        let mut swapped = chain[..=at].to_vec();
        swapped.swap(at - 1, at);
        let [ours, theirs] = [&chain[..=at], &swapped].map(|chain| lines(id, chain, expander));
        if ours != theirs {
            let path = expander.sources.path(chain[at - 1].file);
            let message = format!("`{path}` changes the same part of `{id}` in this layer");
            let finding = overlay_clash::RULE
                .at(extends_span(chain[at]), message)
                .label("counts, because its path is last")
                .related(extends_span(chain[at - 1]), "has no effect there")
                .help("combine the two files, or move one to another layer");
            found.push(finding);
        }
    }
}

fn extends_span(document: &Document) -> Span {
    let extends = document.front.fields.extends.as_ref();
    extends.map_or_else(|| name_span(document), |extends| extends.span)
}

fn lines(id: &ContextId, chain: &[&Document], expander: &Expander<'_>) -> Vec<String> {
    let context = fold::fold(id, chain, expander, &mut Vec::new()).resolved;
    let text = context.body.text(expander.sources);
    let fields = config::show(&context.front.node, expander.sources, false);
    let lines = text.lines().chain(fields.lines()).map(str::trim).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}
