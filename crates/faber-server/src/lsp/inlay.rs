use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip};

use crate::lsp::ask::LspRequest;
use crate::lsp::hover;

pub(crate) fn answer(ask: &LspRequest<'_>, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    let entry = ask.analysis.entry(ask.path)?;
    let document = &ask.analysis.linter.survey.documents[entry.document?];
    if params.range.start.line > 0 {
        return Some(Vec::new());
    }
    let counter = hover::counter(ask)?;
    let sources = ask.analysis.sources();
    let seen = ask.analysis.visible_from(ask.path);
    let (text, layers) = match seen.catalog.get(&document.id) {
        Some(context) => (context.body.text(sources), context.sources.len()),
        None => (sources.text(document.body).trim().to_owned(), 1),
    };
    let all = if layers > 1 { " with all layers" } else { "" };
    let label = format!("{} tokens{all}", counter.count(&text));
    let places = ask.places(entry.file);
    Some(vec![InlayHint {
        position: places.position(places.line(0).end),
        label: InlayHintLabel::String(label),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(document.id.to_string())),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }])
}
