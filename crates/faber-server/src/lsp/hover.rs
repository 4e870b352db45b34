use std::fmt::Write;

use camino::Utf8Path;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions::{self, MentionTarget};
use faber_core::assemble::counter::ModelCounter;
use faber_core::layer::LayerKind;
use faber_core::line;
use faber_core::markdown::{self, BlockKind};
use faber_core::parse::frontmatter::FrontKind;
use faber_core::parse::{fence, fields};
use faber_core::resolve::catalog::Context;
use faber_core::security::redact;
use faber_core::source::{FileId, Span};
use faber_core::tokens::Counter;
use faber_core::workspace::survey::{FileEntry, FileKind};

const MAX_LINES: usize = 40;
const MAX_BYTES: usize = 4000;

pub(crate) fn answer(ask: &LspRequest<'_>, params: &HoverParams) -> Option<Hover> {
    let entry = ask.analysis.entry(ask.path)?;
    let places = ask.places(entry.file);
    let offset = places.offset(params.text_document_position_params.position);
    let (text, span) = of_mention(ask, entry, offset)
        .or_else(|| of_field(ask, entry, offset))
        .or_else(|| of_document(ask, entry, places.line_at(offset)))?;
    let value = redact::neutralized(&text).into_owned();
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: span.map(|span| places.range(span.range())) })
}

fn of_mention(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    offset: usize,
) -> Option<(String, Option<Span>)> {
    let mention = mentions::at(ask.analysis, entry, offset)?;
    let text = match mentions::target(ask.analysis, &mention)? {
        MentionTarget::Context(id, seen) => of_context(ask, seen.catalog.get(&id)?),
        MentionTarget::File(file) => of_file(ask, file),
    };
    Some((text, Some(mention.span)))
}

pub(crate) fn counter(ask: &LspRequest<'_>) -> Option<Counter> {
    let workspace = &ask.analysis.linter.workspace;
    let model = ModelCounter::new(&workspace.config, None, workspace.caches.tokens());
    model.ok().map(|model| model.counter)
}

fn of_context(ask: &LspRequest<'_>, context: &Context) -> String {
    let text = context.body.text(ask.analysis.sources());
    let mut shown = head(ask, context, &text);
    if let Some(description) = &context.front.fields.description {
        let _ = write!(shown, "\n\n{}", description.value);
    }
    let _ = write!(shown, "\n\n---\n\n{}", shortened(&text));
    shown
}

fn head(ask: &LspRequest<'_>, context: &Context, text: &str) -> String {
    let mut head = format!("**`{}`**", context.id);
    let layers: Vec<&str> = context.layers().into_iter().map(LayerKind::name).collect();
    let _ = write!(head, " — {}", layers.join(" → "));
    if let Some(counter) = counter(ask) {
        let _ = write!(head, " — {} tokens", counter.count(text));
    }
    head
}

fn of_file(ask: &LspRequest<'_>, file: FileId) -> String {
    let path = ask.analysis.sources().path(file);
    let lines = mentions::body_lines(ask.analysis, file);
    let text = line::join(ask.analysis.sources(), &lines);
    format!("**`{path}`**{}\n\n---\n\n{}", left_out(ask, path), shortened(&text))
}

fn left_out(ask: &LspRequest<'_>, path: &Utf8Path) -> String {
    let seen = ask.analysis.visible_from(ask.path);
    let id = seen.catalog.index.of_path(path);
    let mut excluded = seen.catalog.excluded.iter();
    let gone = excluded
        .find(|gone| Some(&gone.id) == id && gone.path.as_deref().is_none_or(|of| of == path));
    gone.map(|gone| format!(" — left out: {}", gone.detail)).unwrap_or_default()
}

fn shortened(text: &str) -> String {
    let mut shown = String::new();
    let mut is_code = false;
    for (at, line) in text.lines().enumerate() {
        if at >= MAX_LINES || shown.len() + line.len() > MAX_BYTES {
            shown.push_str(if is_code { "```\n\n…\n" } else { "\n…\n" });
            break;
        }
        is_code ^= line.trim_start().starts_with("```");
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}

fn of_field(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    offset: usize,
) -> Option<(String, Option<Span>)> {
    let kind = if entry.kind == FileKind::Prompt { FrontKind::Prompt } else { FrontKind::Context };
    let front = ask.analysis.linter.survey.front(entry)?;
    let is_at = |span: Span| span.range().start <= offset && offset < span.range().end.max(1);
    let key = front.node.entries().iter().find(|entry| is_at(entry.key_span))?;
    let (name, doc) = fields::documented(kind).find(|(name, _)| *name == key.key)?;
    let mut text = format!("**`{name}`** — {doc}");
    let words: Vec<&str> = super::completion::words_of(name);
    if !words.is_empty() {
        let _ = write!(text, "\n\nOne of `{}`.", words.join("`, `"));
    }
    Some((text, Some(key.key_span)))
}

fn of_document(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    line: usize,
) -> Option<(String, Option<Span>)> {
    let document = &ask.analysis.linter.survey.documents[entry.document?];
    let text = ask.text(entry.file);
    if line > 0 && Some(line) != heading_line(text) {
        return None;
    }
    let seen = ask.analysis.visible_from(ask.path);
    let Some(context) = seen.catalog.get(&document.id) else {
        let why = left_out(ask, ask.path);
        return (!why.is_empty()).then(|| (format!("**`{}`**{why}", document.id), None));
    };
    let resolved = context.body.text(ask.analysis.sources());
    Some((head(ask, context, &resolved), None))
}

pub(crate) fn heading_line(text: &str) -> Option<usize> {
    let body = fence::body(text);
    let blocks = markdown::blocks(&text[body..]);
    let is_heading = |kind: &BlockKind| matches!(kind, BlockKind::Heading { .. });
    let heading = blocks.iter().find(|block| is_heading(&block.kind))?;
    Some(markdown::Lines::new(text).at(body) + heading.lines.start)
}
