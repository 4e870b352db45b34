//! The parts of a text that match a request, verbatim and in order.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::budget::excerpt::{Excerpt, GAP, says};
use crate::markdown::{self, Block, BlockKind, Containers, Definitions, Lines};
use crate::numbers::float;
use crate::select::relevance::{SectionScores, SectionText};

mod steps;

use steps::{Step, StepsReader};

/// In bytes. Smaller lists, tables and tagged texts are not split.
pub(super) const WHOLE: usize = 400;

/// In bytes.
const SHORT: usize = 80;

/// Of a paragraph that may introduce the next block, in bytes.
const ABOVE: usize = 240;

/// Share of relevance spread by length.
const LENGTH: f64 = 0.3;

/// Neighbours of a match often belong to the answer.
const SECTION: f64 = 0.5;

const GOOD: f64 = 0.5;

pub struct Focus<'a> {
    lines: Lines<'a>,
    definitions: Definitions,
    tags: Containers,
    parts: Vec<FocusPart>,
    groups: Vec<PartGroup>,
    blocks: Vec<usize>,
    sections: Vec<usize>,
    /// Of numbered headings, the innermost.
    in_steps: Vec<Option<usize>>,
    steps: Vec<Vec<Step>>,
    scores: Vec<f64>,
    /// Best first.
    order: Vec<usize>,
    total: (f64, usize),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FocusParts {
    parts: Vec<FocusPart>,
    sections: Vec<FocusSection>,
    steps: Vec<Vec<Step>>,
    tags: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FocusPart {
    lines: Range<usize>,
    block: usize,
    with: Vec<Range<usize>>,
    header: Option<Range<usize>>,
    lead: Option<usize>,
    bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FocusSection {
    headings: String,
    parts: Range<usize>,
}

struct PartGroup {
    parts: Range<usize>,
    bytes: usize,
}

impl PartGroup {
    fn new(all: &[FocusPart], parts: Range<usize>) -> Self {
        let bytes = all[parts.clone()].iter().map(|part| part.bytes).sum();
        Self { parts, bytes }
    }
}

struct OpenSection {
    depth: usize,
    path: Vec<Range<usize>>,
    headings: String,
    blocks: Vec<(usize, Block)>,
}

struct FocusText<'a> {
    text: &'a str,
    lines: Lines<'a>,
    containers: Containers,
}

impl FocusParts {
    pub fn new(text: &str) -> Self {
        let (text, blocks) = FocusText::with_blocks(text);
        let mut found = Self { tags: text.containers.iter().collect(), ..Self::default() };
        let mut leads = Vec::new();
        let mut steps = StepsReader::default();
        let mut all = sections(blocks).into_iter().peekable();
        while let Some(section) = all.next() {
            let first = found.parts.len();
            let has_child = all.peek().is_some_and(|next| next.depth > section.depth);
            text.parts(&section, has_child, &mut leads, &mut found.parts);
            let parts = first..found.parts.len();
            steps.add(&section.path, &section.headings, &parts);
            if !parts.is_empty() {
                found.sections.push(FocusSection { headings: section.headings, parts });
            }
        }
        found.steps = steps.finish();
        found
    }

    pub fn sections<'a>(&'a self, text: &'a str) -> impl Iterator<Item = SectionText<'a>> {
        let lines = Lines::new(text);
        self.sections.iter().map(move |section| {
            let own = &self.parts[section.parts.clone()];
            let scored = |part: &FocusPart| part.lead.unwrap_or(part.lines.start)..part.lines.end;
            let places: Vec<_> = own.iter().map(|part| lines.bytes(&scored(part))).collect();
            let gaps = places.windows(2).map(|pair| &text[pair[0].end..pair[1].start]);
            SectionText {
                headings: &section.headings,
                gaps: gaps.collect(),
                parts: places.iter().map(|place| &text[place.clone()]).collect(),
            }
        })
    }
}

impl<'a> Focus<'a> {
    pub fn new(
        text: &'a str,
        FocusParts { parts, sections, steps, tags }: FocusParts,
        scores: impl Iterator<Item = SectionScores>,
    ) -> Option<Self> {
        let mut own = vec![0.0; parts.len()];
        let mut groups = Vec::new();
        let (mut blocks, mut in_sections) = (Vec::new(), Vec::new());
        for (section, scores) in sections.into_iter().zip(scores) {
            for block in parts[section.parts.clone()].chunk_by(|a, b| a.block == b.block) {
                let end = blocks.len() + block.len();
                groups.push(PartGroup::new(&parts, blocks.len()..end));
                blocks.resize(end, groups.len() - 1);
            }
            groups.push(PartGroup::new(&parts, section.parts.clone()));
            in_sections.resize(section.parts.end, groups.len() - 1);
            for (score, part) in own[section.parts].iter_mut().zip(scores.parts) {
                *score = part + SECTION * scores.whole;
            }
        }
        let mut in_steps = vec![None; parts.len()];
        for steps in steps.iter().rev() {
            let all = steps::parts_of(steps);
            groups.push(PartGroup::new(&parts, all.clone()));
            in_steps[all].fill(Some(groups.len() - 1));
        }
        let mut order: Vec<usize> = (0..parts.len()).filter(|&at| own[at] > 0.0).collect();
        order.sort_by(|&a, &b| own[b].total_cmp(&own[a]).then(a.cmp(&b)));
        let total = (own.iter().sum(), parts.iter().map(|part| part.bytes).sum());
        let lines = Lines::new(text);
        (!order.is_empty()).then(|| Self {
            definitions: Definitions::of(text, &lines),
            lines,
            tags: Containers::nested(tags),
            parts,
            groups,
            blocks,
            sections: in_sections,
            in_steps,
            steps,
            scores: own,
            order,
            total,
        })
    }

    #[must_use]
    pub fn with_rest(mut self) -> Self {
        self.order.extend((0..self.parts.len()).filter(|&at| self.scores[at] <= 0.0));
        self
    }

    /// With the share of relevance; `None` if no good part fits. A quarter of `bytes` completes
    /// lists, tables and sections.
    pub fn excerpt(&self, bytes: usize) -> Option<(Excerpt, f64)> {
        let mut chosen = ChosenParts::new(self, bytes);
        let best = self.scores[*self.order.first()?];
        let mut good = self.order.iter().take_while(|at| self.scores[**at] >= best * GOOD);
        let first = *good.find(|at| self.parts[**at].bytes <= bytes)?;
        chosen.add(first, 0);
        if !chosen.kept[first] {
            chosen.keep(first);
        }
        for &at in &self.order {
            chosen.add(at, bytes / 4);
        }
        for &at in &self.order {
            if chosen.kept[at] {
                let groups = [Some(self.blocks[at]), Some(self.sections[at]), self.in_steps[at]];
                groups.into_iter().flatten().for_each(|group| chosen.complete(group));
            }
        }
        for &at in &self.order {
            chosen.add(at, 0);
        }
        for steps in self.steps.iter().rev() {
            for at in steps::beginnings(steps, &chosen.kept) {
                chosen.add(at, 0);
            }
        }
        let length = float(bytes - chosen.left) / float(self.total.1.max(1));
        let share = (1.0 - LENGTH) * chosen.score / self.total.0 + LENGTH * length;
        Some((self.lines_of(&chosen.kept, bytes / 8), share))
    }

    fn lines_of(&self, kept: &[bool], room: usize) -> Excerpt {
        let bare = steps::bare_headings(&self.steps, &self.lines, kept, room);
        let parts = self.parts.iter().zip(kept).filter(|(_, kept)| **kept).map(|(part, _)| part);
        let tags = self.tags_around(parts.clone());
        let mut ranges: Vec<(&Range<usize>, Option<usize>)> = parts
            .flat_map(|part| {
                let own = part.header.iter().chain([&part.lines]);
                let own = own.map(|range| (range, Some(part.block)));
                part.with.iter().map(|range| (range, None)).chain(own)
            })
            .chain(tags.iter().chain(&bare).map(|range| (range, None)))
            .collect();
        ranges.sort_by_key(|(range, block)| (range.start, block.is_some()));
        let mut excerpt = Excerpt::default();
        let mut next = 0;
        let mut last = None;
        for (range, block) in ranges {
            let range = range.start.max(next)..range.end;
            if range.is_empty() {
                continue;
            }
            let is_apart = range.start != next && (block.is_none() || last != block);
            let space = |excerpt: &mut Excerpt, below: usize| {
                if is_apart && !excerpt.lines.is_empty() {
                    excerpt.push(below, "");
                }
            };
            if says(&self.lines, next..range.start) {
                space(&mut excerpt, next);
                excerpt.push(next, GAP);
            }
            space(&mut excerpt, range.start);
            excerpt.end_gap(range.start, self.lines.text(range.start));
            next = range.end;
            for line in range {
                excerpt.push(line, self.lines.text(line));
            }
            last = block;
        }
        let is_bare = bare.iter().any(|heading| heading.end == next);
        let is_cut = |part: &FocusPart| Some(part.block) == last || is_bare;
        if self.parts.iter().any(|part| part.lines.start >= next && is_cut(part)) {
            if is_bare {
                excerpt.push(next, "");
            }
            excerpt.push(next, GAP);
        }
        excerpt.with_definitions(&self.lines, &self.definitions)
    }

    fn tags_around<'p>(&self, parts: impl Iterator<Item = &'p FocusPart>) -> Vec<Range<usize>> {
        let mut seen = BTreeSet::new();
        let mut tags = Vec::new();
        for FocusPart { lines: part, .. } in parts {
            for line in [part.start, part.end - 1] {
                for (begin, end) in self.tags.around(line).take_while(|tag| seen.insert(*tag)) {
                    let outside = [begin, end].into_iter().filter(|line| !part.contains(line));
                    tags.extend(outside.map(|line| line..line + 1));
                }
            }
        }
        tags
    }
}

struct ChosenParts<'a, 'b> {
    focus: &'b Focus<'a>,
    kept: Vec<bool>,
    missing: Vec<usize>,
    left: usize,
    score: f64,
}

impl<'a, 'b> ChosenParts<'a, 'b> {
    fn new(focus: &'b Focus<'a>, left: usize) -> Self {
        let missing = focus.groups.iter().map(|group| group.bytes).collect();
        Self { focus, kept: vec![false; focus.parts.len()], missing, left, score: 0.0 }
    }

    /// Leaves at least `reserve` bytes.
    fn add(&mut self, at: usize, reserve: usize) {
        if self.kept[at] {
            return;
        }
        let around = self.with_gaps(at);
        if self.bytes(around.clone()) + reserve <= self.left {
            around.for_each(|at| self.keep(at));
        }
    }

    fn keep(&mut self, at: usize) {
        let Focus { parts, scores, blocks, sections, in_steps, .. } = self.focus;
        if !std::mem::replace(&mut self.kept[at], true) {
            let bytes = parts[at].bytes;
            self.left -= bytes;
            self.score += scores[at];
            self.missing[blocks[at]] -= bytes;
            self.missing[sections[at]] -= bytes;
            in_steps[at].into_iter().for_each(|steps| self.missing[steps] -= bytes);
        }
    }

    fn with_gaps(&self, at: usize) -> Range<usize> {
        let Range { start, end } = self.focus.groups[self.focus.sections[at]].parts.clone();
        let before = self.short_gap((start..at).rev(), true);
        at - before..at + 1 + self.short_gap(at + 1..end, false)
    }

    fn short_gap(&self, parts: impl ExactSizeIterator<Item = usize>, to_end: bool) -> usize {
        let all = if to_end { parts.len() } else { 0 };
        let mut bytes = 0;
        for (count, at) in parts.enumerate() {
            if self.kept[at] {
                return count;
            }
            bytes += self.focus.parts[at].bytes;
            if bytes > SHORT {
                return 0;
            }
        }
        all
    }

    fn bytes(&self, parts: Range<usize>) -> usize {
        parts.filter(|&at| !self.kept[at]).map(|at| self.focus.parts[at].bytes).sum()
    }

    fn complete(&mut self, group: usize) {
        if self.missing[group] > 0 && self.missing[group] <= self.left {
            self.focus.groups[group].parts.clone().for_each(|at| self.add(at, 0));
        }
    }
}

fn sections(blocks: Vec<Block>) -> Vec<OpenSection> {
    let mut open: Vec<(u8, Range<usize>, String)> = Vec::new();
    let mut title: Option<Range<usize>> = None;
    let first =
        OpenSection { depth: 0, path: Vec::new(), headings: String::new(), blocks: Vec::new() };
    let mut found = vec![first];
    for (at, block) in blocks.into_iter().enumerate() {
        let BlockKind::Heading { level, text, .. } = block.kind else {
            found.last_mut().expect("there is a first").blocks.push((at, block));
            continue;
        };
        if found.len() == 1 && level == 1 {
            title = Some(block.lines.clone());
        }
        open.retain(|(above, ..)| *above < level);
        open.push((level, block.lines, text));
        let headings: Vec<&str> = open.iter().map(|(_, _, text)| text.as_str()).collect();
        let title = title.iter().filter(|title| open[0].1 != **title);
        found.push(OpenSection {
            depth: open.len(),
            path: title.chain(open.iter().map(|(_, lines, _)| lines)).cloned().collect(),
            headings: headings.join("\n"),
            blocks: Vec::new(),
        });
    }
    found
}

impl<'a> FocusText<'a> {
    fn with_blocks(text: &'a str) -> (Self, Vec<Block>) {
        let lines = Lines::new(text);
        let containers = Containers::of(text);
        let blocks = markdown::blocks_within(text, &containers, |_, _| {});
        let containers = containers.with_tags(&lines, &blocks);
        let is_begin = |block: &Block| {
            matches!(block.kind, BlockKind::Html | BlockKind::Other | BlockKind::Container)
        };
        let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
        for block in blocks {
            let start = block.lines.start;
            let is_short =
                |&(begin, end): &(usize, usize)| lines.bytes(&(begin..end + 1)).len() <= WHOLE;
            let short = containers.around(start).filter(is_short).last();
            let is_heading = matches!(block.kind, BlockKind::Heading { .. });
            match (short.filter(|_| !is_heading), joined.last_mut()) {
                (Some((begin, _)), Some(last)) if is_begin(last) && last.lines.contains(&begin) => {
                    if last.kind == BlockKind::Other {
                        last.kind = BlockKind::Container;
                    }
                    last.lines.end = block.lines.end;
                }
                _ => joined.push(block),
            }
        }
        (Self { text, lines, containers }, joined)
    }

    fn parts(
        &self,
        section: &OpenSection,
        has_child: bool,
        leads: &mut Vec<Range<usize>>,
        parts: &mut Vec<FocusPart>,
    ) {
        let mut label: Option<Range<usize>> = None;
        let mut lead: Option<usize> = None;
        let mut blocks =
            section.blocks.iter().filter(|(_, block)| !self.is_silent(block)).peekable();
        while let Some((at, block)) = blocks.next() {
            let text = self.text[self.lines.bytes(&block.lines)].trim();
            let is_last = blocks.peek().is_none();
            if block.kind == BlockKind::Paragraph && (!is_last || has_child) {
                if introduces(text) {
                    leads.push(block.lines.clone());
                    lead = lead.or(Some(block.lines.start));
                    continue;
                }
                if is_label(text) && !is_last {
                    leads.clear();
                    lead = None;
                    label = Some(block.lines.clone());
                    continue;
                }
            }
            let leading = match &block.kind {
                BlockKind::List { items, .. } if introduces(text) && (!is_last || has_child) => {
                    items.last()
                }
                _ => None,
            };
            let lines = block.lines.start..leading.map_or(block.lines.end, |it| it.start);
            if lines.is_empty() {
                leads.push(block.lines.clone());
                lead = lead.or(Some(block.lines.start));
                continue;
            }
            let path = section.path.iter().chain(&label).cloned();
            let with: Vec<Range<usize>> = path.chain(leads.drain(..)).collect();
            let mut add = |of: Range<usize>, header: Option<Range<usize>>| {
                if !of.is_empty() {
                    let bytes = self.lines.bytes(&of).len();
                    let with = with.clone();
                    let (lead, block) = (lead.take(), *at);
                    parts.push(FocusPart { lines: of, block, with, header, lead, bytes });
                }
            };
            let is_small = text.len() <= WHOLE;
            match &block.kind {
                BlockKind::List { items, .. } if !is_small => {
                    for item in items.iter().filter(|item| lines.contains(&item.start)) {
                        add(item.clone(), None);
                    }
                }
                BlockKind::Table { rows, .. } if !is_small && !rows.is_empty() => {
                    let header = block.lines.start..rows[0].0;
                    for (row, _) in rows {
                        add(*row..row + 1, Some(header.clone()));
                    }
                }
                _ => add(lines, None),
            }
            if let Some(item) = leading {
                lead = Some(item.start);
                leads.push(item.clone());
            }
            let is_above = |(_, next): &&(usize, Block)| is_above(text, next);
            if block.kind == BlockKind::Paragraph && blocks.peek().is_some_and(is_above) {
                leads.push(block.lines.clone());
            }
        }
        if !has_child {
            leads.clear();
        }
    }

    fn is_silent(&self, block: &Block) -> bool {
        match block.kind {
            BlockKind::Rule | BlockKind::Other => true,
            BlockKind::Html => {
                let text = &self.text[self.lines.bytes(&block.lines)];
                text.trim_start().starts_with("<!--")
                    || block.lines.clone().all(|line| self.containers.is_fence(line))
            }
            _ => false,
        }
    }
}

pub fn introduces(text: &str) -> bool {
    let text = text.trim_end_matches(['*', '_']);
    text.ends_with([':', '：']) && !text.ends_with(":::")
}

pub(super) fn is_above(text: &str, next: &Block) -> bool {
    let is_other = matches!(
        next.kind,
        BlockKind::List { .. }
            | BlockKind::Table { .. }
            | BlockKind::Fence
            | BlockKind::IndentedCode
            | BlockKind::Quote
    );
    is_other && text.len() <= ABOVE
}

pub(super) fn is_label(text: &str) -> bool {
    let inner = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    inner.is_some_and(|inner| {
        !inner.contains("**") && !inner.contains('\n') && !inner.ends_with('.')
    })
}

#[cfg(test)]
mod tests;
