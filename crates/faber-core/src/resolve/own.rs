//! Merges the blocks directly under two paired sections.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Range;

use crate::line::Line;
use crate::markdown::{Block, BlockKind, collapse};
use crate::resolve::body::Outline;
use crate::resolve::key::{Key, Prefix};
use crate::resolve::patch::{Patch, dedent, list_end, to_margin};
use crate::resolve::tree::{SectionNode, fold};
use crate::source::Span;

#[derive(Clone, Copy, Debug)]
pub(super) struct OwnPart<'a> {
    pub(super) body: &'a Outline<'a>,
    pub(super) section: &'a SectionNode,
}

/// With `keyed`, items and rows replace those of the same key.
pub(super) fn combine_own(
    base: OwnPart<'_>,
    overlay: OwnPart<'_>,
    keyed: bool,
    patches: &mut Vec<Patch>,
) {
    if overlay.section.blocks.is_empty() {
        return;
    }
    let settled = MergedParts::new(base, overlay, keyed);
    let mut adding = Adding {
        base,
        overlay,
        base_texts: base.blocks().map(|block| base.normalized(block)).collect(),
        tables: HashMap::new(),
        fresh: Vec::new(),
        patches: settled.replacements(base, overlay),
    };
    for block in base.blocks() {
        if let BlockKind::Table { header, .. } = &block.kind {
            adding.tables.entry(folded(header)).or_insert(OwnTable::OfBase(block.lines.end));
        }
    }
    for block in overlay.blocks() {
        match &block.kind {
            BlockKind::List { marker, .. } => adding.list(block, *marker, &settled),
            BlockKind::Table { header, rows } => adding.table(block, header, rows, &settled),
            _ => adding.block(block),
        }
    }
    adding.finish(patches);
}

impl<'a> OwnPart<'a> {
    fn blocks(self) -> impl Iterator<Item = &'a Block> {
        self.section.blocks.iter().map(move |&index| &self.body.blocks[index])
    }

    /// Line breaks count in code only.
    fn normalized(self, block: &Block) -> String {
        let lines = block.lines.clone().map(|line| self.body.text(line));
        let closer = self.body.open.as_ref().filter(|open| open.end == block.lines.end);
        let lines = lines.chain(closer.map(|open| open.closer.as_str()));
        match block.kind {
            BlockKind::Fence => lines.map(collapse).collect::<Vec<_>>().join("\n"),
            // Unlike a paragraph.
            BlockKind::IndentedCode => {
                lines.flat_map(|line| ["\t".to_owned(), collapse(line)]).collect()
            }
            _ => collapse(&lines.collect::<Vec<_>>().join(" ")),
        }
    }

    fn items(self, block: &Block) -> Vec<Range<usize>> {
        let BlockKind::List { items, .. } = &block.kind else { return Vec::new() };
        let mut starts: Vec<_> = items.iter().map(|item| item.start).collect();
        starts.dedup();
        let ends = starts.iter().skip(1).copied().chain([block.lines.end]);
        starts.iter().zip(ends).map(|(&start, end)| self.body.trimmed(start..end)).collect()
    }

    fn all_items(self) -> Vec<OwnEntry> {
        let mut entries = Vec::new();
        for block in self.blocks() {
            let items = self.items(block);
            let last = items.len().saturating_sub(1);
            for (index, lines) in items.into_iter().enumerate() {
                entries.push(self.item(lines, index == last));
            }
        }
        entries
    }

    fn item(self, lines: Range<usize>, is_last: bool) -> OwnEntry {
        let first = self.body.text(lines.start);
        let content = &first[Prefix::of(first).bytes..];
        let rest = lines.clone().skip(1).map(|line| self.body.text(line));
        let text = std::iter::once(content).chain(rest).collect::<Vec<_>>().join(" ");
        OwnEntry { text: collapse(&text), key: Key::of_item(content), lines, is_last }
    }

    fn all_rows(self) -> BTreeMap<Vec<String>, Vec<OwnEntry>> {
        let mut by_header: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for block in self.blocks() {
            let BlockKind::Table { header, rows } = &block.kind else { continue };
            let entries = by_header.entry(folded(header)).or_default();
            entries.extend(rows.iter().map(|(line, cell)| OwnEntry {
                text: collapse(self.body.text(*line)),
                key: Key::of_row(cell),
                lines: *line..line + 1,
                is_last: false,
            }));
        }
        by_header
    }
}

fn folded(header: &[String]) -> Vec<String> {
    header.iter().map(|cell| fold(cell)).collect()
}

#[derive(Debug)]
struct OwnEntry {
    text: String,
    key: Option<Key>,
    lines: Range<usize>,
    is_last: bool,
}

#[derive(Debug, Default)]
struct MergedParts {
    new: HashSet<usize>,
    /// Old and new lines, and whether they end a list.
    replaced: Vec<(Range<usize>, Range<usize>, bool)>,
}

impl MergedParts {
    fn new(base: OwnPart<'_>, overlay: OwnPart<'_>, keyed: bool) -> Self {
        let mut settled = Self::default();
        settled.settle(&base.all_items(), &overlay.all_items(), keyed);
        let rows = base.all_rows();
        for (header, entries) in overlay.all_rows() {
            settled.settle(rows.get(&header).map_or(&[], Vec::as_slice), &entries, keyed);
        }
        settled
    }

    /// Skips entries of the base; keyed entries replace the first other one with that key; the rest
    /// is new.
    fn settle(&mut self, base: &[OwnEntry], overlay: &[OwnEntry], keyed: bool) {
        let mut positions: HashMap<&str, usize> = HashMap::new();
        for (at, entry) in base.iter().enumerate() {
            positions.entry(&entry.text).or_insert(at);
        }
        let pinned: HashSet<usize> =
            overlay.iter().filter_map(|entry| positions.get(&*entry.text).copied()).collect();
        let mut by_key: HashMap<&Key, VecDeque<&OwnEntry>> = HashMap::new();
        let free = base.iter().enumerate().filter(|(at, _)| keyed && !pinned.contains(at));
        for (_, entry) in free {
            if let Some(key) = &entry.key {
                by_key.entry(key).or_default().push_back(entry);
            }
        }
        for entry in overlay.iter().filter(|entry| !positions.contains_key(&*entry.text)) {
            let queue = entry.key.as_ref().and_then(|key| by_key.get_mut(key));
            if let Some(old) = queue.and_then(VecDeque::pop_front) {
                self.replaced.push((old.lines.clone(), entry.lines.clone(), old.is_last));
            } else {
                self.new.insert(entry.lines.start);
            }
        }
    }

    fn replacements(&self, base: OwnPart<'_>, overlay: OwnPart<'_>) -> Vec<Patch> {
        let patch = |(old, new, ends_list): &(Range<usize>, Range<usize>, bool)| {
            let old_first = base.body.text(old.start);
            let mut patch = Patch::new(old.clone(), refit(overlay.body, new.clone(), old_first));
            // The end of the last item, such as a fence, may have separated the next text.
            patch.gap = ends_list.then(|| overlay.body.gap_before(new.start));
            patch
        };
        self.replaced.iter().map(patch).collect()
    }
}

fn refit(body: &Outline<'_>, lines: Range<usize>, old_first: &str) -> Vec<Line> {
    let mut moved = to_margin(body, lines);
    let first = moved[0].text(body.sources);
    if !is_item(first) || !is_item(old_first) {
        return moved;
    }
    let (new, old) = (Prefix::of(first), Prefix::of(old_first));
    if first[..new.bytes] == old_first[..old.bytes] {
        return moved;
    }
    let padding = " ".repeat(old.column.saturating_sub(old.marker.len()));
    let shown = format!("{}{padding}{}", old.marker, &first[new.bytes..]);
    let column = new.column;
    moved[0] = Line::inserted(moved[0].origin, &shown);
    for line in &mut moved[1..] {
        let text = line.text(body.sources);
        if old.column < column {
            *line = dedent(body.sources, line, column - old.column);
        } else if old.column > column && !text.trim().is_empty() {
            let shown = format!("{}{text}", " ".repeat(old.column - column));
            *line = Line::inserted(line.origin, &shown);
        }
    }
    moved
}

fn is_item(line: &str) -> bool {
    let marker = Prefix::of(line).marker;
    marker.ends_with(['-', '*', '+', '.', ')'])
}

#[derive(Debug)]
enum OwnTable {
    OfBase(usize),
    Fresh(usize),
}

#[derive(Debug)]
struct Fresh {
    lines: Vec<Line>,
    gap: Span,
    marker: Option<char>,
    is_code: bool,
    closer: Option<String>,
}

struct Adding<'a> {
    base: OwnPart<'a>,
    overlay: OwnPart<'a>,
    base_texts: HashSet<String>,
    tables: HashMap<Vec<String>, OwnTable>,
    fresh: Vec<Fresh>,
    patches: Vec<Patch>,
}

impl Adding<'_> {
    fn list(&mut self, block: &Block, marker: char, settled: &MergedParts) {
        let all = self.overlay.items(block).into_iter();
        let items: Vec<_> = all.filter(|item| settled.new.contains(&item.start)).collect();
        let Some(first) = items.first() else { return };
        let gap = self.overlay.body.gap_before(first.start);
        if let Some(last) = self.fresh.last_mut().filter(|last| last.marker == Some(marker)) {
            last.lines.extend(self.overlay.loosely(&items));
        } else if let Some(list) = self.base_list(marker) {
            self.join(&list, &items);
        } else {
            let lines = self.overlay.loosely(&items);
            self.push(Fresh { lines, gap, marker: Some(marker), is_code: false, closer: None });
        }
    }

    fn base_list(&self, marker: char) -> Option<Block> {
        let last = self.base.blocks().last().filter(|_| self.fresh.is_empty())?;
        let fits = matches!(&last.kind, BlockKind::List { marker: own, .. } if *own == marker);
        fits.then(|| last.clone())
    }

    fn join(&mut self, list: &Block, items: &[Range<usize>]) {
        let base_items = self.base.items(list);
        let is_loose = base_items.windows(2).any(|pair| pair[0].end < pair[1].start);
        let mut lines = Vec::new();
        for item in items {
            if is_loose {
                lines.push(Line::inserted(self.overlay.body.gap_before(item.start), ""));
            }
            lines.extend(to_margin(self.overlay.body, item.clone()));
        }
        let mut patch = Patch::new(list.lines.end..list.lines.end, lines);
        patch.gap = Some(self.overlay.body.gap_before(items[0].start));
        patch.ends_in_list = true;
        self.patches.push(patch);
    }

    fn table(
        &mut self,
        block: &Block,
        header: &[String],
        rows: &[(usize, String)],
        settled: &MergedParts,
    ) {
        let header = folded(header);
        let body = self.overlay.body;
        let new = rows.iter().filter(|(line, _)| settled.new.contains(line));
        let lines: Vec<_> = new.flat_map(|&(line, _)| to_margin(body, line..line + 1)).collect();
        match self.tables.get(&header) {
            Some(OwnTable::OfBase(end)) if !lines.is_empty() => {
                self.patches.push(Patch::new(*end..*end, lines));
            }
            Some(OwnTable::Fresh(index)) => self.fresh[*index].lines.extend(lines),
            Some(OwnTable::OfBase(_)) => {}
            None => {
                self.tables.insert(header, OwnTable::Fresh(self.fresh.len()));
                self.push_block(block);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        if !self.base_texts.contains(&self.overlay.normalized(block)) {
            self.push_block(block);
        }
    }

    fn push_block(&mut self, block: &Block) {
        let body = self.overlay.body;
        let open = body.open.as_ref().filter(|open| open.end == block.lines.end);
        self.push(Fresh {
            lines: to_margin(body, block.lines.clone()),
            gap: body.gap_before(block.lines.start),
            marker: None,
            is_code: block.kind == BlockKind::IndentedCode,
            closer: open.map(|open| open.closer.clone()),
        });
    }

    /// Indented code would join a list or other indented code before it.
    fn push(&mut self, mut fresh: Fresh) {
        let absorbs = match self.fresh.last() {
            Some(last) => last.marker.is_some() || last.is_code,
            None => self.base.blocks().last().is_some_and(|last| {
                matches!(last.kind, BlockKind::List { .. } | BlockKind::IndentedCode)
            }),
        };
        if fresh.is_code && absorbs {
            fresh.lines.splice(0..0, list_end(fresh.gap));
        }
        self.fresh.push(fresh);
    }

    fn finish(self, patches: &mut Vec<Patch>) {
        let at = self.base.section.own_end;
        patches.extend(self.patches);
        patches.extend(self.fresh.into_iter().map(|fresh| Patch {
            replaces: at..at,
            lines: fresh.lines,
            set_off: true,
            gap: Some(fresh.gap),
            ends_in_list: fresh.marker.is_some(),
            closer: fresh.closer,
        }));
    }
}

impl OwnPart<'_> {
    fn loosely(self, items: &[Range<usize>]) -> Vec<Line> {
        let mut lines = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let blank = (0..item.start).rev().take_while(|&line| self.body.is_blank(line)).count();
            if index > 0 {
                lines.extend_from_slice(&self.body.lines[item.start - blank..item.start]);
            }
            lines.extend(to_margin(self.body, item.clone()));
        }
        lines
    }
}
