//! Changes to the lines of a body.

use std::ops::Range;

use crate::line::Line;
use crate::resolve::body::{Outline, is_blank};
use crate::source::{SourceMap, Span};

/// Separates a list from indented text.
const LIST_END: &str = "<!-- -->";

#[derive(Debug)]
pub(super) struct Patch {
    pub(super) replaces: Range<usize>,
    pub(super) lines: Vec<Line>,
    pub(super) set_off: bool,
    pub(super) gap: Option<Span>,
    /// Indented lines after it would join a list.
    pub(super) ends_in_list: bool,
    pub(super) closer: Option<String>,
}

impl Patch {
    pub(super) fn new(replaces: Range<usize>, lines: Vec<Line>) -> Self {
        Self { replaces, lines, set_off: false, gap: None, ends_in_list: false, closer: None }
    }
}

/// Patches in replaced lines are dropped.
pub(super) fn apply(body: &Outline<'_>, mut patches: Vec<Patch>) -> Vec<Line> {
    patches.sort_by_key(|patch| (patch.replaces.start, !patch.replaces.is_empty()));
    let last_said = body.trimmed(0..body.lines.len()).end;
    let count = patches.len();
    let mut writer = PatchWriter::new(body.sources, body.lines.len());
    let mut next = 0;
    for (index, patch) in patches.into_iter().enumerate() {
        if patch.replaces.start < next {
            continue;
        }
        writer.keep(body, next..patch.replaces.start, true);
        next = patch.replaces.end;
        let more = index + 1 < count || next < last_said;
        writer.put(patch, more);
    }
    writer.keep(body, next..body.lines.len(), false);
    writer.out
}

struct PatchWriter<'a> {
    sources: &'a SourceMap,
    out: Vec<Line>,
    gap: Option<Span>,
    after_list: bool,
}

impl<'a> PatchWriter<'a> {
    fn new(sources: &'a SourceMap, lines: usize) -> Self {
        Self { sources, out: Vec::with_capacity(lines), gap: None, after_list: false }
    }

    fn keep(&mut self, body: &Outline<'_>, lines: Range<usize>, more: bool) {
        for at in lines {
            self.push(body.lines[at].clone());
            if let Some(open) = body.open.as_ref().filter(|open| more && open.end == at + 1) {
                self.out.push(Line::inserted(body.lines[at].origin, &open.closer));
            }
        }
    }

    fn put(&mut self, patch: Patch, more: bool) {
        if let Some(gap) = patch.gap.filter(|_| patch.set_off) {
            self.set_off(gap);
        }
        self.gap = None;
        let last = patch.lines.last().map(|line| line.origin);
        self.out.extend(patch.lines);
        if let (true, Some(closer), Some(origin)) = (more, &patch.closer, last) {
            self.out.push(Line::inserted(origin, closer));
        }
        (self.gap, self.after_list) = (patch.gap, patch.ends_in_list);
    }

    fn push(&mut self, line: Line) {
        let text = line.text(self.sources);
        if let Some(gap) = self.gap.filter(|_| !is_blank(text)) {
            self.set_off(gap);
            if self.after_list && text.starts_with([' ', '\t']) {
                self.out.extend(list_end(gap));
            }
            self.gap = None;
        }
        self.out.push(line);
    }

    fn set_off(&mut self, gap: Span) {
        if self.out.last().is_some_and(|line| !is_blank(line.text(self.sources))) {
            self.out.push(Line::inserted(gap, ""));
        }
    }
}

pub(super) fn list_end(origin: Span) -> [Line; 2] {
    [Line::inserted(origin, LIST_END), Line::inserted(origin, "")]
}

pub(super) fn shallow_indent(text: &str) -> usize {
    let indent = text.len() - text.trim_start_matches(' ').len();
    let tab = text[indent..].starts_with('\t');
    if indent <= 3 && !tab { indent } else { 0 }
}

pub(super) fn dedent(sources: &SourceMap, line: &Line, columns: usize) -> Line {
    let text = line.text(sources);
    let cut = text.bytes().take(columns).take_while(|&byte| byte == b' ').count();
    if cut == 0 {
        return line.clone();
    }
    if line.shown.is_some() {
        return Line::inserted(line.origin, &text[cut..]);
    }
    let start = line.origin.range().start + cut;
    Line::source(Span::new(line.origin.file, start, line.origin.range().end))
}

pub(super) fn to_margin(body: &Outline<'_>, lines: Range<usize>) -> Vec<Line> {
    let columns = shallow_indent(body.text(lines.start));
    body.lines[lines].iter().map(|line| dedent(body.sources, line, columns)).collect()
}
