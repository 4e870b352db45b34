//! Merges blocks directly under two paired sections.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ops::Range;

use crate::line::Line;
use crate::markdown::{Block, BlockKind, collapse};
use crate::resolve::body::{Outline, Patch, dedent, list_end, to_margin};
use crate::resolve::key::{Key, Prefix};
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
    let of_base: Vec<LedBlock<'_>> = base.led().collect();
    let mut adding = Adding {
        base,
        overlay,
        base_texts: base.blocks().map(|block| base.normalized(block)).collect(),
        end: ListEnd::new(base, &of_base),
        tables: HashMap::new(),
        fresh: Vec::new(),
        patches: settled.replacements(base, overlay),
    };
    let tables = of_base.iter().filter_map(|led| Some((as_table(led.block)?.0, led)));
    for (header, led) in tables.clone() {
        let lead = led.lead.as_ref().map(|lead| lead.text.clone());
        let table = OwnTable::OfBase(led.block.lines.end);
        adding.tables.entry((header, lead)).or_insert(table);
    }
    for (header, _) in tables {
        adding.tables.entry((header, None)).or_insert(OwnTable::Led);
    }
    for led in overlay.led() {
        match &led.block.kind {
            BlockKind::List { marker, .. } => adding.list(&led, *marker, &settled),
            BlockKind::Table { header, rows } => adding.table(&led, header, rows, &settled),
            _ => adding.block(&led),
        }
    }
    adding.finish(patches);
}

/// "Never:" before a list decides what it means.
struct LedBlock<'a> {
    block: &'a Block,
    lead: Option<Introduction<'a>>,
}

struct Introduction<'a> {
    block: &'a Block,
    text: String,
}

impl LedBlock<'_> {
    fn group(&self) -> Option<MergeGroup> {
        let lead = self.lead.as_ref().map(|lead| lead.text.clone());
        match &self.block.kind {
            BlockKind::List { marker, .. } => {
                Some(MergeGroup::List(lead.map(|lead| (*marker, lead))))
            }
            BlockKind::Table { header, .. } => Some(MergeGroup::Table(folded(header), lead)),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum MergeGroup {
    List(Option<(char, String)>),
    Table(Vec<String>, Option<String>),
}

impl MergeGroup {
    fn has(&self, of_base: &Self) -> bool {
        match (self, of_base) {
            (Self::List(None), Self::List(_)) => true,
            (Self::Table(header, None), Self::Table(other, _)) => header == other,
            _ => self == of_base,
        }
    }
}

impl<'a> OwnPart<'a> {
    fn blocks(self) -> impl Iterator<Item = &'a Block> {
        self.section.blocks.iter().map(move |&index| &self.body.blocks[index])
    }

    fn led(self) -> impl Iterator<Item = LedBlock<'a>> {
        let mut before = None;
        self.blocks().map(move |block| {
            let lead = before.replace(block).filter(|it: &&Block| it.kind == BlockKind::Paragraph);
            let lead = lead.map(|block| Introduction { block, text: self.normalized(block) });
            LedBlock { block, lead: lead.filter(|lead| lead.text.ends_with(':')) }
        })
    }

    /// The first row of each table whose key is in a table of `base` with another header.
    pub(super) fn rows_elsewhere(self, base: OwnPart<'_>) -> Vec<(usize, String)> {
        let of_base: Vec<_> = base.blocks().filter_map(as_table).collect();
        let row = |(header, rows): TableParts<'a>| {
            let is_similar = |other: &[String]| {
                let common = other.iter().filter(|cell| header.contains(cell)).count();
                other.first() == header.first() && common > 1
            };
            if of_base.iter().any(|(other, _)| *other == header) {
                return None;
            }
            let similar = of_base.iter().filter(|(other, _)| is_similar(other));
            let keys: HashSet<_> = similar
                .flat_map(|(_, rows)| rows.iter().filter_map(|(_, cell)| Key::of_row(cell)))
                .collect();
            rows.iter().find(|(_, cell)| Key::of_row(cell).is_some_and(|key| keys.contains(&key)))
        };
        self.blocks().filter_map(as_table).filter_map(row).cloned().collect()
    }

    /// The first entry of each list and table whose key `base` has only after an introduction.
    pub(super) fn entries_elsewhere(self, base: OwnPart<'_>) -> Vec<(usize, usize)> {
        let mut texts = HashSet::new();
        let mut keys = HashMap::new();
        for led in base.led() {
            let header = as_table(led.block).map(|(header, _)| header);
            let lead = led.lead.map(|lead| lead.block.lines.start);
            for entry in base.entries(led.block) {
                texts.insert(entry.text);
                if let Some(key) = entry.key {
                    let known = keys.entry((header.clone(), key)).or_insert(lead);
                    *known = known.and(lead);
                }
            }
        }
        let first = |led: LedBlock<'_>| {
            let header = as_table(led.block).map(|(header, _)| header);
            let mut new =
                self.entries(led.block).into_iter().filter(|it| !texts.contains(&it.text));
            new.find_map(|entry| {
                let lead = keys.get(&(header.clone(), entry.key?)).copied().flatten()?;
                Some((entry.lines.start, lead))
            })
        };
        self.led().filter(|led| led.lead.is_none()).filter_map(first).collect()
    }

    fn is_definition(self, block: &Block) -> bool {
        let first = self.body.text(block.lines.start).trim_start();
        match block.kind {
            BlockKind::Other => first.starts_with('['),
            BlockKind::Paragraph => first.starts_with("[^") && first.contains("]:"),
            _ => false,
        }
    }

    /// Line breaks count in code only.
    fn normalized(self, block: &Block) -> String {
        let lines = block.lines.clone().map(|line| self.body.text(line));
        let closer = self.body.open.as_ref().filter(|open| open.end == block.lines.end);
        let lines = lines.chain(closer.map(|open| open.closer.as_str()));
        match block.kind {
            BlockKind::Fence => lines.map(collapse).collect::<Vec<_>>().join("\n"),
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

    fn entries(self, block: &Block) -> Vec<OwnEntry> {
        if let BlockKind::Table { rows, .. } = &block.kind {
            let row = |(line, cell): &(usize, String)| OwnEntry {
                text: collapse(self.body.text(*line)),
                key: Key::of_row(cell),
                lines: *line..line + 1,
                is_last: false,
            };
            return rows.iter().map(row).collect();
        }
        let items = self.items(block);
        let last = items.len().saturating_sub(1);
        let item = |(index, lines)| self.item(lines, index == last);
        items.into_iter().enumerate().map(item).collect()
    }

    fn item(self, lines: Range<usize>, is_last: bool) -> OwnEntry {
        let first = self.body.text(lines.start);
        let content = &first[Prefix::of(first).bytes..];
        let rest = lines.clone().skip(1).map(|line| self.body.text(line));
        let is_step = first.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let kind = if is_step { "1." } else { "" };
        let text = [kind, content].into_iter().chain(rest).collect::<Vec<_>>().join(" ");
        OwnEntry { text: collapse(&text), key: Key::of_item(content), lines, is_last }
    }
}

type TableParts<'a> = (Vec<String>, &'a [(usize, String)]);

fn as_table(block: &Block) -> Option<TableParts<'_>> {
    match &block.kind {
        BlockKind::Table { header, rows } => Some((folded(header), rows)),
        _ => None,
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
    replaced: Vec<(Range<usize>, Range<usize>, bool)>,
}

impl MergedParts {
    fn new(base: OwnPart<'_>, overlay: OwnPart<'_>, keyed: bool) -> Self {
        let mut groups: BTreeMap<MergeGroup, Vec<OwnEntry>> = BTreeMap::new();
        for led in overlay.led() {
            if let Some(group) = led.group() {
                groups.entry(group).or_default().extend(overlay.entries(led.block));
            }
        }
        let mut settled = Self::default();
        for (group, entries) in groups {
            let (mut own, mut others) = (Vec::new(), HashSet::new());
            for led in base.led() {
                match led.group() {
                    Some(of_base) if of_base == group => own.extend(base.entries(led.block)),
                    Some(of_base) if group.has(&of_base) => {
                        others.extend(base.entries(led.block).into_iter().map(|it| it.text));
                    }
                    _ => {}
                }
            }
            settled.settle(&own, &others, &entries, keyed);
        }
        settled
    }

    fn settle(
        &mut self,
        base: &[OwnEntry],
        others: &HashSet<String>,
        overlay: &[OwnEntry],
        keyed: bool,
    ) {
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
            } else if !others.contains(&entry.text) {
                self.new.insert(entry.lines.start);
            }
        }
    }

    fn replacements(&self, base: OwnPart<'_>, overlay: OwnPart<'_>) -> Vec<Patch> {
        let patch = |(old, new, ends_list): &(Range<usize>, Range<usize>, bool)| {
            let old_first = base.body.text(old.start);
            let mut patch = Patch::new(old.clone(), refit(overlay.body, new.clone(), old_first));
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
    Led,
    Fresh(usize),
}

#[derive(Debug)]
struct ListEnd<'a> {
    last: Option<&'a Block>,
    above: Option<usize>,
}

impl<'a> ListEnd<'a> {
    fn new(base: OwnPart<'_>, mut blocks: &[LedBlock<'a>]) -> Self {
        let mut above = None;
        while let [before @ .., last] = blocks {
            blocks = before;
            match (&last.block.kind, &last.lead) {
                (BlockKind::List { .. }, Some(lead)) => above = Some(lead.block.lines.start),
                (BlockKind::Paragraph, _) if above == Some(last.block.lines.start) => {}
                _ if base.is_definition(last.block) => {}
                _ => return Self { last: Some(last.block), above },
            }
        }
        Self { last: None, above }
    }

    fn list(&self, marker: char) -> Option<&'a Block> {
        self.last.filter(|last| match last.kind {
            BlockKind::List { marker: own, .. } => own == marker,
            _ => false,
        })
    }
}

#[derive(Debug)]
struct Fresh {
    lines: Vec<Line>,
    gap: Span,
    marker: Option<char>,
    is_led: bool,
    is_code: bool,
    closer: Option<String>,
}

struct Adding<'a> {
    base: OwnPart<'a>,
    overlay: OwnPart<'a>,
    base_texts: HashSet<String>,
    end: ListEnd<'a>,
    tables: HashMap<(Vec<String>, Option<String>), OwnTable>,
    fresh: Vec<Fresh>,
    patches: Vec<Patch>,
}

impl Adding<'_> {
    fn list(&mut self, led: &LedBlock<'_>, marker: char, settled: &MergedParts) {
        let all = self.overlay.items(led.block).into_iter();
        let items: Vec<_> = all.filter(|item| settled.new.contains(&item.start)).collect();
        let Some(first) = items.first() else { return };
        let gap = self.overlay.body.gap_before(first.start);
        if let Some(list) = self.led_list(led) {
            return self.join(&list, &items);
        }
        self.add_lead(led);
        let lines = self.overlay.loosely(&items);
        let is_led = led.lead.is_some();
        if let Some(last) = self.fresh.last_mut() {
            if last.marker == Some(marker) && !last.is_led {
                last.lines.extend(lines);
                return;
            }
        } else if let Some(list) = self.end.list(marker) {
            return self.join(list, &items);
        } else if let Some(at) = self.end.above {
            let (set_off, gap) = (true, Some(gap));
            let patch = Patch::new(at..at, lines);
            return self.patches.push(Patch { set_off, gap, ends_in_list: true, ..patch });
        }
        let marker = Some(marker);
        self.push(Fresh { lines, gap, marker, is_led, is_code: false, closer: None });
    }

    fn led_list(&self, led: &LedBlock<'_>) -> Option<Block> {
        let own = led.group().filter(|_| led.lead.is_some())?;
        let same = self.base.led().find(|it| it.group().as_ref() == Some(&own))?;
        Some(same.block.clone())
    }

    fn add_lead(&mut self, led: &LedBlock<'_>) {
        if let Some(lead) = &led.lead
            && !self.is_after_fresh(led)
        {
            self.push_block(lead.block);
        }
    }

    fn is_after_fresh(&self, LedBlock { lead, .. }: &LedBlock<'_>) -> bool {
        lead.as_ref().zip(self.fresh.last()).is_some_and(|(lead, last)| {
            last.lines == to_margin(self.overlay.body, lead.block.lines.clone())
        })
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
        let gap = Some(self.overlay.body.gap_before(items[0].start));
        let patch = Patch::new(list.lines.end..list.lines.end, lines);
        self.patches.push(Patch { gap, ends_in_list: true, ..patch });
    }

    fn table(
        &mut self,
        led: &LedBlock<'_>,
        header: &[String],
        rows: &[(usize, String)],
        settled: &MergedParts,
    ) {
        let key = (folded(header), led.lead.as_ref().map(|lead| lead.text.clone()));
        let body = self.overlay.body;
        let new = rows.iter().filter(|(line, _)| settled.new.contains(line));
        let lines: Vec<_> = new.flat_map(|&(line, _)| to_margin(body, line..line + 1)).collect();
        match self.tables.get(&key) {
            Some(OwnTable::OfBase(end)) if !lines.is_empty() => {
                self.patches.push(Patch::new(*end..*end, lines));
            }
            Some(OwnTable::Fresh(index)) => self.fresh[*index].lines.extend(lines),
            Some(OwnTable::OfBase(_)) => {}
            Some(OwnTable::Led) if lines.is_empty() => {}
            Some(OwnTable::Led) | None => {
                self.add_lead(led);
                self.tables.insert(key, OwnTable::Fresh(self.fresh.len()));
                self.push_block(led.block);
            }
        }
    }

    fn block(&mut self, led: &LedBlock<'_>) {
        let is_known = self.base_texts.contains(&self.overlay.normalized(led.block))
            || self.overlay.body.is_known(&led.block.lines);
        if !is_known || self.is_after_fresh(led) {
            self.add_lead(led);
            self.push_block(led.block);
        }
    }

    fn push_block(&mut self, block: &Block) {
        let body = self.overlay.body;
        let open = body.open.as_ref().filter(|open| open.end == block.lines.end);
        self.push(Fresh {
            lines: to_margin(body, block.lines.clone()),
            gap: body.gap_before(block.lines.start),
            marker: None,
            is_led: false,
            is_code: block.kind == BlockKind::IndentedCode,
            closer: open.map(|open| open.closer.clone()),
        });
    }

    fn push(&mut self, mut fresh: Fresh) {
        let is_absorbed = match self.fresh.last() {
            Some(last) if fresh.is_code => last.marker.is_some() || last.is_code,
            Some(last) => fresh.marker.is_some() && fresh.marker == last.marker,
            None => {
                fresh.is_code
                    && self.base.blocks().last().is_some_and(|last| {
                        matches!(last.kind, BlockKind::List { .. } | BlockKind::IndentedCode)
                    })
            }
        };
        if is_absorbed {
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
