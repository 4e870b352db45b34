//! Lines of a resolved text with their origin.

use camino::Utf8Path;

use crate::markdown::Lines;
use crate::source::{FileId, SourceMap, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub origin: Span,
    pub shown: Option<Box<str>>,
}

impl Line {
    pub fn source(origin: Span) -> Self {
        Self { origin, shown: None }
    }

    pub fn inserted(origin: Span, shown: &str) -> Self {
        Self { origin, shown: Some(shown.into()) }
    }

    pub fn text<'a>(&'a self, sources: &'a SourceMap) -> &'a str {
        self.shown.as_deref().unwrap_or_else(|| sources.text(self.origin))
    }

    pub fn place<'a>(&self, sources: &'a SourceMap) -> (&'a Utf8Path, usize) {
        let origin = sources.original(self.origin);
        let file = sources.get(origin.file);
        (&file.path, file.line(origin.start))
    }
}

pub fn lines_of(sources: &SourceMap, file: FileId, bytes: std::ops::Range<usize>) -> Vec<Line> {
    let lines = Lines::new(&sources.get(file).text[bytes.clone()]);
    (0..lines.len())
        .map(|line| {
            let range = lines.range(line);
            Line::source(Span::new(file, bytes.start + range.start, bytes.start + range.end))
        })
        .collect()
}

pub(crate) fn below(heading: Line, lines: Vec<Line>, sources: &SourceMap) -> Vec<Line> {
    let is_apart = lines.first().is_some_and(|line| line.text(sources).trim().is_empty());
    let blank = (!is_apart).then(|| Line::inserted(heading.origin, ""));
    [heading].into_iter().chain(blank).chain(lines).collect()
}

pub fn trimmed<'l>(sources: &SourceMap, lines: &'l [Line]) -> &'l [Line] {
    let blank = |line: &Line| line.text(sources).trim().is_empty();
    let start = lines.iter().position(|line| !blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !blank(line)).map_or(start, |last| last + 1);
    &lines[start..end]
}

pub fn ending(text: &str) -> &'static str {
    let first = text.split_once('\n').map(|(first, _)| first);
    if first.is_some_and(|first| first.ends_with('\r')) { "\r\n" } else { "\n" }
}

pub fn join(sources: &SourceMap, lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.text(sources));
        text.push('\n');
    }
    text
}
