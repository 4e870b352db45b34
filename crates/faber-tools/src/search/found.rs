//! Search results with text and place.

use std::ops::Range;

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::search::item::{self, SearchItem, SourceType, TextLocation};
use crate::search::scope::Scope;
use faber_core::layer::LayerKind;
use faber_core::source::SourceMap;
use faber_core::tokens;
pub use faber_session::audit::kind::WEAK;
use faber_session::discover::files::Files;

/// A search result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    /// Its id, which `faber expand` takes.
    pub id: String,
    /// Its text; none in a preview.
    pub content: Option<String>,
    /// The beginning of its text.
    pub preview: String,
    /// Its relevance to the question, from 0 to 1; comparable between questions.
    pub relevance_score: f64,
    /// Its origin.
    pub source: Source,
    /// Whether it is hardly related: it may be about something else.
    pub weak: bool,
    /// The ids of the best five other passages of the same text, in groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<String>>,
    /// Its size in tokens, estimated.
    pub tokens: usize,
}

/// The origin of a result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Source {
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: SourceType,
    /// The scope of its highest layer.
    pub scope: Scope,
    /// Its highest layer; none for the history.
    pub layer: Option<LayerKind>,
    /// Its title.
    pub title: String,
    /// The file, from the workspace root.
    pub path: String,
    /// The pack that the text is of, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The line in the file, from 1.
    pub line: usize,
    /// Its owner.
    pub contributed_by: Option<String>,
    /// The date of its last change or validity, if known: `YYYY-MM-DD`.
    pub created_at: Option<String>,
}

pub fn id(item: &str, anchor: &str) -> String {
    match (anchor.is_empty(), item.contains('#')) {
        (true, _) => item.to_owned(),
        (false, false) => format!("{item}#{anchor}"),
        (false, true) if anchor.starts_with('~') => format!("{item}{anchor}"),
        (false, true) => format!("{item}/{anchor}"),
    }
}

#[derive(Debug, Default)]
pub struct DocumentText {
    pub text: String,
    /// Of the file.
    lines_before: usize,
}

impl DocumentText {
    /// Reads the text; `None` if its file has changed.
    pub fn read(item: &SearchItem, sources: &SourceMap, files: &Files) -> Option<Self> {
        match &item.body {
            TextLocation::Own { text, .. } => Some(Self { text: text.clone(), lines_before: 0 }),
            TextLocation::File(start, end, sum) => {
                let path = Utf8Path::new(&item.path);
                let text = match sources.find(path) {
                    Some(file) => sources.get(file).text.clone(),
                    None => files.read(path).ok()?,
                };
                let known = text.get(..*end).filter(|known| item::checksum(known) == *sum)?;
                let (before, own) = known.split_at_checked(*start)?;
                let lines_before = before.bytes().filter(|byte| *byte == b'\n').count();
                Some(Self { text: own.to_owned(), lines_before })
            }
        }
    }

    /// A part with LF line endings.
    pub fn part(&self, span: Range<usize>) -> String {
        self.text.get(span).unwrap_or_default().replace("\r\n", "\n")
    }

    /// File and line, from 1.
    pub fn place(&self, item: &SearchItem, at: usize) -> (String, usize) {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        if let TextLocation::Own { paths, origins, .. } = &item.body
            && let Some((path, line)) = origins.get(line)
            && let Some(path) = paths.get(*path as usize)
        {
            return (path.clone(), *line as usize);
        }
        (item.path.clone(), self.lines_before + line + 1)
    }
}

/// At most `max_chars` characters, on one line.
pub fn preview(text: &str, max_chars: usize) -> String {
    let text = faber_core::markdown::collapse(text);
    let Some((end, _)) = text.char_indices().nth(max_chars) else { return text };
    let head = &text[..end];
    let cut = head.rfind(' ').filter(|&at| at > end / 2).unwrap_or(end);
    format!("{}…", head[..cut].trim_end())
}

pub fn found(
    item: &SearchItem,
    whole: &DocumentText,
    chunk: (Range<usize>, &str),
    relevance: f64,
    has_role: bool,
) -> Found {
    let (span, anchor) = chunk;
    let content = whole.part(span.clone());
    let (path, line) = whole.place(item, span.start);
    Found {
        id: id(&item.id, anchor),
        preview: String::new(),
        relevance_score: relevance,
        weak: relevance < WEAK,
        passages: None,
        source: Source {
            kind: item.kind,
            scope: item.scope(has_role),
            layer: item.layers.last().copied(),
            title: item.title.clone(),
            path,
            pack: item.pack.clone(),
            line,
            contributed_by: item.owner.clone(),
            created_at: item.dated.map(|date| date.to_string()),
        },
        tokens: tokens::estimate(content.len()),
        content: Some(content),
    }
}

/// Questions of other fields share a word or two with most texts.
pub(crate) const MIN_KNOWN_SHARE: f64 = 0.2;

pub const NOTHING_KNOWN: &str = "Nothing on this is known.";
pub const WEAK_ONLY: &str = "Weak matches only: they may be about something else.";

/// The note before results; `best` is 0 without any.
pub fn status(best: f64) -> Option<&'static str> {
    match best {
        ..MIN_KNOWN_SHARE => Some(NOTHING_KNOWN),
        ..WEAK => Some(WEAK_ONLY),
        _ => None,
    }
}

pub fn ranked_with(encoder: &str) -> String {
    format!("Ranked with the encoder {encoder}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_the_chunk() {
        assert_eq!(id("standard/a", ""), "standard/a");
        assert_eq!(id("standard/a", "x/y~2"), "standard/a#x/y~2");
        assert_eq!(id("history/a#3", "~2"), "history/a#3~2");
        assert_eq!(id("history/a#3", "x"), "history/a#3/x");
    }

    #[test]
    fn distant_passages_do_not_count_as_known() {
        let said = [0.0, 0.19, 0.2, 0.44, 0.45, 1.0].map(status);
        let expected = [Some(NOTHING_KNOWN), Some(WEAK_ONLY), None];
        assert_eq!(said, [0, 0, 1, 1, 2, 2].map(|at: usize| expected[at]));
    }

    #[test]
    fn previews_end_between_words() {
        assert_eq!(preview("One  two\nthree", 200), "One two three");
        assert_eq!(preview("One two three", 9), "One two…");
        assert_eq!(preview("éééééééé", 3), "ééé…");
    }
}
