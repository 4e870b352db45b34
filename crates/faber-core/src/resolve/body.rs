//! The lines and blocks of a body, and changes to them.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, TagEnd};

use crate::line::{self, Line};
use crate::markdown::{self, Block, BlockKind};
use crate::resolve::key::Prefix;
use crate::source::{SourceMap, Span};

#[derive(Debug)]
pub(super) struct Outline<'a> {
    pub(super) sources: &'a SourceMap,
    pub(super) lines: &'a [Line],
    pub(super) blocks: Vec<Block>,
    pub(super) open: Option<UnclosedBlock>,
    pub(super) known: BTreeSet<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnclosedBlock {
    pub(super) end: usize,
    pub(super) closer: String,
}

impl<'a> Outline<'a> {
    pub(super) fn new(sources: &'a SourceMap, lines: &'a [Line]) -> Self {
        let text = line::join(sources, lines);
        let mut body = Self {
            sources,
            lines,
            blocks: markdown::blocks(&text),
            open: None,
            known: BTreeSet::new(),
        };
        body.fix_definitions();
        for at in 0..body.blocks.len() {
            body.isolate(at);
        }
        body.open = body.find_open();
        body
    }

    pub(super) fn text(&self, line: usize) -> &'a str {
        self.lines[line].text(self.sources)
    }

    pub(super) fn is_blank(&self, line: usize) -> bool {
        is_blank(self.text(line))
    }

    /// The parser adds link definitions to a list or quote before them.
    fn fix_definitions(&mut self) {
        let mut fixed: Vec<Block> = Vec::with_capacity(self.blocks.len());
        for mut block in std::mem::take(&mut self.blocks) {
            if let Some(outside) = self.first_outside(&block) {
                let rest = outside..block.lines.end;
                block.lines = self.trimmed(block.lines.start..outside);
                if let BlockKind::List { items, .. } = &mut block.kind
                    && let Some(item) = items.last_mut()
                {
                    item.end = block.lines.end;
                }
                fixed.push(block);
                let others = self.paragraphs(rest).into_iter();
                fixed.extend(others.map(|lines| Block { kind: BlockKind::Other, lines }));
                continue;
            }
            let last = fixed.last_mut().filter(|last| {
                last.kind == BlockKind::Other && last.lines.end == block.lines.start
            });
            match last {
                Some(last) if !self.stands_alone(&block) => {
                    if heading_level(&block).is_some() {
                        last.kind = block.kind;
                    }
                    last.lines.end = block.lines.end;
                }
                _ => fixed.push(block),
            }
        }
        self.blocks = fixed;
    }

    fn stands_alone(&self, block: &Block) -> bool {
        let alone = markdown::blocks(&line::join(self.sources, &self.lines[block.lines.clone()]));
        let [alone] = &alone[..] else { return false };
        let is_same = std::mem::discriminant(&alone.kind) == std::mem::discriminant(&block.kind);
        is_same && block.kind != BlockKind::Other
    }

    fn first_outside(&self, block: &Block) -> Option<usize> {
        let (last, column) = match &block.kind {
            BlockKind::List { items, .. } => {
                let last = items.last()?.start;
                (last, Some(Prefix::of(self.text(last)).column))
            }
            BlockKind::Quote => (block.lines.start, None),
            _ => return None,
        };
        if !block.lines.clone().any(|line| self.text(line).contains("]:")) {
            return None;
        }
        let shown = block.lines.start + self.shown_lines(block.lines.clone());
        let behind = |line: usize| (line >= shown && shown > last) || self.is_blank(line - 1);
        let mut lines = last + 1..block.lines.end;
        lines.find(|&line| {
            let text = self.text(line);
            let is_inside = match column {
                Some(column) => indent(text) >= column,
                None => text.trim_start_matches(' ').starts_with('>'),
            };
            !is_blank(text) && !is_inside && behind(line)
        })
    }

    fn shown_lines(&self, lines: Range<usize>) -> usize {
        let text = line::join(self.sources, &self.lines[lines]);
        let is_container =
            |tag: TagEnd| matches!(tag, TagEnd::List(_) | TagEnd::Item | TagEnd::BlockQuote(_));
        let events = Parser::new_ext(&text, markdown::options()).into_offset_iter();
        let shown = events.filter(|(event, _)| match event {
            Event::Start(tag) => !is_container(tag.to_end()),
            Event::End(tag) => !is_container(*tag),
            _ => true,
        });
        let end = shown.map(|(_, bytes)| bytes.start + text[bytes].trim_end().len()).max();
        end.map_or(0, |end| markdown::Lines::new(&text).at(end.saturating_sub(1)) + 1)
    }

    fn paragraphs(&self, lines: Range<usize>) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for line in lines.filter(|&line| !self.is_blank(line)) {
            match found.last_mut() {
                Some(last) if last.end == line => last.end += 1,
                _ => found.push(line..line + 1),
            }
        }
        found
    }

    fn isolate(&mut self, at: usize) {
        let Block { kind, lines } = &self.blocks[at];
        let parts_are_compared =
            matches!(kind, BlockKind::Heading { .. } | BlockKind::Table { .. });
        if !parts_are_compared || !lines.clone().any(|line| self.text(line).contains('[')) {
            return;
        }
        let first = lines.start;
        let mut alone = markdown::blocks(&line::join(self.sources, &self.lines[lines.clone()]));
        if alone.len() != 1 {
            return;
        }
        match (&mut self.blocks[at].kind, alone.swap_remove(0).kind) {
            (heading @ BlockKind::Heading { .. }, alone @ BlockKind::Heading { .. }) => {
                *heading = alone;
            }
            (table @ BlockKind::Table { .. }, BlockKind::Table { header, rows }) => {
                let rows = rows.into_iter().map(|(line, cell)| (line + first, cell)).collect();
                *table = BlockKind::Table { header, rows };
            }
            _ => {}
        }
    }

    fn find_open(&self) -> Option<UnclosedBlock> {
        let block = self.blocks.last()?;
        let text = line::join(self.sources, &self.lines[block.lines.clone()]);
        let closer = markdown::closer_of(&block.kind, &text)?;
        Some(UnclosedBlock { end: block.lines.end, closer })
    }

    pub(super) fn is_known(&self, lines: &Range<usize>) -> bool {
        lines.clone().all(|line| self.known.contains(&line))
    }

    pub(super) fn may_have_title(&self) -> bool {
        let mut levels = self.blocks.iter().filter_map(heading_level).skip(1);
        !levels.any(|level| level == 1)
    }

    pub(super) fn title(&self) -> Option<(usize, &str)> {
        self.blocks.iter().find_map(|block| match &block.kind {
            BlockKind::Heading { level: 1, text, .. } => Some((block.lines.start, &**text)),
            _ => None,
        })
    }

    pub(super) fn is_silent(&self) -> bool {
        match &self.blocks[..] {
            [] => true,
            [block] => heading_level(block) == Some(1),
            _ => false,
        }
    }

    pub(super) fn trimmed(&self, lines: Range<usize>) -> Range<usize> {
        let end =
            lines.clone().rev().find(|&line| !self.is_blank(line)).map_or(lines.start, |at| at + 1);
        lines.start..end
    }

    pub(super) fn gap_before(&self, line: usize) -> Span {
        let before = line.checked_sub(1).filter(|&before| self.is_blank(before));
        self.lines[before.unwrap_or(line)].origin
    }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c))
}

fn indent(text: &str) -> usize {
    let space = text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    space.fold(0, |column, byte| if byte == b'\t' { column / 4 * 4 + 4 } else { column + 1 })
}

fn heading_level(block: &Block) -> Option<u8> {
    if let BlockKind::Heading { level, .. } = block.kind { Some(level) } else { None }
}

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

fn shallow_indent(text: &str) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::lines_of;

    fn lines(sources: &mut SourceMap, text: &str) -> Vec<Line> {
        let file = sources.add("a.md".into(), text.to_owned());
        lines_of(sources, file, 0..text.len())
    }

    #[test]
    fn definitions_are_blocks_that_can_stand_alone() {
        for (text, expected) in [
            ("- a\n- b\n\n[x]: /u\n[y]: /v\n\n[z]: /w\n", &[(0, 2), (3, 5), (6, 7)][..]),
            ("- ```\n  x\n[x]: /u\n", &[(0, 2), (2, 3)][..]),
            ("- a\n\n  [x]: /u\n", &[(0, 3)][..]),
            ("- a\n[x]: /u\n", &[(0, 2)][..]),
            ("[x]: /u\n    words\n\n    code\n", &[(0, 2), (3, 4)][..]),
            ("- [x]:\n/u\n", &[(0, 2)][..]),
            ("> a\n> [x]: /u\n\n[x]: /u\n", &[(0, 2), (3, 4)][..]),
        ] {
            let mut sources = SourceMap::default();
            let lines = lines(&mut sources, text);
            let found: Vec<_> = Outline::new(&sources, &lines)
                .blocks
                .into_iter()
                .map(|it| (it.lines.start, it.lines.end))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn blocks_that_run_to_the_end_are_known_with_what_closes_them() {
        let mut sources = SourceMap::default();
        let mut closer = |text: &str| {
            let lines = lines(&mut sources, text);
            Outline::new(&sources, &lines).open.map(|open| open.closer)
        };
        for (text, expected) in [
            ("a\n\n````x\n```\n\n", Some("````")),
            ("~~~", Some("~~~")),
            ("<!-- a\n\nb", Some("-->")),
            ("<?php", Some("?>")),
            ("<![CDATA[ x", Some("]]>")),
            ("<!X", Some(">")),
            ("<script>\nx", Some("</script>")),
            ("<div>\nx", None),
            ("```\n```", None),
            ("<!-- a -->", None),
            ("- ```", None),
        ] {
            assert_eq!(closer(text).as_deref(), expected, "{text}");
        }
    }
}
