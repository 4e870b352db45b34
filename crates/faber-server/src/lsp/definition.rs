use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse};

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions;
use faber_core::parse::references;

pub(crate) fn answer(
    ask: &LspRequest<'_>,
    params: &GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    let entry = ask.analysis.entry(ask.path)?;
    let position = params.text_document_position_params.position;
    let offset = ask.places(entry.file).offset(position);
    let mention = mentions::at(ask.analysis, entry, offset)?;
    let target = mentions::target(ask.analysis, &mention)?;
    let (_, heading) = references::parse(&mention.text);
    let places = target.places(ask.analysis, heading);
    let locations: Vec<_> = places.into_iter().filter_map(|span| ask.location(span)).collect();
    (!locations.is_empty()).then_some(GotoDefinitionResponse::Array(locations))
}
