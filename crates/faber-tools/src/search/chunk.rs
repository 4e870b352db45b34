//! Splits texts into chunks: joins small sections, splits long ones.

use std::ops::Range;
use std::rc::Rc;

use faber_core::budget::focus::introduces;
use faber_core::markdown::{self, Block, BlockKind, Lines, SiblingSlugs};
use faber_core::source::char_boundary;

const JOINED: usize = 1_600;
/// 512 tokens of 4 bytes.
pub(super) const MAX_CHUNK_BYTES: usize = 2_048;
/// In bytes.
const LEAD: usize = MAX_CHUNK_BYTES / 4;
/// In bytes.
const HEADING: usize = 200;
const HEADINGS: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Chunks cover all non-blank text.
    pub span: Range<usize>,
    /// Heading slugs, as `a/b`, or `a/b~2` for the second part; empty for a whole text, `~1` before
    /// headings.
    pub anchor: String,
    pub headings: String,
    pub body: Vec<Range<usize>>,
}

type Part = (Range<usize>, Vec<Range<usize>>);

struct ChunkSection {
    path: Vec<(Rc<str>, Rc<str>)>,
    lines: Range<usize>,
    blocks: Vec<Range<usize>>,
    leads: bool,
}

impl ChunkSection {
    fn new(path: Vec<(Rc<str>, Rc<str>)>, lines: Range<usize>) -> Self {
        Self { path, lines, blocks: Vec::new(), leads: true }
    }
}

pub(crate) fn chunks(text: &str) -> Vec<Chunk> {
    let lines = Lines::new(text);
    let (title, sections) = sections(text, &lines);
    let mut chunker = Chunker { text, lines, title, found: Vec::new() };
    let mut rest = &sections[..];
    while let Some(first) = rest.first() {
        let joined = chunker.joined(first, rest);
        let (lead, joined) = chunker.with_text(rest, joined);
        chunker.add(&rest[..joined], lead);
        rest = &rest[joined..];
    }
    let mut found = chunker.found;
    if found.len() > 1
        && let Some(first) = found.first_mut().filter(|first| first.anchor.is_empty())
    {
        "~1".clone_into(&mut first.anchor);
    }
    found
}

/// A section of a joined chunk.
pub(crate) struct PassageSection {
    /// With its subsections.
    pub span: Range<usize>,
    /// Without them.
    pub own: Range<usize>,
    pub anchor: String,
    pub heading: Rc<str>,
    pub above: Vec<Rc<str>>,
}

pub(crate) fn sections_in(text: &str, span: &Range<usize>) -> Vec<PassageSection> {
    let lines = Lines::new(text);
    let (title, all) = sections(text, &lines);
    let title: Option<Rc<str>> = title.map(Into::into);
    let start = |section: &ChunkSection| lines.range(section.lines.start).start;
    let sections = all.iter().enumerate().filter(|(_, section)| span.contains(&start(section)));
    let found = sections.filter_map(|(at, section)| {
        let (heading, above) = section.path.split_last()?;
        let is_below = |next: &&ChunkSection| next.path.starts_with(&section.path);
        let last = all[at..].iter().take_while(is_below).last()?;
        let until = |last: &ChunkSection| {
            let end = lines.range(last.lines.end - 1).end.min(span.end);
            trim(text, start(section)..end)
        };
        let slugs: Vec<&str> = section.path.iter().map(|(slug, _)| &**slug).collect();
        Some(PassageSection {
            span: until(last),
            own: until(section),
            anchor: slugs.join("/"),
            heading: heading.1.clone(),
            above: title.iter().chain(above.iter().map(|(_, text)| text)).cloned().collect(),
        })
    });
    found.collect()
}

fn beginning(text: &str, most: usize) -> &str {
    &text[..char_boundary(text, most)]
}

fn sections(text: &str, lines: &Lines<'_>) -> (Option<String>, Vec<ChunkSection>) {
    let blocks = markdown::blocks(text);
    let level = |block: &Block| match block.kind {
        BlockKind::Heading { level, .. } => Some(level),
        _ => None,
    };
    let mut slugs = SiblingSlugs::new(blocks.iter().filter_map(level));
    let mut title = None;
    let mut open: Vec<(u8, Rc<str>, Rc<str>)> = Vec::new();
    let mut sections = vec![ChunkSection::new(Vec::new(), 0..lines.len())];
    for block in blocks {
        let BlockKind::Heading { level, text, .. } = block.kind else {
            let section = sections.last_mut().expect("there is a first");
            section.leads &= leads(&text[lines.bytes(&block.lines)]);
            section.blocks.push(block.lines);
            continue;
        };
        open.retain(|(above, ..)| *above < level);
        let slug = slugs.next(level, &text);
        let text = beginning(&text, HEADING);
        let Some(slug) = slug else {
            title = Some(text.to_owned());
            continue;
        };
        open.push((level, slug.into(), text.into()));
        let path = open.iter().map(|(_, slug, text)| (slug.clone(), text.clone())).collect();
        sections.last_mut().expect("there is a first").lines.end = block.lines.start;
        sections.push(ChunkSection::new(path, block.lines.start..lines.len()));
    }
    (title, sections)
}

struct Chunker<'a> {
    text: &'a str,
    lines: Lines<'a>,
    title: Option<String>,
    found: Vec<Chunk>,
}

impl Chunker<'_> {
    fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        if lines.is_empty() {
            return 0..0;
        }
        let start = self.lines.range(lines.start).start;
        trim(self.text, start..self.lines.range(lines.end - 1).end)
    }

    fn joined(&self, first: &ChunkSection, rest: &[ChunkSection]) -> usize {
        let above = &first.path[..first.path.len().saturating_sub(1)];
        let start = self.bytes(first.lines.clone()).start;
        let fits = |last: &&ChunkSection| {
            let end = self.bytes(last.lines.clone()).end;
            last.path.starts_with(above) && end.saturating_sub(start) <= JOINED
        };
        1 + rest[1..].iter().take_while(fits).count()
    }

    fn with_text(&self, rest: &[ChunkSection], joined: usize) -> (usize, usize) {
        let has_text = |&at: &usize| {
            let next = rest.get(at + 1).filter(|_| rest[at].leads);
            !next.is_some_and(|next| next.path.starts_with(&rest[at].path))
        };
        if let Some(last) = (0..joined).rfind(has_text) {
            return (0, last + 1);
        }
        let text = (joined..rest.len()).find(has_text).expect("nothing is below the last");
        let lead = self.bytes(rest[0].lines.start..rest[text].lines.start);
        if lead.len() <= LEAD { (text, text + 1) } else { (0, joined) }
    }

    fn add(&mut self, sections: &[ChunkSection], lead: usize) {
        let (first, last) = (&sections[lead], &sections[sections.len() - 1]);
        let span = self.bytes(sections[0].lines.start..last.lines.end);
        if span.is_empty() {
            return;
        }
        let slugs: Vec<&str> = first.path.iter().map(|(slug, _)| &**slug).collect();
        let anchor = slugs.join("/");
        let headings = self.headings(sections);
        if span.len() <= MAX_CHUNK_BYTES {
            let blocks = sections.iter().flat_map(|section| section.blocks.iter().cloned());
            let body = blocks.map(|lines| self.bytes(lines)).collect();
            self.found.push(Chunk { span, anchor, headings, body });
            return;
        }
        let blocks = sections[..=lead].iter().flat_map(|section| &section.blocks);
        for (at, (span, body)) in self.split(span, blocks).into_iter().enumerate() {
            let anchor = if at == 0 { anchor.clone() } else { format!("{anchor}~{}", at + 1) };
            self.found.push(Chunk { span, anchor, headings: headings.clone(), body });
        }
    }

    fn headings(&self, sections: &[ChunkSection]) -> String {
        let mut texts: Vec<&str> = self.title.iter().map(String::as_str).collect();
        let mut bytes = 0;
        for (at, section) in sections.iter().enumerate() {
            let known = if at == 0 { 0 } else { section.path.len().saturating_sub(1) };
            texts.extend(section.path[known..].iter().map(|(_, text)| &**text));
            bytes += section.path.last().map_or(0, |(_, text)| text.len());
            if bytes > HEADINGS {
                break;
            }
        }
        beginning(&texts.join("\n"), HEADINGS).to_owned()
    }

    fn split<'s>(
        &self,
        span: Range<usize>,
        blocks: impl Iterator<Item = &'s Range<usize>>,
    ) -> Vec<Part> {
        let mut parts: Vec<Part> = vec![(span.start..span.start, Vec::new())];
        for lines in blocks {
            let block = self.bytes(lines.clone());
            let (part, body) = parts.last_mut().expect("there is a first");
            let mut start = part.start;
            if block.end - start > MAX_CHUNK_BYTES {
                let leads = |piece: &Range<usize>| {
                    block.start - piece.start <= LEAD && leads(&self.text[piece.clone()])
                };
                let last = body.iter().rposition(|piece| !leads(piece));
                if let Some(last) = last {
                    let lead = body.split_off(last + 1);
                    part.end = body[last].end;
                    start = lead.first().unwrap_or(&block).start;
                    parts.push((start..start, lead));
                }
            }
            let lead = if block.len() > MAX_CHUNK_BYTES { block.start - start } else { 0 };
            let room = MAX_CHUNK_BYTES.saturating_sub(lead).max(LEAD);
            for (at, piece) in self.pieces(block, room).into_iter().enumerate() {
                if at > 0 {
                    parts.push((piece.clone(), Vec::new()));
                }
                let (part, body) = parts.last_mut().expect("there is a first");
                part.end = piece.end;
                body.push(piece);
            }
        }
        parts.retain(|(span, _)| !span.is_empty());
        if parts.is_empty() { vec![(span, Vec::new())] } else { parts }
    }

    fn pieces(&self, block: Range<usize>, room: usize) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut rest = block;
        let mut most = room;
        while rest.len() > most {
            let cut = rest.start + cut(&self.text[rest.clone()], most);
            pieces.push(trim(self.text, rest.start..cut));
            rest = cut..rest.end;
            most = MAX_CHUNK_BYTES;
        }
        pieces.push(trim(self.text, rest));
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

/// Whether a block says nothing without what follows.
fn leads(block: &str) -> bool {
    let block = block.trim();
    introduces(block) || block.starts_with("<!--") || !block.contains(char::is_alphanumeric)
}

fn cut(text: &str, most: usize) -> usize {
    let head = beginning(text, most);
    let breaks = [head.rfind("\n\n"), head.rfind('\n'), head.rfind(' ')];
    breaks.into_iter().flatten().find(|&at| at > most / 4).unwrap_or(head.len())
}

fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..(start + part.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn anchors(text: &str) -> Vec<(String, &str)> {
        chunks(text).into_iter().map(|chunk| (chunk.anchor, &text[chunk.span])).collect()
    }

    #[test]
    fn a_small_text_is_one_chunk() {
        let text = "# Title\n\nLead.\n\n## A\n\na\n\n## B\n\nb\n";
        assert_eq!(anchors(text), [(String::new(), text.trim())]);
        assert_eq!(chunks(text)[0].headings, "Title\nA\nB");
        let body: Vec<&str> = chunks(text)[0].body.iter().map(|b| &text[b.clone()]).collect();
        assert_eq!(body, ["Lead.", "a", "b"]);
        assert!(chunks(" \n\n").is_empty() && chunks("").is_empty());
    }

    #[test]
    fn sections_under_one_heading_are_joined_while_they_are_small() {
        let long = "word ".repeat(318);
        let text = format!(
            "# T\n\n{long}\n## A\n\n{long}\n### A one\n\nx\n\n### A two\n\ny\n\n## B\n\nz\n"
        );
        let found = anchors(&text);
        let names: Vec<&str> = found.iter().map(|(anchor, _)| &**anchor).collect();
        assert_eq!(names, ["~1", "a", "a/a-one", "b"]);
        assert!(found[2].1.ends_with("### A two\n\ny"));
        assert_eq!(chunks(&text)[2].headings, "T\nA\nA one\nA two");
    }

    #[test]
    fn long_sections_are_split_between_blocks() {
        let block = "word ".repeat(200);
        let text = format!("## Long one\n\n{block}\n\n{block}\n\n{block}\n");
        let found = anchors(&text);
        assert_eq!(found.len(), 2);
        assert_eq!((&*found[0].0, &*found[1].0), ("long-one", "long-one~2"));
        assert!(found[0].1.starts_with("## Long one") && found[1].1 == block.trim());
        let line = "x".repeat(5 * MAX_CHUNK_BYTES);
        assert_eq!(anchors(&line).len(), 5);
        assert_eq!(anchors(&line)[0].0, "~1");
    }

    #[test]
    fn headings_and_lead_ins_stay_with_what_they_introduce() {
        let (item, para) = ("- item of a list\n", "word ".repeat(300));
        let (list, short) = (item.repeat(150), item.repeat(110));
        for (text, expected) in [
            (
                format!("# T\n\n## A\n\nNever:\n\n{list}"),
                &[("a", "# T", "list"), ("a~2", "- item", "list")][..],
            ),
            (
                format!("## A\n\n{para}\n\nNever:\n\n{short}"),
                &[("a", "## A", "word"), ("a~2", "Never:", "list")],
            ),
            (
                format!("## A\n\n### B\n\n{list}\n### C\n\n{list}"),
                &[
                    ("a/b", "## A", "list"),
                    ("a/b~2", "- item", "list"),
                    ("a/c", "### C", "list"),
                    ("a/c~2", "- item", "list"),
                ],
            ),
            (
                format!("## A\n\nText.\n\n## B\n\n<!-- toc -->\n\n### C\n\n{short}"),
                &[("~1", "## A", "Text."), ("b/c", "## B", "list")],
            ),
            (
                format!("## A\n\nText.\n\n## B\n\n## C\n\n{short}"),
                &[("~1", "## A", "## B"), ("c", "## C", "list")],
            ),
        ] {
            let found = anchors(&text);
            let names: Vec<&str> = found.iter().map(|(anchor, _)| &**anchor).collect();
            assert_eq!(names, expected.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
            for ((_, part), (name, start, end)) in found.iter().zip(expected) {
                assert!(part.starts_with(start) && part.ends_with(end), "{name}: {part}");
            }
        }
    }

    #[test]
    fn headings_of_one_text_have_anchors_of_their_own() {
        let long = "word ".repeat(320);
        let text =
            format!("## Use\n\n{long}\n## Use\n\n{long}\n# One\n\n{long}\n# Two\n\n{long}\n");
        let names: Vec<String> = anchors(&text).into_iter().map(|(anchor, _)| anchor).collect();
        assert_eq!(names, ["use", "use-1", "one", "two"]);
        let text =
            format!("## A\n\n### Use\n\n{long}\n## B\n\n### Use\n\n{long}\n## ?\n\n{long}\n");
        let names: Vec<String> = anchors(&text).into_iter().map(|(anchor, _)| anchor).collect();
        assert_eq!(names, ["a/use", "b/use", "section"]);
    }

    #[test]
    fn headings_that_many_sections_repeat_are_short() {
        let text = format!("## {}\n{}", "word ".repeat(2_000), "### a\n".repeat(5_000));
        let found = chunks(&text);
        let bytes: usize = found.iter().map(|one| one.anchor.len() + one.headings.len()).sum();
        assert!(bytes < 20 * text.len(), "{bytes} bytes of headings for {}", text.len());
    }

    proptest! {
        #[test]
        fn every_character_that_shows_is_in_one_chunk(text in "([#>*`\\- a-zé]{0,40}\n{1,3}){0,30}") {
            let chunks = chunks(&text);
            let mut end = 0;
            let mut names = std::collections::BTreeSet::new();
            for chunk in &chunks {
                prop_assert!(chunk.span.start >= end && text[end..chunk.span.start].trim().is_empty());
                prop_assert!(chunk.span.len() <= MAX_CHUNK_BYTES + LEAD && !chunk.span.is_empty());
                prop_assert!(names.insert(chunk.anchor.clone()), "{} twice", chunk.anchor);
                prop_assert!(chunk.body.iter().all(|b| b.start >= chunk.span.start && b.end <= chunk.span.end));
                end = chunk.span.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
