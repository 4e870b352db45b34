mod front;
mod names;
mod yaml;

use std::ops::Range;

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionTextEdit, TextEdit,
};

use crate::lsp::ask::LspRequest;
use crate::lsp::mentions;
use crate::lsp::position::LineIndex;
use faber_core::category::Category;
use faber_core::markdown::{self, BlockKind, Slugs};
use faber_core::parse::fence::{self, Split};
use faber_core::rules;
use faber_core::source::Span;
use faber_core::workspace::survey::{FileEntry, FileKind};

pub(crate) use front::words_of;

pub(crate) struct Completion {
    text: String,
    inserted: String,
    about: String,
    kind: CompletionItemKind,
}

impl Completion {
    fn new(kind: CompletionItemKind, text: impl Into<String>, about: impl Into<String>) -> Self {
        let text = text.into();
        Self { inserted: text.clone(), text, about: about.into(), kind }
    }
}

type Choices = (Range<usize>, Vec<Completion>);

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
    let (replaced, choices) = if let Some(start) = yaml_start(entry, text, offset) {
        front::choices(ask, entry, &cursor, start)?
    } else {
        let (from, choices) = in_body(ask, entry, &cursor)?;
        (from..offset, choices)
    };
    Some(items(replaced, &choices, &places))
}

pub(crate) struct CursorPosition<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: &'a str,
    pub(crate) offset: usize,
}

fn yaml_start(entry: &FileEntry, text: &str, offset: usize) -> Option<usize> {
    if matches!(entry.kind, FileKind::Agent | FileKind::Config) {
        return Some(0);
    }
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    match fence::split(text) {
        Split::Closed(fences) | Split::Unclosed(fences)
            if fences.yaml <= offset && offset <= fences.yaml_end =>
        {
            Some(fences.yaml)
        }
        Split::Closed(_) => None,
        Split::Unclosed(fences) => text
            .get(fences.yaml..line_start)
            .is_some_and(|above| above.lines().all(|line| line.is_empty() || is_yaml(line)))
            .then_some(fences.yaml),
        Split::None { body } => {
            let (fence, above) = text.get(body..line_start)?.split_once('\n')?;
            let is_begun = fence.trim_end() == "---" && above.lines().all(is_yaml);
            is_begun.then_some(line_start - above.len())
        }
    }
}

/// It may belong to unclosed front matter.
fn is_yaml(line: &str) -> bool {
    line.starts_with([' ', '-']) || line.contains(':')
}

fn in_body(
    ask: &LspRequest<'_>,
    entry: &FileEntry,
    cursor: &CursorPosition<'_>,
) -> Option<(usize, Vec<Completion>)> {
    if let Some(begun) = after_last(cursor.line, "faber: allow ") {
        return Some(rules(cursor, begun));
    }
    if let Some(begun) = after_last(cursor.line, "faber: include ") {
        return Some(match begun.split_once('#') {
            Some((path, heading)) => {
                (cursor.offset - heading.len(), headings(ask, entry, path, false))
            }
            None => (cursor.offset - begun.len(), names::files(ask, begun)),
        });
    }
    let opens = |c: char| c.is_whitespace() || "`\"'([<|,".contains(c);
    let begun = cursor.line.rsplit(opens).next().unwrap_or_default();
    let opener = cursor.line[..cursor.line.len() - begun.len()].chars().next_back();
    if let Some((path, heading)) = begun.split_once('#')
        && (!path.is_empty() || opener == Some('('))
    {
        let is_link = opener == Some('(');
        return Some((cursor.offset - heading.len(), headings(ask, entry, path, is_link)));
    }
    let before = cursor.line[..cursor.line.len() - begun.len()].trim_end();
    let is_table = matches!(entry.kind, FileKind::Prompt | FileKind::Task | FileKind::Flow);
    let row = before.strip_suffix('|').filter(|_| is_table);
    let is_begun = begun.starts_with(['/', '@', '.'])
        || matches!(opener, Some('`' | '(' | '|'))
        || row.is_some_and(|row| !row.trim().is_empty());
    let is_name = Category::from_prefix(&format!("{begun}…")).is_some();
    let loads = cursor.line.to_lowercase().contains("load ");
    (is_begun || is_name || loads)
        .then(|| (cursor.offset - begun.len(), names::references(ask, begun)))
}

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

/// An empty path is this file.
fn headings(ask: &LspRequest<'_>, entry: &FileEntry, path: &str, is_link: bool) -> Vec<Completion> {
    let here = Span::start_of(entry.file);
    let files: Vec<_> = if path.is_empty() {
        vec![entry.file]
    } else {
        let names = mentions::MentionKind::Reference;
        let mention = mentions::IdMention { span: here, text: path.to_owned(), names };
        let target = mentions::target(ask.analysis, &mention);
        let places = target.map(|target| target.places(ask.analysis, None)).unwrap_or_default();
        places.into_iter().map(|span| span.file).collect()
    };
    files.into_iter().flat_map(|file| headings_of(ask.text(file), is_link)).collect()
}

fn headings_of(text: &str, is_link: bool) -> Vec<Completion> {
    let mut slugs = Slugs::default();
    let mut headings = Vec::new();
    for block in markdown::blocks(&text[fence::body(text)..]) {
        let BlockKind::Heading { level, text, id } = block.kind else { continue };
        let slug = slugs.next(&text);
        if text.is_empty() {
            continue;
        }
        let (name, about) =
            if is_link { (id.unwrap_or(slug), text) } else { (text, format!("heading {level}")) };
        headings.push(Completion::new(CompletionItemKind::REFERENCE, name, about));
    }
    headings
}

fn items(
    replaced: Range<usize>,
    choices: &[Completion],
    places: &LineIndex<'_>,
) -> Vec<CompletionItem> {
    let range = places.range(replaced);
    let item = |(at, choice): (usize, &Completion)| CompletionItem {
        label: choice.text.clone(),
        kind: Some(choice.kind),
        detail: Some(choice.about.clone()).filter(|about| !about.is_empty()),
        filter_text: Some(choice.text.clone()),
        sort_text: Some(format!("{at:05}")),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, choice.inserted.clone()))),
        ..CompletionItem::default()
    };
    choices.iter().enumerate().map(item).collect()
}
