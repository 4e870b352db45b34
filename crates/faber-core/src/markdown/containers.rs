//! Containers such as `:::note … :::`.

use std::ops::Range;

use memchr::memmem;

use super::tags::{NestedFence, blank, pairs};
use super::{Block, BlockKind, Lines};

pub(super) const MAX_DEPTH: usize = 64;

#[derive(Debug, Default)]
pub struct Containers(Vec<Container>);

#[derive(Debug)]
struct Container {
    /// Lines of both fences.
    ends: (usize, usize),
    parent: Option<usize>,
    depth: usize,
}

impl Containers {
    pub fn of(text: &str) -> Self {
        if memmem::find(text.as_bytes(), b":::").is_none() {
            return Self::default();
        }
        let mut code: Option<NestedFence> = None;
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut found = Vec::new();
        let mut is_in_list = false;
        for (at, line) in text.lines().enumerate() {
            if let Some(fence) = code.take_if(|fence| fence.contains(line)) {
                code = Some(fence).filter(|fence| !fence.is_closed_by(line));
                continue;
            }
            code = NestedFence::begun_by(line);
            let inner = line.trim_start();
            is_in_list =
                is_item(inner) || is_in_list && (inner.is_empty() || inner.len() < line.len());
            let is_code = !is_in_list && (line.starts_with("    ") || line.starts_with('\t'));
            let Some((colons, opens)) = fence(inner).filter(|_| !is_code) else { continue };
            if opens {
                open.extend((open.len() < MAX_DEPTH).then_some((at, colons)));
                continue;
            }
            let same = open.iter().rposition(|(_, of)| *of == colons);
            if let Some(last) = same.or_else(|| open.len().checked_sub(1)) {
                found.push((open[last].0, at));
                open.truncate(last);
            }
        }
        found.sort_unstable();
        Self::nested(found)
    }

    pub(crate) fn nested(found: Vec<(usize, usize)>) -> Self {
        let mut all: Vec<Container> = Vec::with_capacity(found.len());
        let mut parent: Option<usize> = None;
        for ends in found {
            while let Some(above) = parent.filter(|&above| all[above].ends.1 < ends.0) {
                parent = all[above].parent;
            }
            let depth = parent.map_or(0, |above| all[above].depth + 1);
            if depth < MAX_DEPTH {
                all.push(Container { ends, parent, depth });
                parent = Some(all.len() - 1);
            }
        }
        Self(all)
    }

    #[must_use]
    pub fn with_tags(&self, lines: &Lines<'_>, blocks: &[Block]) -> Self {
        let may_have =
            |block: &&Block| matches!(block.kind, BlockKind::Html | BlockKind::Paragraph);
        let candidates = blocks.iter().filter(may_have).flat_map(|block| block.lines.clone());
        let mut found = pairs(candidates.map(|line| (line, lines.text(line))));
        found.extend(self.iter());
        found.sort_unstable();
        Self::nested(found)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().map(|container| container.ends)
    }

    /// Innermost first.
    pub fn around(&self, line: usize) -> impl Iterator<Item = (usize, usize)> {
        let last = self.0.partition_point(|it| it.ends.0 <= line).checked_sub(1);
        std::iter::successors(last, |&at| self.0[at].parent)
            .map(|at| self.0[at].ends)
            .filter(move |ends| line <= ends.1)
    }

    pub(crate) fn is_fence(&self, line: usize) -> bool {
        self.around(line).any(|(open, close)| line == open || line == close)
    }

    pub(super) fn blank_fences(&self, text: &mut String) {
        let lines = Lines::new(text);
        let fences = self.iter().flat_map(|(open, close)| [open, close]);
        let fences: Vec<Range<usize>> = fences.map(|line| lines.range(line)).collect();
        for fence in fences {
            blank(text, fence);
        }
    }

    pub(super) fn complete_lists(&self, blocks: &mut [Block]) {
        let end = |lines: &Range<usize>| {
            let within = self.around(lines.end - 1).filter(|(open, _)| lines.contains(open));
            within.last().map_or(lines.end, |(_, close)| lines.end.max(close + 1))
        };
        for block in blocks {
            if let BlockKind::List { items, .. } = &mut block.kind {
                block.lines.end = end(&block.lines);
                for item in items {
                    item.end = end(item);
                }
            }
        }
    }

    /// Not those with headings: their sections are those of the text.
    pub(crate) fn join(&self, blocks: Vec<Block>) -> Vec<Block> {
        if self.is_empty() {
            return blocks;
        }
        let is_heading = |block: &&Block| matches!(block.kind, BlockKind::Heading { .. });
        let headings: Vec<usize> =
            blocks.iter().filter(is_heading).map(|block| block.lines.start).collect();
        let has_heading = |(open, close): (usize, usize)| {
            headings.get(headings.partition_point(|&at| at < open)).is_some_and(|&at| at < close)
        };
        let mut joined: Vec<Block> = Vec::with_capacity(blocks.len());
        let mut end = 0;
        for block in blocks {
            let start = block.lines.start;
            if let Some(last) = joined.last_mut().filter(|_| start < end) {
                end = end.max(block.lines.end);
                last.lines.end = end;
                continue;
            }
            let found = self.0.binary_search_by_key(&start, |it| it.ends.0);
            let ends = found.ok().map(|at| self.0[at].ends).filter(|ends| !has_heading(*ends));
            match ends.filter(|_| block.kind == BlockKind::Other) {
                Some((open, close)) => {
                    end = close + 1;
                    joined.push(Block { kind: BlockKind::Container, lines: open..end });
                }
                None => joined.push(block),
            }
        }
        joined
    }
}

pub(super) fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if rest.len() < line.len() { &['.', ')'] } else { &['-', '*', '+'] };
    rest.strip_prefix(marks).is_some_and(|rest| rest.starts_with([' ', '\t']))
}

fn fence(line: &str) -> Option<(usize, bool)> {
    let rest = line.trim_start_matches(':');
    let colons = line.len() - rest.len();
    let name = rest.trim();
    if colons < 3 || name.is_empty() {
        return (colons >= 3).then_some((colons, false));
    }
    let opens = name.starts_with(|c: char| c.is_alphabetic() || c == '{') && !is_leaf(name);
    opens.then_some((colons, true))
}

fn is_leaf(name: &str) -> bool {
    let Some(inner) = name.strip_suffix(":::") else { return false };
    let inner = inner.trim_end_matches(':');
    let named = inner.trim_end();
    let is_attributes = named.starts_with('{') && named.ends_with('}');
    named.len() == inner.len() || named.contains(char::is_whitespace) && !is_attributes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::blocks;

    fn found(text: &str) -> Vec<(usize, usize)> {
        Containers::of(text).iter().collect()
    }

    #[test]
    fn fences_are_paired_as_each_dialect_does() {
        for (text, pairs) in [
            (":::note\na\n:::\n", &[(0, 2)][..]),
            ("::: tip Title\n\na\n\n:::\n\n:::{.wide}\n:::\n", &[(0, 4), (6, 7)]),
            ("::::a\n:::b[T]\n:::\n:::c\n:::\n::::\n", &[(0, 5), (1, 2), (3, 4)]),
            ("::: {.a}\n:::: b\n:::\n::::\n", &[(0, 2)]),
            ("::: a\n::: b\n:::\n:::\n", &[(0, 3), (1, 2)]),
            ("::::: a ::::\nb\n::::::::\n", &[(0, 2)]),
            (":::note\n:::image a=\"b\":::\n:::tip A b. :::\n:::\n", &[(0, 3)]),
            ("1. a\n\n    :::note\n    b\n    :::\n", &[(2, 4)]),
            ("a\n\n    :::note\n    b\n    :::\n", &[]),
            ("```\n:::note\n```\n:::\n", &[]),
            ("- ```\n  :::note\n  ```\n\n:::a\n:::\n", &[(4, 5)]),
            ("::: a.b\n\n:::\n:::\n::::::\n::: 7\n:::\n", &[(0, 2)]),
            ("a ::: b\n::\n", &[]),
        ] {
            assert_eq!(found(text), pairs, "{text}");
        }
    }

    #[test]
    fn a_line_is_in_what_surrounds_it() {
        let all = Containers::of(":::a\n::::b\n::::\n::::c\nx\n::::\n:::\ny\n");
        let around = |line| all.around(line).collect::<Vec<_>>();
        assert_eq!(around(4), [(3, 5), (0, 6)]);
        assert_eq!((around(6), around(7)), (vec![(0, 6)], vec![]));
        assert_eq!((0..8).filter(|&line| all.is_fence(line)).count(), 6);
    }

    #[test]
    fn a_container_is_one_block_unless_it_has_headings() {
        let lines = |text: &str| {
            let kinds = blocks(text).into_iter().map(|it| (it.kind, it.lines));
            kinds.map(|(kind, lines)| (kind == BlockKind::Container, lines)).collect::<Vec<_>>()
        };
        let text =
            "a\n:::note\n- b\n- c\n:::\nd\n\n:::e\n\n[f]: /f\n::::g\n```\n:::\n```\n::::\n\n:::\n";
        assert_eq!(lines(text), [(false, 0..1), (true, 1..5), (false, 5..6), (true, 7..17)]);
        let text = "::::a\n\n# B\n\n:::c\nd\n:::\n\n::::\n";
        assert_eq!(lines(text), [(false, 0..1), (false, 2..3), (true, 4..7), (false, 8..9)]);
        assert_eq!(lines(":::a\n- b\n  :::\n- c\n\nd\n"), [(true, 0..4), (false, 5..6)]);
        let text = "- a\n  :::b\n\n  c\n\n  :::\n- d\n\n  :::e\n  f\n  :::\n\ng\n";
        assert_eq!(lines(text), [(false, 0..11), (false, 12..13)]);
        let BlockKind::List { items, .. } = &blocks(text)[0].kind else { panic!() };
        assert_eq!(items[..], [0..6, 6..11]);
    }
}
