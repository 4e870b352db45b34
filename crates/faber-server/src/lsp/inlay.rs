//! Inlay hints: a context's tokens, at its first line.

use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip, Position};

use crate::lsp::ask::LspRequest;
use crate::lsp::hover;

pub(crate) fn answer(ask: &LspRequest<'_>, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    let entry = ask.analysis.entry(ask.path)?;
    let document = &ask.analysis.linter.survey.documents[entry.document?];
    if params.range.start.line > 0 {
        return Some(Vec::new());
    }
    let counter = hover::counter(ask)?;
    let own = counter.count(ask.analysis.sources().text(document.body).trim());
    let seen = ask.analysis.visible_from(ask.path);
    let context = seen.catalog.get(&document.id);
    let whole = context.filter(|context| context.sources.len() > 1);
    let whole = whole.map(|context| counter.count(&context.body.text(ask.analysis.sources())));
    let label = match whole {
        Some(whole) => format!("{own} tokens, {whole} with all layers"),
        None => format!("{own} tokens"),
    };
    let places = ask.places(entry.file);
    let Position { line, character } = places.position(places.line(0).end);
    Some(vec![InlayHint {
        position: Position { line, character },
        label: InlayHintLabel::String(label),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(document.id.to_string())),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }])
}
