use lsp_types::{DocumentLink, DocumentLinkParams};

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions;

pub(crate) fn answer(ask: &LspRequest<'_>, _: &DocumentLinkParams) -> Option<Vec<DocumentLink>> {
    let entry = ask.analysis.entry(ask.path)?;
    let places = ask.places(entry.file);
    let mentions = mentions::all(ask.analysis, entry).into_iter();
    let links = mentions.filter_map(|mention| {
        let target = mentions::target(ask.analysis, &mention)?;
        let first = target.places(ask.analysis, None).into_iter().next()?;
        let range = places.range(mention.span.range());
        let target = Some(ask.location(first)?.uri);
        Some(DocumentLink { range, target, tooltip: None, data: None })
    });
    Some(links.collect())
}
