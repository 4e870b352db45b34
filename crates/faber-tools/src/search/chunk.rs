//! Chunks of texts: small sections are joined, long ones split.

use std::ops::Range;
use std::rc::Rc;

use faber_core::markdown::{self, BlockKind, Lines, Slugs};
use faber_core::source::char_boundary;

const JOINED: usize = 1_600;
/// 512 tokens of 4 bytes.
pub(super) const MAX_CHUNK_BYTES: usize = 2_048;
/// In bytes, since many chunks repeat it.
const HEADING: usize = 200;
const HEADINGS: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Chunks cover all non-blank text.
    pub span: Range<usize>,
    /// Slugs of headings, such as `a/b`, or `a/b~2` for the second part; empty for a whole text, `~1`
    /// before headings.
    pub anchor: String,
    pub headings: String,
    pub body: Vec<Range<usize>>,
}

struct ChunkSection {
    path: Vec<(Rc<str>, Rc<str>)>,
    lines: Range<usize>,
    blocks: Vec<Range<usize>>,
}

pub(crate) fn chunks(text: &str) -> Vec<Chunk> {
    let lines = Lines::new(text);
    let (title, sections) = sections(text, lines.len());
    let mut chunker = Chunker { text, lines, title, found: Vec::new() };
    let mut rest = &sections[..];
    while let Some(first) = rest.first() {
        let joined = chunker.joined(first, rest);
        chunker.add(&rest[..joined]);
        rest = &rest[joined..];
    }
    let mut found = chunker.found;
    // An id without an anchor means the whole text.
    if found.len() > 1
        && let Some(first) = found.first_mut().filter(|first| first.anchor.is_empty())
    {
        "~1".clone_into(&mut first.anchor);
    }
    found
}

fn beginning(text: &str, most: usize) -> &str {
    &text[..char_boundary(text, most)]
}

fn sections(text: &str, lines: usize) -> (Option<String>, Vec<ChunkSection>) {
    let blocks = markdown::blocks(text);
    let of_level_1 =
        |block: &&markdown::Block| matches!(block.kind, BlockKind::Heading { level: 1, .. });
    let has_title = blocks.iter().filter(of_level_1).count() == 1;
    let mut title = None;
    let mut slugs = Slugs::default();
    let mut open: Vec<(u8, Rc<str>, Rc<str>)> = Vec::new();
    let mut sections = vec![ChunkSection { path: Vec::new(), lines: 0..lines, blocks: Vec::new() }];
    for block in blocks {
        let BlockKind::Heading { level, text, .. } = block.kind else {
            sections.last_mut().expect("there is a first").blocks.push(block.lines);
            continue;
        };
        let text = beginning(&text, HEADING);
        let slug = slugs.next(text);
        if level == 1 && has_title {
            title = Some(text.to_owned());
            continue;
        }
        open.retain(|(above, ..)| *above < level);
        open.push((level, slug.into(), text.into()));
        let path = open.iter().map(|(_, slug, text)| (slug.clone(), text.clone())).collect();
        sections.last_mut().expect("there is a first").lines.end = block.lines.start;
        sections.push(ChunkSection { path, lines: block.lines.start..lines, blocks: Vec::new() });
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

    fn add(&mut self, sections: &[ChunkSection]) {
        let (first, last) = (&sections[0], &sections[sections.len() - 1]);
        let span = self.bytes(first.lines.start..last.lines.end);
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
        for (at, (span, body)) in self.split(span, &first.blocks).into_iter().enumerate() {
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

    fn split(
        &self,
        span: Range<usize>,
        blocks: &[Range<usize>],
    ) -> Vec<(Range<usize>, Vec<Range<usize>>)> {
        let mut parts: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
        let blocks = blocks.iter().map(|lines| self.bytes(lines.clone()));
        for piece in blocks.flat_map(|block| self.pieces(block)) {
            match parts.last_mut() {
                Some((span, body)) if piece.end - span.start <= MAX_CHUNK_BYTES => {
                    span.end = piece.end;
                    body.push(piece);
                }
                None => parts.push((span.start..piece.end, vec![piece])),
                Some(_) => parts.push((piece.clone(), vec![piece])),
            }
        }
        if parts.is_empty() { vec![(span, Vec::new())] } else { parts }
    }

    fn pieces(&self, block: Range<usize>) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut rest = block;
        while rest.len() > MAX_CHUNK_BYTES {
            let cut = rest.start + cut(&self.text[rest.clone()]);
            pieces.push(trim(self.text, rest.start..cut));
            rest = cut..rest.end;
        }
        pieces.push(trim(self.text, rest));
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }
}

fn cut(text: &str) -> usize {
    let head = beginning(text, MAX_CHUNK_BYTES);
    let breaks = [head.rfind("\n\n"), head.rfind('\n'), head.rfind(' ')];
    breaks.into_iter().flatten().find(|&at| at > MAX_CHUNK_BYTES / 4).unwrap_or(head.len())
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
    fn headings_of_one_text_have_anchors_of_their_own() {
        let long = "word ".repeat(320);
        let text =
            format!("## Use\n\n{long}\n## Use\n\n{long}\n# One\n\n{long}\n# Two\n\n{long}\n");
        let names: Vec<String> = anchors(&text).into_iter().map(|(anchor, _)| anchor).collect();
        assert_eq!(names, ["use", "use-1", "one", "two"]);
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
                prop_assert!(chunk.span.len() <= MAX_CHUNK_BYTES && !chunk.span.is_empty());
                prop_assert!(names.insert(chunk.anchor.clone()), "{} twice", chunk.anchor);
                prop_assert!(chunk.body.iter().all(|b| b.start >= chunk.span.start && b.end <= chunk.span.end));
                end = chunk.span.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
