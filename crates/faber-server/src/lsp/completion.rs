//! Completion.

mod front;
mod names;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionTextEdit, TextEdit,
};

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions;
use crate::lsp::position::LineIndex;
use faber_core::markdown::{self, BlockKind};
use faber_core::parse::fence::{self, Split};
use faber_core::rules;
use faber_core::source::Span;
use faber_core::workspace::survey::{FileEntry, FileKind};

pub(crate) use front::words_of;

pub(crate) struct Completion {
    text: String,
    about: String,
    kind: CompletionItemKind,
}

impl Completion {
    fn new(kind: CompletionItemKind, text: impl Into<String>, about: impl Into<String>) -> Self {
        Self { text: text.into(), about: about.into(), kind }
    }
}

pub(crate) fn answer(
    ask: &LspRequest<'_>,
    params: &CompletionParams,
) -> Option<Vec<CompletionItem>> {
    let entry = ask.analysis.entry(ask.path)?;
    let text = ask.text(entry.file);
    let places = ask.places(entry.file);
    let offset = places.offset(params.text_document_position.position);
    let line = places.line(places.line_at(offset));
    let cursor = CursorPosition { text, line: &text[line.start..offset.max(line.start)], offset };
    let (from, choices) = match region(entry, text, offset) {
        Region::Yaml => front::choices(ask, entry, &cursor)?,
        Region::Body => in_body(ask, entry, &cursor)?,
    };
    Some(items(from..offset, &choices, &places))
}

pub(crate) struct CursorPosition<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: &'a str,
    pub(crate) offset: usize,
}

#[derive(Clone, Copy)]
enum Region {
    Yaml,
    Body,
}

fn region(entry: &FileEntry, text: &str, offset: usize) -> Region {
    if matches!(entry.kind, FileKind::Agent | FileKind::Config) {
        return Region::Yaml;
    }
    match fence::split(text) {
        Split::Closed(fences) | Split::Unclosed(fences)
            if fences.yaml <= offset && offset <= fences.yaml_end =>
        {
            Region::Yaml
        }
        Split::None { .. } | Split::Unclosed(_)
            if is_begun(&text[..text[..offset].rfind('\n').map_or(0, |at| at + 1)]) =>
        {
            Region::Yaml
        }
        _ => Region::Body,
    }
}

/// Front matter that is not closed yet.
fn is_begun(before: &str) -> bool {
    let mut lines = before.trim_start_matches('\u{feff}').lines();
    lines.next().is_some_and(|line| line.trim_end() == "---")
        && lines.all(|line| line.trim_end() != "---" && !line.trim().is_empty())
}

/// Rule names after `faber: allow`, and references.
fn in_body(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    cursor: &CursorPosition<'_>,
) -> Option<(usize, Vec<Completion>)> {
    if let Some(begun) = after_last(cursor.line, "faber: allow ") {
        return Some(rules(cursor, begun));
    }
    if let Some(begun) = after_last(cursor.line, "faber: include ") {
        let from = cursor.offset - begun.len();
        return Some(match begun.split_once('#') {
            Some((path, heading)) => (cursor.offset - heading.len(), headings(ask, entry, path)),
            None => (from, names::files(ask, begun)),
        });
    }
    let opens = |c: char| c.is_whitespace() || "`\"'([<|,".contains(c);
    let begun = cursor.line.rsplit(opens).next().unwrap_or_default();
    let opener = cursor.line[..cursor.line.len() - begun.len()].chars().next_back();
    if let Some((path, heading)) = begun.split_once('#')
        && (!path.is_empty() || opener == Some('('))
    {
        return Some((cursor.offset - heading.len(), headings(ask, entry, path)));
    }
    let is_begun = begun.starts_with(['/', '@', '.']) || matches!(opener, Some('`' | '(' | '|'));
    let is_name = faber_core::category::Category::from_prefix(begun).is_some();
    let loads = cursor.line.to_lowercase().contains("load ");
    (is_begun || is_name || loads)
        .then(|| (cursor.offset - begun.len(), names::references(ask, begun)))
}

/// `None` if `>` or `:` follows.
fn after_last<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let at = line.rfind(words)? + words.len();
    let rest = line[at..].trim_start();
    (!rest.contains(['>', ':'])).then_some(rest)
}

fn rules(cursor: &CursorPosition<'_>, begun: &str) -> (usize, Vec<Completion>) {
    let begun = begun.rsplit(',').next().unwrap_or_default().trim_start();
    (cursor.offset - begun.len(), rule_names())
}

fn rule_names() -> Vec<Completion> {
    rules::of_validate()
        .map(|rule| Completion::new(CompletionItemKind::CONSTANT, rule.code, rule.summary))
        .collect()
}

/// Of this file for an empty path.
fn headings(ask: &LspRequest<'_>, entry: &FileEntry, path: &str) -> Vec<Completion> {
    let here = Span::start_of(entry.file);
    let files: Vec<_> = if path.is_empty() {
        vec![entry.file]
    } else {
        let mention = mentions::IdMention {
            span: here,
            text: path.to_owned(),
            names: mentions::MentionKind::Reference,
        };
        let target = mentions::target(ask.analysis, &mention);
        let places = target.map(|target| target.places(ask.analysis, None)).unwrap_or_default();
        places.into_iter().map(|span| span.file).collect()
    };
    files.into_iter().flat_map(|file| headings_of(ask.text(file))).collect()
}

pub(crate) fn headings_of(text: &str) -> Vec<Completion> {
    let blocks = markdown::blocks(&text[fence::body(text)..]).into_iter();
    let heading = |kind: BlockKind| match kind {
        BlockKind::Heading { level, text, .. } if !text.is_empty() => Some((level, text)),
        _ => None,
    };
    let headings = blocks.filter_map(|block| heading(block.kind));
    headings
        .map(|(level, text)| {
            Completion::new(CompletionItemKind::REFERENCE, text, format!("heading {level}"))
        })
        .collect()
}

fn items(
    replaced: std::ops::Range<usize>,
    choices: &[Completion],
    places: &LineIndex<'_>,
) -> Vec<CompletionItem> {
    let range = places.range(replaced);
    let item = |(at, choice): (usize, &Completion)| CompletionItem {
        label: choice.text.clone(),
        kind: Some(choice.kind),
        detail: Some(choice.about.clone()).filter(|about| !about.is_empty()),
        filter_text: Some(choice.text.clone()),
        // Keeps the order of the table.
        sort_text: Some(format!("{at:05}")),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range,
            new_text: choice.text.clone(),
        })),
        ..CompletionItem::default()
    };
    choices.iter().enumerate().map(item).collect()
}
