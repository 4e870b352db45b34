//! Places that readers of a rendered page do not see, from CommonMark, HTML and template languages.
//!
//! Comments of the page, link definitions for comments and hidden elements are in `hidden`.

use std::ops::Range;

use super::table::Table;
use super::{code, hidden, order, window};
use crate::parse::{fence, fields};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Attribute,
    Title,
    Description,
    InfoString,
    /// Of a template language.
    Template,
    /// Of front matter or a diagram.
    Comment,
    Field,
    CodeComment,
    FarBelow,
}

impl Place {
    pub(super) fn named(self) -> &'static str {
        match self {
            Place::Attribute => "an attribute",
            Place::Title => "the title of a link",
            Place::Description => "the description of an image",
            Place::InfoString => "the info string of a code block",
            Place::Template | Place::Comment => "a comment",
            Place::Field => "a field of the front matter",
            Place::CodeComment => "a comment in code",
            Place::FarBelow => "a text far below",
        }
    }
}

/// A label is shorter.
const MIN_WORDS: usize = 6;
const MAX_VALUE_BYTES: usize = 2048;
const MAX_LABEL_BYTES: usize = 600;
const MAX_COMMENT_BYTES: usize = 4096;
/// More blank lines than any layout needs.
const MANY_BLANK_LINES: usize = 40;

pub(super) fn find(text: &str, mut report: impl FnMut(Place, Range<usize>)) {
    let body = fence::body(text);
    front(text, body, &mut report);
    programs(text, body, &mut report);
    attributes(text, &mut report);
    titles(text, &mut report);
    definitions(text, body, &mut report);
    templates(text, &mut report);
    far_below(text, &mut report);
}

/// Without the marks of comments.
pub(super) fn plain(comment: &str) -> String {
    let line = |line| -> &str {
        let line: &str = str::trim(line);
        self::comment(line, MARKS).unwrap_or(line).trim()
    };
    comment.lines().map(line).collect::<Vec<_>>().join(" ")
}

fn is_long(text: &str) -> bool {
    text.split_whitespace().nth(MIN_WORDS - 1).is_some() || !text.is_ascii() && text.len() > 40
}

/// Comments and fields that faber does not know.
fn front(text: &str, body: usize, report: &mut impl FnMut(Place, Range<usize>)) {
    let mut field: Option<Range<usize>> = None;
    let mut comments = Comments::new(Place::Comment);
    for (start, line) in window::lines(&text[..body]) {
        let end = start + line.len();
        let trimmed = line.trim();
        if let Some(content) = comment(trimmed, &["#"]) {
            comments.add(text, start..end, content, report);
            continue;
        }
        comments.flush(text, report);
        if line.starts_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '"' | '\''))
        {
            take_field(text, field.take(), report);
            let key = trimmed.split(':').next().unwrap_or_default();
            let is_known = fields::is_known(key.trim_matches(['"', '\'']));
            let value = start + line.find(':').map_or(line.len(), |colon| colon + 1);
            field = (!is_known).then_some(value..end);
        } else if trimmed == "---" {
            take_field(text, field.take(), report);
        } else if let Some(field) = &mut field {
            field.end = end;
        }
    }
    comments.flush(text, report);
    take_field(text, field, report);
}

fn take_field(
    text: &str,
    field: Option<Range<usize>>,
    report: &mut impl FnMut(Place, Range<usize>),
) {
    if let Some(range) =
        field.map(|range| trimmed(text, range)).filter(|at| is_long(&text[at.clone()]))
    {
        report(Place::Field, range);
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start().len());
    start..start + inner.trim().len()
}

/// Lines of comments one below the other.
struct Comments {
    place: Place,
    range: Option<Range<usize>>,
    is_addressed: bool,
}

impl Comments {
    fn new(place: Place) -> Self {
        Self { place, range: None, is_addressed: false }
    }

    fn add(
        &mut self,
        text: &str,
        line: Range<usize>,
        content: &str,
        report: &mut impl FnMut(Place, Range<usize>),
    ) {
        let range = self.range.get_or_insert(line.start..line.start);
        range.end = line.end;
        self.is_addressed |= order::names_model(content);
        if range.len() > MAX_COMMENT_BYTES {
            self.flush(text, report);
        }
    }

    fn flush(&mut self, text: &str, report: &mut impl FnMut(Place, Range<usize>)) {
        let range = self.range.take();
        if std::mem::take(&mut self.is_addressed)
            && let Some(range) = range
        {
            report(self.place, trimmed(text, range));
        }
    }
}

const MARKS: &[&str] =
    &["#", "//", "--", "/*", "*", ";", "%", "<!--", "{#", "{{!", "<%--", "<#", "'", "rem ", "REM "];

fn comment<'a>(line: &'a str, marks: &[&str]) -> Option<&'a str> {
    let first = line.as_bytes().first()?;
    let mut marks = marks.iter().filter(|mark| mark.as_bytes()[0] == *first);
    marks.find_map(|mark| line.strip_prefix(mark))
}

const AFTER_CODE: Table =
    Table::new(&[" # ", " // ", " -- ", " /* ", " ; ", "\t# ", "\t// ", " <!-- "]);

/// After code in the same line, or the value of a key such as `_comment`.
fn trailing(line: &str) -> Option<&str> {
    if let Some(rest) = line.trim_start_matches(['{', '[', ' ']).strip_prefix('"') {
        let (key, value) = rest.split_once('"')?;
        let key = key.trim_start_matches(['$', '@']);
        let is_comment = key.starts_with(['_', '/', '#'])
            || ["comment", "note", "remark", "description"].contains(&key);
        return is_comment.then(|| value.trim_start_matches([':', ' ']));
    }
    AFTER_CODE.find_all(line).next().map(|(at, mark)| &line[at + mark.len()..])
}

/// Info strings and comments of code blocks.
fn programs(text: &str, body: usize, report: &mut impl FnMut(Place, Range<usize>)) {
    let fences = ["```", "~~~"].map(|mark| window::find_all(&text[body..], mark).next());
    let Some(first) = fences.into_iter().flatten().min() else { return };
    let first = body + first - window::line_before(text, body + first, MAX_VALUE_BYTES).len();
    let mut open: Option<&str> = None;
    let mut comments = Comments::new(Place::CodeComment);
    let first = first.max(body);
    for (start, line) in window::lines(&text[first..]) {
        let (start, end) = (first + start, first + start + line.len());
        match (code::fence(line), open) {
            (Some((run, info)), None) => {
                open = Some(run);
                let is_diagram = info.starts_with("mermaid");
                comments.place = if is_diagram { Place::Comment } else { Place::CodeComment };
                let offset = info.as_ptr() as usize - text.as_ptr() as usize;
                if is_long(info) {
                    report(Place::InfoString, offset..offset + info.len());
                }
            }
            (Some((run, "")), Some(opened)) if run.starts_with(opened) => {
                comments.flush(text, report);
                open = None;
            }
            (_, Some(_)) => {
                let trimmed = line.trim();
                if let Some(content) = comment(trimmed, MARKS) {
                    comments.add(text, start..end, content, report);
                    continue;
                }
                comments.flush(text, report);
                if let Some(content) = trailing(trimmed).filter(|it| order::names_model(it)) {
                    let offset = content.as_ptr() as usize - text.as_ptr() as usize;
                    report(comments.place, offset..offset + content.len());
                }
            }
            _ => {}
        }
    }
    comments.flush(text, report);
}

fn attributes(text: &str, report: &mut impl FnMut(Place, Range<usize>)) {
    for (needle, quote) in [("=\"", '"'), ("='", '\'')] {
        let mut done = 0;
        for at in window::find_all(text, needle) {
            if at < done {
                continue;
            }
            let value = window::after(text, at + 2, MAX_VALUE_BYTES);
            let Some(length) = value.find(quote) else { continue };
            done = at + 2 + length + 1;
            if is_long(&value[..length]) && hidden::tag(text, at).is_some() {
                report(Place::Attribute, at + 2..at + 2 + length);
            }
        }
    }
}

fn titles(text: &str, report: &mut impl FnMut(Place, Range<usize>)) {
    for at in window::find_all(text, "](") {
        let rest = window::after(text, at + 2, MAX_VALUE_BYTES);
        let address = rest.find([' ', '\n', ')']).filter(|&end| !rest[end..].starts_with(')'));
        if let Some(title) =
            address.and_then(|end| title(&rest[end..]).map(|(at, length)| (end + at, length)))
        {
            let start = at + 2 + title.0;
            report(Place::Title, start..start + title.1);
        }
        let lead = window::before(text, at, MAX_LABEL_BYTES);
        let open = lead.rfind('[').filter(|&open| lead[..open].ends_with('!'));
        if let Some(open) = open.filter(|open| is_long(&lead[open + 1..])) {
            report(Place::Description, at - (lead.len() - open - 1)..at);
        }
    }
}

/// Where the content of a title is, and its length.
fn title(rest: &str) -> Option<(usize, usize)> {
    let trimmed = rest.trim_start();
    let close = match trimmed.chars().next()? {
        '"' => '"',
        '\'' => '\'',
        '(' => ')',
        _ => return None,
    };
    let length = trimmed[1..].find(close)?;
    is_long(&trimmed[1..=length]).then_some((rest.len() - trimmed.len() + 1, length))
}

/// `[label]: address "title"`, the title also in the next line.
fn definitions(text: &str, body: usize, report: &mut impl FnMut(Place, Range<usize>)) {
    for at in window::find_all(&text[body..], "]:") {
        let at = body + at;
        let label = window::line_before(text, at, 300).trim_start();
        if !label.starts_with('[') || label.starts_with("[^") {
            continue;
        }
        let rest = window::after(text, at + 2, MAX_VALUE_BYTES);
        let lead = rest.len() - rest.trim_start_matches(' ').len();
        let Some(end) = rest[lead..].find([' ', '\n']).map(|end| lead + end) else { continue };
        let gap = rest[end..].len() - rest[end..].trim_start().len();
        if rest[end..end + gap].matches('\n').count() > 1 {
            continue;
        }
        if let Some((start, length)) = title(&rest[end..]) {
            let start = at + 2 + end + start;
            report(Place::Title, start..start + length);
        }
    }
}

/// Comments of template languages, and what HTML treats as one.
fn templates(text: &str, report: &mut impl FnMut(Place, Range<usize>)) {
    const PAIRS: &[(&str, &str)] = &[
        ("{#", "#}"),
        ("{/*", "*/}"),
        ("{{!--", "--}}"),
        ("{{!", "}}"),
        ("{{/*", "*/}}"),
        ("{% comment %}", "{% endcomment %}"),
        ("{%- comment -%}", "{%- endcomment -%}"),
        ("<%--", "--%>"),
        ("<%#", "%>"),
        ("<![CDATA[", "]]>"),
        ("<?", "?>"),
        ("<!", ">"),
    ];
    let mut done = 0;
    for at in memchr::memchr2_iter(b'{', b'<', text.as_bytes()) {
        let next = text.as_bytes().get(at + 1);
        let may_open = matches!(next, Some(b'#' | b'/' | b'{' | b'%' | b'!' | b'?'));
        if at < done || !may_open || text[at..].starts_with("<!--") {
            continue;
        }
        let Some((open, close)) = PAIRS.iter().find(|pair| text[at..].starts_with(pair.0)) else {
            continue;
        };
        let start = at + open.len();
        let rest = window::after(text, start, MAX_COMMENT_BYTES);
        let Some(length) = rest.find(close) else { continue };
        done = start + length;
        if is_long(&rest[..length]) {
            report(Place::Template, trimmed(text, start..start + length));
        }
    }
    let mut open = None;
    for at in window::find_all(text, "%%") {
        if let Some(start) = open.take().filter(|start| at - start < MAX_COMMENT_BYTES) {
            if is_long(&text[start..at]) {
                report(Place::Template, trimmed(text, start..at));
            }
        } else {
            let starts = window::line_before(text, at, 80).trim().is_empty();
            let is_attached = text[at + 2..].starts_with(|char: char| char.is_alphanumeric());
            open = (starts || is_attached).then_some(at + 2);
        }
    }
}

fn far_below(text: &str, report: &mut impl FnMut(Place, Range<usize>)) {
    let mut done = 0;
    for at in window::find_all(text, "\n\n\n") {
        if at < done {
            continue;
        }
        let rest = &text[at..];
        let next = rest.trim_start();
        let blank = &rest[..rest.len() - next.len()];
        done = at + blank.len();
        let lines = memchr::memchr_iter(b'\n', blank.as_bytes()).count();
        if lines > MANY_BLANK_LINES && !next.is_empty() {
            let length =
                next.find('\n').unwrap_or(next.len()).min(window::after(next, 0, 200).len());
            report(Place::FarBelow, done..done + length);
        }
    }
}
