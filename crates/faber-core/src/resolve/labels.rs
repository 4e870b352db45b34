//! Labels of links and footnotes that a base and its overlay define.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::line::{self, Line};
use crate::markdown::{self, BlockKind, Definitions, Lines, collapse};
use crate::rules::overlay_clash;
use crate::source::SourceMap;

/// Lines of the definitions.
pub(super) struct SharedLabel {
    label: String,
    base: Range<usize>,
    pub(super) overlay: Range<usize>,
    differs: bool,
}

/// Outside of lists and quotes, in the order of the base.
pub(super) fn shared(sources: &SourceMap, base: &[Line], overlay: &[Line]) -> Vec<SharedLabel> {
    let may_define = |line: &Line| line.text(sources).contains("]:");
    if !overlay.iter().any(may_define) || !base.iter().any(may_define) {
        return Vec::new();
    }
    let [base, overlay] = [base, overlay].map(|lines| line::join(sources, lines));
    let of = |text: &str| {
        let blocks = markdown::blocks(text);
        let is_apart = |lines: &Range<usize>| {
            let block = blocks.iter().find(|block| block.lines.contains(&lines.start));
            block.is_some_and(|it| matches!(it.kind, BlockKind::Paragraph | BlockKind::Other))
        };
        let mut all = Definitions::of(text, &Lines::new(text)).0;
        all.retain(|_, definition| is_apart(&definition.lines));
        all
    };
    let (in_base, mut in_overlay) = (of(&base), of(&overlay));
    let words = |text: &str, lines: &Range<usize>| collapse(&text[Lines::new(text).bytes(lines)]);
    let shared = in_base.into_iter().filter_map(|(label, definition)| {
        let (old, new) = (definition.lines, in_overlay.remove(&label)?.lines);
        let differs = words(&base, &old) != words(&overlay, &new);
        Some(SharedLabel { label, base: old, overlay: new, differs })
    });
    let mut shared: Vec<SharedLabel> = shared.collect();
    shared.sort_by_key(|shared| shared.base.start);
    shared
}

/// The base with the definitions of the overlay that differ.
pub(super) fn replaced(shared: &[SharedLabel], base: &[Line], overlay: &[Line]) -> Vec<Line> {
    let mut lines = base.to_vec();
    for shared in shared.iter().rev().filter(|shared| shared.differs) {
        let own = overlay[shared.overlay.clone()].iter().cloned();
        lines.splice(shared.base.clone(), own);
    }
    lines
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
