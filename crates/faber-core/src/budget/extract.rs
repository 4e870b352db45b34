//! Summaries of texts without a model.

use std::ops::Range;

use crate::budget::excerpt::{Excerpt, GAP, max_steps, says};
use crate::budget::focus::{WHOLE, introduces, is_above, is_label};
use crate::budget::gist::gist;
use crate::budget::sentence::PlainProse;
use crate::budget::truncate::truncate;
use crate::markdown::{Block, BlockKind, Containers, Definitions, Lines, collapse};
use crate::resolve::catalog::Context;
use crate::source::SourceMap;

/// At most a quarter of the cost of `text`. Drops the deepest and last sections first, then rules.
/// Calls `cost` O(log n) times.
pub fn summary(text: &str, cost: &dyn Fn(&str) -> usize) -> Excerpt {
    let lines = Lines::new(text);
    let quarter = cost(text) / 4;
    let ranked = RankedPieces::new(text, &lines);
    let fits = |excerpt: &Excerpt| cost(&excerpt.text()) <= quarter;
    let Some(most) = ranked.pieces.len().checked_sub(1) else {
        return truncate(text, quarter, cost);
    };
    let definitions = Definitions::of(text, &lines);
    let defined = |more| ranked.excerpt(more + 1).with_definitions(&lines, &definitions);
    if let Some(more) = max_steps(most, |more| fits(&defined(more))) {
        return ranked.judged(defined(more));
    }
    if let Some(more) = max_steps(most, |more| fits(&ranked.excerpt(more + 1))) {
        return ranked.judged(ranked.excerpt(more + 1));
    }
    let sentence = ranked.first_sentence();
    let headed = ranked.headed();
    let single = sentence.iter().chain(&headed).find(|it| fits(it)).cloned();
    single
        .or(sentence)
        .or_else(|| ranked.title())
        .map_or_else(|| truncate(text, quarter, cost), |single| ranked.judged(single))
}

/// May be empty.
pub fn essence(context: &Context, sources: &SourceMap) -> String {
    essence_or(context, || gist(&context.body.text(sources)))
}

pub(super) fn essence_or(context: &Context, sentence: impl FnOnce() -> Option<String>) -> String {
    let declared = context.front.fields.own_essence();
    declared
        .map(|text| collapse(&text.value))
        .filter(|text| !text.is_empty())
        .or_else(sentence)
        .unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Opening,
    OpeningParagraph,
    Rule,
    Lead,
}

#[derive(Clone, Debug)]
struct ExtractPiece {
    rank: Rank,
    level: u8,
    line: usize,
    /// In bytes.
    end: usize,
    with: Vec<Range<usize>>,
    list: Option<Range<usize>>,
    sentence: Option<usize>,
}

/// First line, end in bytes, list.
type ShownText<'r> = (usize, usize, Option<&'r Range<usize>>);

struct RankedPieces<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    pieces: Vec<ExtractPiece>,
    title: Option<ExtractPiece>,
    containers: Containers,
}

impl<'a> RankedPieces<'a> {
    fn new(text: &'a str, lines: &'a Lines<'a>) -> Self {
        let containers = Containers::of(text);
        let (prose, inner) = PlainProse::with_inner_blocks(text, &containers);
        let all = containers.join(inner.clone());
        let section = SectionState::default();
        let (inner, container, pieces) = (&inner[..], None, Vec::new());
        let mut walk = PieceWalk { text, lines, prose, inner, section, container, pieces };
        let mut headings = Vec::new();
        let mut blocks = all.iter().filter(|block| !is_silent(block)).peekable();
        while let Some(block) = blocks.next() {
            if let BlockKind::Heading { level, text, .. } = &block.kind {
                walk.end_section();
                walk.section.begin(*level, block.lines.clone());
                if !text.is_empty() {
                    headings.push(walk.piece(
                        Rank::Lead,
                        block.lines.start,
                        lines.bytes(&block.lines).end,
                    ));
                }
                continue;
            }
            walk.block(block, blocks.peek().copied());
        }
        walk.end_section();
        let title = headings.first().cloned();
        let mut pieces = if walk.pieces.is_empty() { headings } else { walk.pieces };
        let containers = containers.with_tags(lines, &all);
        for piece in pieces.iter_mut().filter(|it| containers.around(it.line).next().is_some()) {
            piece.sentence = None;
        }
        pieces.sort_by_key(|piece| (piece.rank, piece.level, piece.line));
        Self { text, lines, pieces, title, containers }
    }

    fn first_sentence(&self) -> Option<Excerpt> {
        let mut opening = self.pieces.iter().filter(|piece| piece.rank == Rank::Opening);
        opening.find_map(|piece| Some(self.single(piece.line, piece.sentence?)))
    }

    fn title(&self) -> Option<Excerpt> {
        self.title.as_ref().map(|piece| self.single(piece.line, piece.end))
    }

    fn single(&self, line: usize, end: usize) -> Excerpt {
        let mut excerpt = Excerpt::default();
        excerpt.push_until(self.lines, self.text, line, end);
        excerpt
    }

    fn headed(&self) -> Option<Excerpt> {
        let first = self.pieces.iter().position(|piece| piece.sentence.is_some())?;
        let end = self.pieces[first].sentence?;
        let piece = ExtractPiece { end, list: None, ..self.pieces[first].clone() };
        let containers = Containers::default();
        Some(Self { pieces: vec![piece], title: None, containers, ..*self }.excerpt(1))
    }

    fn excerpt(&self, count: usize) -> Excerpt {
        let bytes = |of: &Range<usize>| self.lines.range(of.end - 1).end;
        let mut shown: Vec<ShownText<'_>> = Vec::new();
        for piece in &self.pieces[..count] {
            shown.extend(piece.with.iter().map(|of| (of.start, bytes(of), None)));
            shown.push((piece.line, piece.end, piece.list.as_ref()));
        }
        self.add_fences(&mut shown);
        shown.sort_by_key(|&(line, end, _)| (line, end));
        let mut excerpt = Excerpt::default();
        let mut next = 0;
        let mut last: Option<&Range<usize>> = None;
        let mut joined: Vec<ShownText<'_>> = Vec::with_capacity(shown.len());
        for one in shown {
            match joined.last_mut() {
                Some(before) if one.0 <= self.last_line(before.0, before.1) => {
                    before.1 = before.1.max(one.1);
                }
                _ => joined.push(one),
            }
        }
        for (line, end, list) in joined {
            let is_same = last.is_some() && last == list;
            let mut from = next;
            if !is_same {
                next = self.end_list(&mut excerpt, next, last);
                from = list.map_or(line, |list| list.start);
                if !excerpt.lines.is_empty() && from != next {
                    excerpt.push(from, "");
                }
            }
            self.mark(&mut excerpt, from..line);
            excerpt.end_gap(line, self.lines.text(line));
            excerpt.push_until(self.lines, self.text, line, end);
            (next, last) = (self.last_line(line, end) + 1, list);
        }
        self.end_list(&mut excerpt, next, last);
        excerpt
    }

    fn add_fences(&self, shown: &mut Vec<ShownText<'_>>) {
        let mut fences = Vec::new();
        for &(line, end, list) in shown.iter().filter(|_| !self.containers.is_empty()) {
            let around = |line| self.containers.around(line);
            for (open, close) in around(line).chain(around(self.last_line(line, end))) {
                for fence in [open, close] {
                    let list = list.filter(|list| list.contains(&fence));
                    fences.push((fence, self.lines.range(fence).end, list));
                }
            }
        }
        shown.extend(fences);
    }

    fn end_list(&self, excerpt: &mut Excerpt, next: usize, list: Option<&Range<usize>>) -> usize {
        let end = list.map_or(next, |list| list.end);
        self.mark(excerpt, next..end);
        next.max(end)
    }

    fn last_line(&self, line: usize, end: usize) -> usize {
        self.lines.at(end.saturating_sub(1)).max(line)
    }

    fn mark(&self, excerpt: &mut Excerpt, gap: Range<usize>) {
        if says(self.lines, gap.clone()) {
            excerpt.push(gap.start, GAP);
        }
    }

    fn judged(&self, mut excerpt: Excerpt) -> Excerpt {
        let own =
            excerpt.lines.iter().filter(|line| self.lines.text(line.from).starts_with(&line.text));
        let shown: usize = own.map(|line| dark(&line.text).count()).sum();
        excerpt.complete = dark(self.text).take(shown + 1).count() == shown;
        excerpt
    }
}

fn dark(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

fn is_silent(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Rule | BlockKind::Other | BlockKind::Html)
}

#[derive(Default)]
struct SectionState {
    path: Vec<(u8, Range<usize>)>,
    headings: usize,
    introduction: Option<Range<usize>>,
    has_lead: bool,
    spare: Option<ExtractPiece>,
}

impl SectionState {
    fn begin(&mut self, level: u8, heading: Range<usize>) {
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, heading));
        self.headings += 1;
        (self.introduction, self.has_lead, self.spare) = (None, false, None);
    }

    fn is_opening(&self) -> bool {
        self.headings <= 1 && !self.has_lead
    }
}

struct ContainerState {
    introduction: Option<Range<usize>>,
}

struct PieceWalk<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    prose: PlainProse<'a>,
    inner: &'a [Block],
    section: SectionState,
    container: Option<ContainerState>,
    pieces: Vec<ExtractPiece>,
}

impl PieceWalk<'_> {
    fn piece(&self, rank: Rank, line: usize, end: usize) -> ExtractPiece {
        let headings = self.section.path.iter().map(|(_, lines)| lines.clone());
        ExtractPiece {
            rank,
            level: self.section.path.last().map_or(0, |(level, _)| *level),
            line,
            end,
            with: headings
                .filter(|heading| heading.start != line)
                .chain(self.container.iter().filter_map(|it| it.introduction.clone()))
                .chain(self.section.introduction.clone())
                .collect(),
            list: None,
            sentence: None,
        }
    }

    fn add_lead(&mut self, mut piece: ExtractPiece) {
        if self.section.is_opening() {
            piece.rank = Rank::Opening;
        }
        self.section.has_lead = true;
        self.pieces.push(piece);
    }

    fn end_section(&mut self) {
        if let Some(spare) = self.section.spare.take().filter(|_| !self.section.has_lead) {
            self.add_lead(spare);
        }
    }

    fn block(&mut self, block: &Block, next: Option<&Block>) {
        let text = &self.text[self.lines.bytes(&block.lines)];
        let leads = next.is_some_and(|next| !matches!(next.kind, BlockKind::Heading { .. }));
        match &block.kind {
            BlockKind::Quote if self.runs(&block.lines).len() > 1 => {
                let line = |at: usize| self.lines.at(at);
                let runs = self.runs(&block.lines).iter();
                let items = runs.map(|run| line(run.start)..line(run.end - 1) + 1).collect();
                self.list(&block.lines, items);
            }
            BlockKind::Paragraph | BlockKind::Quote => {
                let introduces = leads && (introduces(text.trim()) || is_label(text.trim()));
                self.section.introduction = None;
                self.paragraph(block, introduces);
                let is_above = next.is_some_and(|next| is_above(text, next));
                self.section.introduction = (introduces || is_above).then(|| block.lines.clone());
            }
            BlockKind::List { items, .. } => {
                let mut items = items.clone();
                let is_introduction = |item: &mut Range<usize>| {
                    leads && introduces(self.text[self.lines.bytes(item)].trim())
                };
                let introduction = items.pop_if(is_introduction);
                let end = introduction.as_ref().map_or(block.lines.end, |item| item.start);
                self.list(&(block.lines.start..end), items);
                self.section.introduction = introduction;
                return;
            }
            BlockKind::Table { rows, .. } => {
                let rows = rows.iter().enumerate().map(|(at, (row, _))| {
                    if at == 0 { block.lines.start..row + 1 } else { *row..row + 1 }
                });
                self.list(&block.lines, rows.collect());
            }
            BlockKind::Container => self.container(&block.lines),
            _ if text.len() <= WHOLE => {
                let piece =
                    self.piece(Rank::Lead, block.lines.start, self.lines.bytes(&block.lines).end);
                self.introduced(piece);
            }
            _ => {}
        }
        if !matches!(block.kind, BlockKind::Paragraph | BlockKind::Quote) {
            self.section.introduction = None;
        }
    }

    fn runs(&self, lines: &Range<usize>) -> &[Range<usize>] {
        self.prose.within(&self.lines.bytes(lines))
    }

    fn paragraph(&mut self, block: &Block, introduces: bool) {
        let bytes = self.lines.bytes(&block.lines);
        let runs = self.prose.within(&bytes).to_vec();
        let mut ends: Vec<usize> = runs.iter().flat_map(|run| self.prose.ends(run)).collect();
        if introduces {
            ends.pop();
        }
        let Some(&first) = ends.first() else { return };
        let line = block.lines.start;
        if !self.section.has_lead && self.container.is_none() {
            if self.section.is_opening() && bytes.len() <= WHOLE && ends.len() > 1 {
                let end = ends[ends.len() - 1];
                self.pieces.push(self.piece(Rank::OpeningParagraph, line, end));
            }
            let piece =
                ExtractPiece { sentence: Some(first), ..self.piece(Rank::Lead, line, first) };
            self.add_lead(piece);
        }
        if let Some(end) = self.rule(&bytes, &runs, &ends) {
            self.pieces.push(self.piece(Rank::Rule, line, end));
        }
    }

    fn container(&mut self, lines: &Range<usize>) {
        let bytes = self.lines.bytes(lines);
        let runs = self.prose.within(&bytes).to_vec();
        let ends: Vec<_> = runs.iter().map(|run| self.prose.ends(run)).collect();
        if bytes.len() <= WHOLE {
            let piece = self.piece(Rank::Lead, lines.start, bytes.end);
            match self.rule(&bytes, &runs, &ends.concat()) {
                Some(_) => self.pieces.push(ExtractPiece { rank: Rank::Rule, ..piece }),
                None => self.introduced(piece),
            }
            return;
        }
        let introduction = self.section.introduction.take();
        self.container = Some(ContainerState { introduction });
        let from = |line| self.inner.partition_point(|block| block.lines.start < line);
        let inner = &self.inner[from(lines.start)..from(lines.end)];
        let mut blocks = inner.iter().filter(|block| !is_silent(block)).peekable();
        while let Some(block) = blocks.next() {
            self.block(block, blocks.peek().copied());
        }
        self.section.introduction = self.container.take().and_then(|it| it.introduction);
        if let Some((run, ends)) = runs.first().zip(ends.first()) {
            let line = self.lines.at(run.start);
            let first = inner.iter().find(|block| block.lines.contains(&line));
            let list = first.filter(|block| matches!(block.kind, BlockKind::List { .. }));
            let list = list.map(|list| list.lines.clone());
            let piece = self.piece(Rank::Lead, line, ends[0]);
            self.introduced(ExtractPiece { list, ..piece });
        }
    }

    fn rule(&self, of: &Range<usize>, runs: &[Range<usize>], ends: &[usize]) -> Option<usize> {
        let mut from = runs.first()?.start;
        let mut found = None;
        let most = of.start + WHOLE;
        for &end in ends.iter().take_while(|end| **end <= most) {
            let sentence = &self.text[std::mem::replace(&mut from, end)..end];
            let end = if introduces(sentence) { of.end } else { end };
            if is_rule(sentence) && end <= most {
                found = found.max(Some(end));
            }
        }
        found
    }

    fn list(&mut self, lines: &Range<usize>, mut items: Vec<Range<usize>>) {
        items.retain(|item| item.start >= lines.start);
        let Some(first) = items.first() else { return };
        let start = self.lines.bytes(lines).start;
        let end = |item: &Range<usize>| self.lines.range(item.end - 1).end;
        let whole = items.iter().map(end).take_while(|end| *end <= start + WHOLE).last();
        let sentence = self.runs(first).first().and_then(|run| {
            let end = self.prose.ends(run)[0];
            (!introduces(&self.text[run.start..end])).then_some(end)
        });
        let list = Some(lines.clone());
        if let Some(end) = whole.or(sentence) {
            let piece = self.piece(Rank::Lead, lines.start, end);
            self.introduced(ExtractPiece { list: list.clone(), sentence, ..piece });
        }
        for item in &items {
            let bytes = self.lines.range(item.start).start..end(item);
            let runs = self.prose.within(&bytes);
            let ends: Vec<usize> = runs.iter().flat_map(|run| self.prose.ends(run)).collect();
            if let Some(end) = self.rule(&bytes, runs, &ends) {
                let piece = self.piece(Rank::Rule, item.start, end);
                self.pieces.push(ExtractPiece { list: list.clone(), ..piece });
            }
        }
    }

    fn introduced(&mut self, piece: ExtractPiece) {
        let introduction = self.section.introduction.clone();
        let span = introduction.as_ref().map(|of| self.lines.bytes(of));
        if span.is_some_and(|span| is_rule(&self.text[span])) {
            self.section.has_lead |= self.container.is_none();
            self.pieces.push(ExtractPiece { rank: Rank::Rule, ..piece });
        } else if self.container.is_some() {
        } else if !self.section.has_lead && (piece.list.is_some() || introduction.is_some()) {
            self.add_lead(piece);
        } else if self.section.spare.is_none() {
            self.section.spare = Some(piece);
        }
    }
}

pub(super) fn is_rule(sentence: &str) -> bool {
    let mut words =
        sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let is_any = |word: &str, of: &[&str]| of.iter().any(|one| one.eq_ignore_ascii_case(word));
    let first = words.clone().next().unwrap_or_default();
    is_any(first, &["always", "don't"])
        || (is_any(first, &["do"]) && words.clone().nth(1) == Some("not"))
        || words.any(|word| {
            is_any(word, &["must", "never"]) || ["ALWAYS", "NOT", "ONLY"].contains(&word)
        })
}

#[cfg(test)]
mod tests;
