//! Builds the block tree from parser events, without recursion.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::inline::{Inline, SegmentKind};
use super::{ListItem, ProseBlock, ProseNode, Table};
use crate::markdown::{self, Lines};

const MAX_DEPTH: usize = 16;

pub(super) fn blocks(text: &str, lines: &Lines<'_>) -> Vec<ProseBlock> {
    let mut walk = EventWalk {
        text,
        lines,
        frames: vec![OpenFrame { bytes: 0..text.len(), ..OpenFrame::default() }],
        skipped: 0,
        strong: 0,
        hidden: 0,
    };
    for (event, bytes) in
        Parser::new_ext(&markdown::separate_tags_without_examples(text), markdown::options())
            .into_offset_iter()
    {
        walk.event(event, bytes);
    }
    walk.frames.swap_remove(0).blocks
}

struct EventWalk<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    frames: Vec<OpenFrame>,
    skipped: usize,
    strong: usize,
    hidden: usize,
}

#[derive(Default)]
struct OpenFrame {
    kind: OpenContainer,
    bytes: Range<usize>,
    inline: Inline,
    own: Option<Range<usize>>,
    blocks: Vec<ProseBlock>,
    items: Vec<ListItem>,
    cells: Vec<Inline>,
    rows: Vec<Vec<Inline>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum OpenContainer {
    #[default]
    Root,
    Heading(u8),
    Paragraph,
    List,
    Item,
    Table,
    Row,
    Cell,
    Quote,
    Opaque,
}

impl EventWalk<'_> {
    fn event(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, bytes),
            Event::End(tag) => self.end(tag, bytes),
            _ if self.is_opaque() => {}
            Event::Rule => self.add(ProseNode::Opaque, &bytes),
            Event::Text(words) => self.words(&words, bytes, SegmentKind::Plain),
            Event::Code(words) => {
                let inner = self.inside(&bytes, &words);
                self.words(&words, inner, SegmentKind::Code);
            }
            Event::SoftBreak | Event::HardBreak => self.words("\n", bytes, SegmentKind::Plain),
            Event::InlineHtml(html) if html.starts_with("<br") => {
                self.words(",", bytes, SegmentKind::Plain);
            }
            _ => {}
        }
    }

    fn is_opaque(&self) -> bool {
        self.skipped > 0 || self.frames.last().is_some_and(|it| it.kind == OpenContainer::Opaque)
    }

    fn start(&mut self, tag: &Tag<'_>, bytes: Range<usize>) {
        if let Some(kind) = kind(tag) {
            if self.is_opaque() {
                self.skipped += 1;
                return;
            }
            let deep = self.frames.len() > MAX_DEPTH
                && matches!(kind, OpenContainer::List | OpenContainer::Quote);
            let kind = if deep { OpenContainer::Opaque } else { kind };
            return self.frames.push(OpenFrame { kind, bytes, ..OpenFrame::default() });
        }
        match tag {
            Tag::Strong => self.strong += 1,
            Tag::Image { .. } => self.hidden += 1,
            Tag::Link { dest_url, .. } => {
                if !self.is_opaque() {
                    let inner = self.inside(&bytes, dest_url);
                    self.words(dest_url, inner, SegmentKind::Link);
                }
                self.hidden += 1;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, bytes: Range<usize>) {
        match tag {
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.hidden = self.hidden.saturating_sub(1),
            TagEnd::Emphasis | TagEnd::Strikethrough | TagEnd::Superscript | TagEnd::Subscript => {}
            _ if self.skipped > 0 => self.skipped -= 1,
            _ => {
                if self.frames.len() > 1
                    && let Some(frame) = self.frames.pop()
                {
                    self.close(frame, bytes);
                }
            }
        }
    }

    fn close(&mut self, frame: OpenFrame, bytes: Range<usize>) {
        let Some(parent) = self.frames.last_mut() else { return };
        let node = match frame.kind {
            OpenContainer::Root => return,
            OpenContainer::Paragraph => return self.paragraph(frame.inline, bytes),
            OpenContainer::Item => {
                let first = frame.bytes.start;
                let own = self.lines.touched(&frame.own.unwrap_or(first..first));
                let (inline, children) = (frame.inline, frame.blocks);
                return parent.items.push(ListItem { inline, own, children });
            }
            OpenContainer::Row => return parent.rows.push(frame.cells),
            OpenContainer::Cell => return parent.cells.push(frame.inline),
            OpenContainer::Heading(level) => ProseNode::Heading(level, frame.inline),
            OpenContainer::List => ProseNode::List(frame.items),
            OpenContainer::Quote => ProseNode::Quote(frame.blocks),
            OpenContainer::Opaque => ProseNode::Opaque,
            OpenContainer::Table => {
                let mut rows = frame.rows.into_iter();
                let header = rows.next().unwrap_or_default();
                ProseNode::Table(Table { header, rows: rows.collect() })
            }
        };
        self.add(node, &bytes);
    }

    fn paragraph(&mut self, inline: Inline, bytes: Range<usize>) {
        match self.frames.last_mut() {
            Some(item)
                if item.kind == OpenContainer::Item
                    && item.own.is_none()
                    && item.blocks.is_empty() =>
            {
                item.inline = inline;
                item.own = Some(bytes);
            }
            _ => self.add(ProseNode::Paragraph(inline), &bytes),
        }
    }

    fn add(&mut self, node: ProseNode, bytes: &Range<usize>) {
        let lines = self.lines.touched(bytes);
        if let Some(frame) = self.frames.last_mut() {
            frame.blocks.push(ProseBlock { node, lines });
        }
    }

    fn words(&mut self, words: &str, bytes: Range<usize>, kind: SegmentKind) {
        if self.hidden > 0 {
            return;
        }
        let strong = self.strong > 0;
        let lines = self.lines.touched(&bytes);
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.kind == OpenContainer::Item {
            if frame.blocks.is_empty() {
                let start = frame.own.as_ref().map_or(bytes.start, |own| own.start);
                frame.own = Some(start..bytes.end);
            } else {
                if let Some(ProseBlock { node: ProseNode::Paragraph(inline), lines: all }) =
                    frame.blocks.last_mut()
                {
                    all.end = all.end.max(lines.end);
                    inline.push(words, bytes, kind, strong);
                    return;
                }
                let mut inline = Inline::default();
                inline.push(words, bytes, kind, strong);
                frame.blocks.push(ProseBlock { node: ProseNode::Paragraph(inline), lines });
                return;
            }
        }
        frame.inline.push(words, bytes, kind, strong);
    }

    fn inside(&self, bytes: &Range<usize>, words: &str) -> Range<usize> {
        match self.text[bytes.clone()].rfind(words) {
            Some(at) => bytes.start + at..bytes.start + at + words.len(),
            None => bytes.clone(),
        }
    }
}

fn kind(tag: &Tag<'_>) -> Option<OpenContainer> {
    Some(match tag {
        Tag::Heading { level, .. } => OpenContainer::Heading(*level as u8),
        Tag::Paragraph => OpenContainer::Paragraph,
        Tag::List(_) => OpenContainer::List,
        Tag::Item => OpenContainer::Item,
        Tag::Table(_) => OpenContainer::Table,
        Tag::TableHead | Tag::TableRow => OpenContainer::Row,
        Tag::TableCell => OpenContainer::Cell,
        Tag::BlockQuote(_) => OpenContainer::Quote,
        Tag::Emphasis
        | Tag::Strong
        | Tag::Strikethrough
        | Tag::Superscript
        | Tag::Subscript
        | Tag::Link { .. }
        | Tag::Image { .. } => return None,
        _ => OpenContainer::Opaque,
    })
}
