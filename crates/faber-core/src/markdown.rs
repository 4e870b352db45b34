//! The top-level blocks of a Markdown text as ranges of lines.

mod attributes;
mod containers;
mod content;
mod definitions;
pub(crate) mod fences;
mod slugs;
mod tags;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::source::line_starts;

pub use attributes::{attribute_id, without_attributes};
pub use containers::Containers;
pub use content::says_nothing;
pub use definitions::Definitions;
pub use fences::{closer, closes, fence_of, is_plainly_closed, opening_fence, opens};
pub(crate) use fences::{closer_of, is_closed_at_sight};
pub use slugs::{SiblingSlugs, Slugs};
pub use tags::separate_tags;
pub(crate) use tags::separate_tags_without_examples;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    /// From 0, without blank lines after it.
    pub lines: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Heading {
        level: u8,
        text: String,
        id: Option<String>,
    },
    Paragraph,
    List {
        marker: char,
        items: Vec<Range<usize>>,
    },
    Table {
        header: Vec<String>,
        /// Line and first cell; code keeps its marks.
        rows: Vec<(usize, String)>,
    },
    Fence,
    IndentedCode,
    Quote,
    Container,
    Html,
    Rule,
    Other,
}

pub fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH
}

/// Places where the parser may begin something.
pub fn marks(text: &str) -> usize {
    let mut before = b' ';
    let is_mark = |byte: u8| {
        let is_number = before.is_ascii_digit();
        before = byte;
        match byte {
            b'.' | b')' => is_number,
            _ => b"\n\r&*+-<>[\\]_`|~".contains(&byte),
        }
    };
    text.bytes().map(is_mark).filter(|&is_mark| is_mark).count()
}

#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// Panics over 4 GiB.
    pub fn new(text: &'a str) -> Self {
        let mut starts = line_starts(text);
        if starts.last().is_some_and(|&last| last as usize == text.len()) {
            starts.pop();
        }
        Self { text, starts }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// From 0.
    pub fn at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }

    pub fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts[line] as usize;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |&next| next as usize);
        let text = &self.text[start..end];
        let text = text.strip_suffix('\n').unwrap_or(text);
        start..start + text.strip_suffix('\r').unwrap_or(text).len()
    }

    pub fn text(&self, line: usize) -> &'a str {
        &self.text[self.range(line)]
    }

    /// Panics if `lines` is empty.
    pub fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.range(lines.start).start..self.range(lines.end - 1).end
    }

    pub(crate) fn touched(&self, bytes: &Range<usize>) -> Range<usize> {
        let end = bytes.start + self.text[bytes.clone()].trim_end().len();
        self.at(bytes.start)..self.at(end.max(bytes.start + 1) - 1) + 1
    }
}

pub(crate) fn lines_outside_code(text: &str, lines: &Lines<'_>) -> impl Iterator<Item = usize> {
    let (_, code) = blocks_and_code(text, lines);
    (0..lines.len()).filter(move |&line| !has_line(&code, line))
}

pub(crate) fn blocks_and_code(text: &str, lines: &Lines<'_>) -> (Vec<Block>, Vec<Range<usize>>) {
    let mut code = Vec::new();
    let blocks = blocks_with_events(text, |event, bytes| {
        if matches!(event, Event::Start(Tag::CodeBlock(_))) {
            code.push(lines.touched(bytes));
        }
    });
    (blocks, code)
}

pub(crate) fn has_line(ranges: &[Range<usize>], line: usize) -> bool {
    let at = ranges.partition_point(|range| range.end <= line);
    ranges.get(at).is_some_and(|range| range.contains(&line))
}

pub fn blocks(text: &str) -> Vec<Block> {
    blocks_with_events(text, |_, _| {})
}

pub(crate) fn block_of(blocks: &[Block], line: usize) -> Option<&Block> {
    let at = blocks.partition_point(|block| block.lines.end <= line);
    blocks.get(at).filter(|block| block.lines.contains(&line))
}

pub(crate) fn blocks_with_events(
    text: &str,
    see: impl FnMut(&Event<'_>, &Range<usize>),
) -> Vec<Block> {
    let containers = Containers::of(text);
    containers.join(blocks_within(text, &containers, see))
}

/// With the blocks in containers instead of these; fences are [`BlockKind::Other`].
pub fn blocks_within(
    text: &str,
    containers: &Containers,
    mut see: impl FnMut(&Event<'_>, &Range<usize>),
) -> Vec<Block> {
    let mut shown = separate_tags(text);
    if !containers.is_empty() {
        containers.blank_fences(shown.to_mut());
    }
    let lines = Lines::new(&shown);
    let mut walk =
        BlockWalk { lines: &lines, text: &shown, depth: 0, found: Vec::new(), open: None };
    let options = options() | Options::ENABLE_GFM;
    for (event, range) in Parser::new_ext(&shown, options).into_offset_iter() {
        see(&event, &range);
        walk.event(event, range);
    }
    let mut found = walk.found;
    containers.complete_lists(&mut found);
    match shown {
        Cow::Borrowed(_) => with_gaps(&lines, found, containers),
        Cow::Owned(_) => with_gaps(&Lines::new(text), found, containers),
    }
}

pub fn has_paragraph(text: &str) -> bool {
    if !Containers::of(text).is_empty() {
        return blocks(text).iter().any(|block| block.kind == BlockKind::Paragraph);
    }
    let text = &*separate_tags(text);
    let lines = Lines::new(text);
    let mut walk = BlockWalk { lines: &lines, text, depth: 0, found: Vec::new(), open: None };
    let mut next = 0;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        walk.event(event, range);
        for block in walk.found.drain(..) {
            if next.max(block.lines.start) < block.lines.end {
                if block.kind == BlockKind::Paragraph {
                    return true;
                }
                next = block.lines.end;
            }
        }
    }
    false
}

fn with_gaps(lines: &Lines<'_>, found: Vec<Block>, containers: &Containers) -> Vec<Block> {
    let mut all = Vec::with_capacity(found.len());
    let mut next = 0;
    let gap = |from: usize, to: usize, all: &mut Vec<Block>| {
        let mut at = from;
        while at < to {
            if lines.text(at).trim().is_empty() {
                at += 1;
                continue;
            }
            let is_end =
                |&line: &usize| lines.text(line).trim().is_empty() || containers.is_fence(line);
            let end =
                if containers.is_fence(at) { at + 1 } else { (at..to).find(is_end).unwrap_or(to) };
            let is_tag = lines.text(at).trim_start().starts_with('<');
            let kind = if is_tag { BlockKind::Html } else { BlockKind::Other };
            all.push(Block { kind, lines: at..end });
            at = end;
        }
    };
    for mut block in found {
        block.lines.start = block.lines.start.max(next);
        if block.lines.is_empty() {
            continue;
        }
        gap(next, block.lines.start, &mut all);
        next = block.lines.end;
        all.push(block);
    }
    gap(next, lines.len(), &mut all);
    all
}

struct BlockWalk<'a> {
    lines: &'a Lines<'a>,
    text: &'a str,
    depth: usize,
    found: Vec<Block>,
    open: Option<OpenBlock>,
}

struct OpenBlock {
    kind: BlockKind,
    bytes: Range<usize>,
    cells: Vec<String>,
    in_head: bool,
}

impl BlockWalk<'_> {
    fn event(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::Start(tag) => {
                if self.depth == 0 {
                    self.open = Some(self.begin(&tag, bytes));
                } else if self.depth == 1 {
                    self.child(&tag, &bytes);
                } else if let (Tag::TableCell, Some(open)) = (&tag, &mut self.open) {
                    open.cells.push(String::new());
                }
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth -= 1;
                self.end(tag);
            }
            Event::Rule if self.depth == 0 => {
                let lines = self.lines.touched(&bytes);
                self.found.push(Block { kind: BlockKind::Rule, lines });
            }
            Event::Code(code) if self.is_in_row() => self.words(&format!("`{code}`")),
            Event::Text(text) | Event::Code(text) => self.words(&text),
            Event::SoftBreak | Event::HardBreak => self.words(" "),
            _ => {}
        }
    }

    fn begin(&self, tag: &Tag<'_>, bytes: Range<usize>) -> OpenBlock {
        let kind = match tag {
            Tag::Heading { level, .. } => {
                BlockKind::Heading { level: *level as u8, text: String::new(), id: None }
            }
            Tag::Paragraph => BlockKind::Paragraph,
            Tag::List(_) => {
                BlockKind::List { marker: marker(&self.text[bytes.clone()]), items: Vec::new() }
            }
            Tag::Table(_) => BlockKind::Table { header: Vec::new(), rows: Vec::new() },
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => BlockKind::Fence,
            Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::IndentedCode,
            Tag::BlockQuote(_) => BlockKind::Quote,
            Tag::HtmlBlock => BlockKind::Html,
            _ => BlockKind::Other,
        };
        OpenBlock { kind, bytes, cells: Vec::new(), in_head: false }
    }

    fn child(&mut self, tag: &Tag<'_>, bytes: &Range<usize>) {
        let Some(open) = &mut self.open else { return };
        match (tag, &mut open.kind) {
            (Tag::Item, BlockKind::List { items, .. }) => items.push(self.lines.touched(bytes)),
            (Tag::TableHead, _) => open.in_head = true,
            (Tag::TableRow, BlockKind::Table { rows, .. }) => {
                rows.push((self.lines.at(bytes.start), String::new()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if self.depth == 0 {
            let Some(open) = self.open.take() else { return };
            let mut kind = open.kind;
            if let BlockKind::Heading { text, id, .. } = &mut kind {
                *text = collapse(text);
                if text.ends_with('}') && ends_with_attributes(&self.text[open.bytes.clone()]) {
                    let (title, found) = without_attributes(text);
                    *id = found.map(str::to_owned);
                    *text = title.to_owned();
                }
            }
            self.found.push(Block { kind, lines: self.lines.touched(&open.bytes) });
            return;
        }
        let Some(open) = &mut self.open else { return };
        match (tag, &mut open.kind) {
            (TagEnd::TableHead, BlockKind::Table { header, .. }) => {
                *header = open.cells.drain(..).map(|cell| collapse(&cell)).collect();
                open.in_head = false;
            }
            (TagEnd::TableRow, BlockKind::Table { rows, .. }) => {
                if let (Some(row), Some(cell)) = (rows.last_mut(), open.cells.first()) {
                    row.1 = collapse(cell);
                }
                open.cells.clear();
            }
            _ => {}
        }
    }

    fn is_in_row(&self) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| matches!(open.kind, BlockKind::Table { .. }) && !open.in_head)
    }

    fn words(&mut self, words: &str) {
        let Some(open) = &mut self.open else { return };
        match &mut open.kind {
            BlockKind::Heading { text, .. } => text.push_str(words),
            BlockKind::Table { .. } => {
                if let Some(cell) = open.cells.last_mut() {
                    cell.push_str(words);
                }
            }
            _ => {}
        }
    }
}

fn ends_with_attributes(heading: &str) -> bool {
    let is_atx = heading.trim_start().starts_with('#');
    let lines = heading.trim_end();
    let title = if is_atx {
        lines.trim_end_matches('#')
    } else {
        lines.rsplit_once('\n').map_or(lines, |(title, _)| title)
    };
    without_attributes(title.trim_end()).0.len() < title.trim_end().len()
}

fn marker(list: &str) -> char {
    let list = list.trim_start();
    list.chars().find(|c| !c.is_ascii_digit()).unwrap_or('-')
}

/// Invalid `%` stay. `None` if not UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digit = |at: usize| tail.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        let code = match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).ok()
}

/// Without emphasis, code marks and link targets.
pub fn plain(line: &str) -> String {
    plain_if(line, |_| true)
}

/// As [`plain`], but brackets stay unless `text` defines them.
pub fn plain_in(line: &str, text: &str) -> String {
    let whole = Parser::new_ext(text, options());
    plain_if(line, |name| whole.reference_definitions().get(name).is_some())
}

fn plain_if(line: &str, is_defined: impl Fn(&str) -> bool) -> String {
    let mut defined = |link: BrokenLink<'_>| {
        is_defined(&link.reference).then_some((CowStr::Borrowed("#"), CowStr::Borrowed("")))
    };
    let parser = Parser::new_with_broken_link_callback(line, options(), Some(&mut defined));
    let mut out = String::new();
    for event in parser {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    collapse(&out)
}

pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::budget::strategies::markdown;

    #[test]
    fn marks_are_left_out_of_a_line() {
        for (line, words) in [
            ("Use **[Logit](logit.html)** and `x`.", "Use Logit and x."),
            ("See [naming][] and [the guide][g], [ours].", "See naming and the guide, ours."),
            ("2 * 3 * 4 is snake_case <b>here</b>", "2 * 3 * 4 is snake_case here"),
        ] {
            assert_eq!(plain(line), words);
        }
        let text = "[type]: see [the Guide][g] and [this](x).\n\n[G]: x\n";
        assert_eq!(plain_in(text.lines().next().unwrap(), text), "[type]: see the Guide and this.");
    }

    proptest! {
        #[test]
        fn a_paragraph_is_found_where_the_blocks_have_one(text in markdown()) {
            let is_paragraph = |block: &Block| block.kind == BlockKind::Paragraph;
            prop_assert_eq!(has_paragraph(&text), blocks(&text).iter().any(is_paragraph));
        }
    }

    fn kinds(text: &str) -> Vec<(&'static str, Range<usize>)> {
        let name = |kind: &BlockKind| match kind {
            BlockKind::Heading { .. } => "heading",
            BlockKind::Paragraph => "paragraph",
            BlockKind::List { .. } => "list",
            BlockKind::Table { .. } => "table",
            BlockKind::Fence => "fence",
            BlockKind::IndentedCode => "indented",
            BlockKind::Quote => "quote",
            BlockKind::Container => "container",
            BlockKind::Html => "html",
            BlockKind::Rule => "rule",
            BlockKind::Other => "other",
        };
        blocks(text).into_iter().map(|block| (name(&block.kind), block.lines)).collect()
    }

    #[test]
    fn blocks_cover_every_line_that_is_not_blank() {
        let text = "# T\n\npara\nmore\n\n- a\n  - b\n\n\n- c\n\n[x]: /u\n\n```rs\n# no\n\n```\n\n    code\n\n> q\n\n---\n<!-- c -->\n";
        assert_eq!(
            kinds(text),
            [
                ("heading", 0..1),
                ("paragraph", 2..4),
                ("list", 5..10),
                ("other", 11..12),
                ("fence", 13..17),
                ("indented", 18..19),
                ("quote", 20..21),
                ("rule", 22..23),
                ("html", 23..24),
            ]
        );
    }

    #[test]
    fn lists_and_tables_know_their_parts() {
        let found =
            blocks("1) a\n2) b\n   c\n\n| *K* | V |\n|---|---|\n| `x` y | 1 |\n| z | 2 |\n");
        assert_eq!(
            found[0].kind,
            BlockKind::List { marker: ')', items: vec![0..1, 1..3] },
            "an item ends where the next begins"
        );
        assert_eq!(
            found[1].kind,
            BlockKind::Table {
                header: vec!["K".into(), "V".into()],
                rows: vec![(6, "`x` y".into()), (7, "z".into())],
            }
        );
    }

    #[test]
    fn marks_are_what_a_parser_may_look_at() {
        assert_eq!(marks("plain text, 3 words (of course). Done: \u{fc}!"), 0);
        assert_eq!(marks("1. 2) a.b\r\n- `x` [a](b)\n"), 10);
        assert_eq!(marks("|||"), 3);
    }

    #[test]
    fn headings_lose_their_mark_up_and_may_be_setext() {
        let found = blocks("## A `b`  *c*\n\nD\n===\n");
        let heading =
            |level, text: &str| BlockKind::Heading { level, text: text.to_owned(), id: None };
        assert_eq!(found[0].kind, heading(2, "A b c"));
        assert_eq!((&found[1].kind, &found[1].lines), (&heading(1, "D"), &(2..4)));
    }

    #[test]
    fn an_attribute_list_is_no_part_of_a_heading() {
        let heading = |text: &str| match blocks(text).swap_remove(0).kind {
            BlockKind::Heading { text, id, .. } => (text, id.unwrap_or_default()),
            other => panic!("{other:?}"),
        };
        for (text, title, id) in [
            ("## In short? { #in-short }", "In short?", "in-short"),
            ("## A `b` {#own_long_id} ##", "A b", "own_long_id"),
            ("# T {: .wide #t data-x=\"1 2\" }", "T", "t"),
            ("T {.wide}\r\n===", "T", ""),
            ("## GET /users/{id}", "GET /users/{id}", ""),
            ("## Use `{#id}`", "Use {#id}", ""),
            ("## Use \\{#id}", "Use {#id}", ""),
            ("## {#id} first", "{#id} first", ""),
        ] {
            assert_eq!(heading(text), (title.to_owned(), id.to_owned()), "{text}");
        }
    }

    #[test]
    fn crlf_and_a_missing_last_line_break_change_nothing() {
        assert_eq!(kinds("# T\r\n\r\n- a\r\n- b"), [("heading", 0..1), ("list", 2..4)]);
        let lines = Lines::new("a\r\n\r\nb");
        assert_eq!((lines.len(), lines.text(0), lines.text(1), lines.text(2)), (3, "a", "", "b"));
        assert!(Lines::new("").is_empty() && blocks("").is_empty());
    }
}
