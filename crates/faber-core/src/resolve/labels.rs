//! Labels that a base and its overlay define.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::line::{self, Line};
use crate::markdown::{self, BlockKind, Definitions, Lines, collapse};
use crate::rules::overlay_clash;
use crate::source::SourceMap;

pub(super) struct SharedLabel {
    label: String,
    base: Range<usize>,
    pub(super) overlay: Range<usize>,
    differs: bool,
}

pub(super) fn shared(sources: &SourceMap, base: &[Line], overlay: &[Line]) -> Vec<SharedLabel> {
    let may_define = |line: &Line| line.text(sources).contains("]:");
    if !overlay.iter().any(may_define) || !base.iter().any(may_define) {
        return Vec::new();
    }
    let [base, overlay] = [base, overlay].map(|lines| line::join(sources, lines));
    let of = |text: &str| {
        let blocks = markdown::blocks(text);
        let is_apart = |lines: &Range<usize>| {
            let block = markdown::block_of(&blocks, lines.start);
            block.is_some_and(|it| matches!(it.kind, BlockKind::Paragraph | BlockKind::Other))
        };
        let mut all = Definitions::of(text, &Lines::new(text)).0;
        all.retain(|_, definition| is_apart(&definition.lines));
        all
    };
    let (in_base, mut in_overlay) = (of(&base), of(&overlay));
    let (base_lines, overlay_lines) = (Lines::new(&base), Lines::new(&overlay));
    let shared = in_base.into_iter().filter_map(|(label, definition)| {
        let (old, new) = (definition.lines, in_overlay.remove(&label)?.lines);
        let texts = [&base[base_lines.bytes(&old)], &overlay[overlay_lines.bytes(&new)]];
        let differs = collapse(texts[0]) != collapse(texts[1]);
        Some(SharedLabel { label, base: old, overlay: new, differs })
    });
    let mut shared: Vec<SharedLabel> = shared.collect();
    shared.sort_by_key(|shared| shared.base.start);
    shared
}

pub(super) fn replaced(shared: &[SharedLabel], base: &[Line], overlay: &[Line]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(base.len());
    let mut next = 0;
    for shared in shared.iter().filter(|shared| shared.differs) {
        lines.extend_from_slice(&base[next..shared.base.start]);
        lines.extend_from_slice(&overlay[shared.overlay.clone()]);
        next = shared.base.end;
    }
    lines.extend_from_slice(&base[next..]);
    lines
}

pub(super) fn with_definitions(
    sources: &SourceMap,
    mut lines: Vec<Line>,
    all: &[Line],
) -> Vec<Line> {
    let text = line::join(sources, all);
    let found = Definitions::of(&text, &Lines::new(&text)).0;
    if found.is_empty() {
        return lines;
    }
    let shown = lines.len();
    let closer = markdown::closer(&line::join(sources, &lines));
    let closer = lines.last().zip(closer).map(|(last, it)| Line::inserted(last.origin, &it));
    lines.extend(closer);
    let ended = lines.len();
    let mut found: Vec<Range<usize>> = found.into_values().map(|it| it.lines).collect();
    found.sort_by_key(|lines| lines.start);
    append(sources, &mut lines, all, found);
    let text = line::join(sources, &lines);
    let is_shown = |line: usize| if line < shown { usize::MAX } else { 0 };
    let missing = Definitions::of(&text, &Lines::new(&text)).missing(is_shown);
    let added = lines.clone();
    lines.truncate(if missing.is_empty() { shown } else { ended });
    append(sources, &mut lines, &added, missing);
    lines
}

fn append(sources: &SourceMap, lines: &mut Vec<Line>, all: &[Line], parts: Vec<Range<usize>>) {
    let mut next = None;
    for part in parts {
        let is_apart = lines.last().is_none_or(|line| line.text(sources).trim().is_empty());
        if next.replace(part.end) != Some(part.start) && !is_apart {
            lines.push(Line::inserted(all[part.start].origin, ""));
        }
        lines.extend_from_slice(&all[part]);
    }
}

impl SharedLabel {
    pub(super) fn finding(&self, base: &[Line], overlay: &[Line]) -> Option<Diagnostic> {
        let message = format!("the base defines `[{}]` differently", self.label);
        let finding = overlay_clash::RULE
            .at(overlay[self.overlay.start].origin, message)
            .label("has no effect")
            .related(base[self.base.start].origin, "this definition counts")
            .help("use another label, or `strategy: merge`");
        self.differs.then_some(finding)
    }
}
