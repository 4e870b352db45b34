use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation,
    SymbolKind, WorkspaceSymbolParams,
};

use crate::lsp::ask::LspRequest;
use crate::lsp::position::LineIndex;
use faber_core::markdown::{self, Block, BlockKind, Lines};
use faber_core::parse::fence;
use faber_core::resolve::catalog::name_span;

struct SymbolSection {
    level: u8,
    name: String,
    heading: std::ops::Range<usize>,
    end: usize,
}

pub(crate) fn of_document(
    ask: &LspRequest<'_>,
    _: &DocumentSymbolParams,
) -> Option<DocumentSymbolResponse> {
    let file = ask.file()?;
    let text = ask.text(file);
    let is_markdown = ask.path.extension() == Some("md");
    let sections = if is_markdown { sections(text) } else { Vec::new() };
    let places = ask.places(file);
    if ask.client.nests {
        return Some(DocumentSymbolResponse::Nested(nested(&sections, &places)));
    }
    let uri = ask.location(faber_core::source::Span::start_of(file))?.uri;
    let flat = sections.iter().map(|section| {
        let range = places.range(section.heading.start..section.end);
        let location = Location { uri: uri.clone(), range };
        information(section.name.clone(), SymbolKind::STRING, location, None)
    });
    Some(DocumentSymbolResponse::Flat(flat.collect()))
}

fn sections(text: &str) -> Vec<SymbolSection> {
    let body = fence::body(text);
    let own = &text[body..];
    let lines = Lines::new(own);
    let heading = |block: Block| match block.kind {
        BlockKind::Heading { level, text, .. } => {
            let (first, last) = (block.lines.start, block.lines.end.max(block.lines.start + 1) - 1);
            let heading = body + lines.range(first).start..body + lines.range(last).end;
            Some(SymbolSection { level, name: text, heading, end: body + own.trim_end().len() })
        }
        _ => None,
    };
    let mut sections: Vec<SymbolSection> =
        markdown::blocks(own).into_iter().filter_map(heading).collect();
    for at in 0..sections.len() {
        let level = sections[at].level;
        if let Some(next) = sections[at + 1..].iter().find(|next| next.level <= level) {
            sections[at].end = body + own[..next.heading.start - body].trim_end().len();
        }
    }
    sections
}

#[expect(deprecated, reason = "the type has a field that has had its day")]
fn nested(mut sections: &[SymbolSection], places: &LineIndex<'_>) -> Vec<DocumentSymbol> {
    let mut symbols = Vec::new();
    while let [section, rest @ ..] = sections {
        let is_above = |other: &SymbolSection| other.level <= section.level;
        let (below, next) = rest.split_at(rest.iter().position(is_above).unwrap_or(rest.len()));
        let heading = section.heading.clone();
        symbols.push(DocumentSymbol {
            name: if section.name.is_empty() { "#".to_owned() } else { section.name.clone() },
            detail: None,
            kind: SymbolKind::STRING,
            tags: None,
            deprecated: None,
            range: places.range(heading.start..section.end.max(heading.end)),
            selection_range: places.range(heading),
            children: Some(nested(below, places)).filter(|children| !children.is_empty()),
        });
        sections = next;
    }
    symbols
}

#[expect(deprecated, reason = "the type has a field that has had its day")]
fn information(
    name: String,
    kind: SymbolKind,
    location: Location,
    container_name: Option<String>,
) -> SymbolInformation {
    SymbolInformation { name, kind, tags: None, deprecated: None, location, container_name }
}

pub(crate) fn of_workspace(
    ask: &LspRequest<'_>,
    params: &WorkspaceSymbolParams,
) -> Vec<SymbolInformation> {
    let query = params.query.to_lowercase();
    let survey = &ask.analysis.linter.survey;
    let principal = ask.analysis.linter.workspace.principal();
    let symbols = survey.documents.iter().filter_map(|document| {
        let name = document.id.to_string();
        if !has_letters(&name.to_lowercase(), &query) || !principal.may_see(&document.front.fields)
        {
            return None;
        }
        let layer = &survey.layers[document.layer];
        let kind = layer.kind.name();
        let of = layer.name.as_ref().map_or(kind.to_owned(), |name| format!("{kind} {name}"));
        let location = ask.location(name_span(document))?;
        Some(information(name, SymbolKind::FILE, location, Some(of)))
    });
    symbols.collect()
}

fn has_letters(name: &str, query: &str) -> bool {
    let mut letters = name.chars();
    query.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_where_the_next_of_their_level_begins() {
        let text = "---\nname: x\n---\n# A\n\none\n\n## B\n\ntwo\n\n# C\n";
        let shown = |section: &SymbolSection| {
            let end = section.end.max(section.heading.end);
            (section.level, text[section.heading.start..end].to_owned())
        };
        let all: Vec<_> = sections(text).iter().map(shown).collect();
        let expected = [(1, "# A\n\none\n\n## B\n\ntwo"), (2, "## B\n\ntwo"), (1, "# C")];
        assert_eq!(all, expected.map(|(level, text)| (level, text.to_owned())));
    }

    #[test]
    fn letters_count_in_their_order() {
        assert!(has_letters("specialist/security", "spsec") && has_letters("x", ""));
        assert!(!has_letters("specialist/security", "yt"));
    }
}
