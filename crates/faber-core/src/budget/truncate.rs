//! Truncation of Markdown at block boundaries.

use crate::budget::excerpt::{Excerpt, max_steps};
use crate::budget::sentence::PlainProse;
use crate::markdown::{Block, BlockKind, Containers, Definitions, Lines};

/// The longest beginning with a cost of at most `limit`, with the definitions it uses. Never ends
/// after a heading. Calls `cost` O(log n) times.
pub fn truncate(text: &str, limit: usize, cost: &dyn Fn(&str) -> usize) -> Excerpt {
    let lines = Lines::new(text);
    let whole = Excerpt::whole(&lines);
    if cost(&whole.text()) <= limit {
        return whole;
    }
    let mut cuts = vec![Cut { end: 0, fence: None }];
    cuts.extend(Cuts::new(text, &lines).found);
    let definitions = Definitions::of(text, &lines);
    let containers = Containers::of(text);
    let excerpt = |at: usize| cuts[at].excerpt(text, &lines, &containers);
    let defined = |at: usize| excerpt(at).with_definitions(&lines, &definitions);
    let fits = |excerpt: &Excerpt| cost(&excerpt.text()) <= limit;
    let best = max_steps(cuts.len() - 1, |at| at == 0 || fits(&defined(at))).unwrap_or(0);
    let first = (best == 0 && cuts.len() > 1).then(|| excerpt(1)).filter(fits);
    first.unwrap_or_else(|| defined(best))
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    end: usize,
    fence: Option<usize>,
}

impl Cut {
    fn excerpt(self, text: &str, lines: &Lines<'_>, containers: &Containers) -> Excerpt {
        let complete = self.fence.is_none() && self.end >= text.trim_end().len();
        let mut excerpt = Excerpt { complete, ..Excerpt::default() };
        if self.end > 0 {
            excerpt.push_until(lines, text, 0, self.end);
        }
        if let Some(line) = self.fence {
            excerpt.push(line, crate::markdown::fence_of(lines.text(line)).unwrap_or_default());
        }
        let last = lines.at(self.end.saturating_sub(1));
        let open = containers.around(last).filter(|(_, close)| self.end > 0 && last < *close);
        for (_, close) in open {
            if lines.text(close - 1).trim().is_empty() {
                excerpt.push(close, "");
            }
            excerpt.push(close, lines.text(close));
        }
        excerpt
    }
}

struct Cuts<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    prose: PlainProse<'a>,
    plain: usize,
    seen: Option<(usize, bool)>,
    found: Vec<Cut>,
}

impl<'a> Cuts<'a> {
    fn new(text: &'a str, lines: &'a Lines<'a>) -> Self {
        let (prose, blocks) = PlainProse::with_blocks(text);
        let plain = plain_end(text, lines);
        let mut cuts = Self { text, lines, prose, plain, seen: None, found: Vec::new() };
        for block in blocks {
            cuts.block(&block);
        }
        cuts
    }

    fn block(&mut self, block: &Block) {
        let range = &block.lines;
        let first = self.found.is_empty();
        match &block.kind {
            BlockKind::Heading { .. } | BlockKind::Rule | BlockKind::Other => {}
            BlockKind::Html if self.lines.text(range.start).trim_start().starts_with("<!--") => {}
            BlockKind::Paragraph => self.sentences(range.clone()),
            BlockKind::List { items, .. } => {
                for (at, item) in items.iter().enumerate() {
                    if first && at == 0 {
                        self.sentences(item.clone());
                    }
                    self.after(item.end);
                }
            }
            BlockKind::Table { rows, .. } => {
                for row in rows {
                    self.after(row.0 + 1);
                }
                self.after(range.end);
            }
            BlockKind::Fence => {
                if first {
                    self.fence(range.clone());
                }
                self.after(range.end);
            }
            BlockKind::IndentedCode => {
                if first {
                    for line in range.clone() {
                        self.after(line + 1);
                    }
                }
                self.after(range.end);
            }
            BlockKind::Quote | BlockKind::Container => {
                if first {
                    self.sentences(range.clone());
                }
                self.after(range.end);
            }
            BlockKind::Html => self.after(range.end),
        }
    }

    fn sentences(&mut self, lines: std::ops::Range<usize>) {
        let bytes = self.lines.bytes(&lines);
        for run in self.prose.within(&bytes).to_vec() {
            for end in self.prose.ends(&run) {
                self.push(end, None);
            }
        }
    }

    fn fence(&mut self, lines: std::ops::Range<usize>) {
        let Some(fence) = crate::markdown::fence_of(self.lines.text(lines.start)) else { return };
        let last = self.lines.text(lines.end - 1).trim_start();
        let closed = last.starts_with(fence.trim_start());
        let end = lines.end.saturating_sub(1 + usize::from(closed));
        for line in lines.start + 1..end {
            self.push(self.lines.range(line).end, Some(lines.start));
        }
    }

    fn after(&mut self, line: usize) {
        let range = self.lines.range(line - 1);
        self.push(range.start + self.text[range].trim_end().len(), None);
    }

    fn push(&mut self, end: usize, fence: Option<usize>) {
        if self.found.last().is_none_or(|last| last.end < end) && self.may_end(end) {
            self.found.push(Cut { end, fence });
        }
    }

    fn may_end(&mut self, end: usize) -> bool {
        let line = self.lines.at(end.saturating_sub(1));
        let range = self.lines.range(line);
        let seen = self.seen.filter(|(seen, _)| *seen == line);
        let (_, has_ticks) = *self.seen.insert(seen.unwrap_or_else(|| {
            let text = &self.text[range.clone()];
            let inner = text.trim_start_matches(|c: char| !c.is_alphabetic() && c != '`');
            (line, inner.starts_with("```"))
        }));
        let rest = self.text.get(end..range.end).unwrap_or_default();
        end <= self.plain && (!has_ticks || rest.trim_start().is_empty())
    }
}

/// Markdown breaks lines at a lone carriage return, [`Lines`] does not.
fn plain_end(text: &str, lines: &Lines<'_>) -> usize {
    let bytes = text.as_bytes();
    let lone = |&(at, _): &(usize, &str)| bytes.get(at + 1) != Some(&b'\n');
    let first = text.match_indices('\r').find(lone);
    first.map_or(text.len(), |(at, _)| lines.range(lines.at(at)).start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::budget::strategies::markdown;
    use crate::markdown::blocks;
    use crate::tokens::{Encoding, count};

    fn tokens(text: &str) -> usize {
        count(Encoding::O200kBase, text)
    }

    fn cut(text: &str, bytes: usize) -> String {
        truncate(text, bytes, &str::len).text()
    }

    #[test]
    fn whole_blocks_then_sentences_and_no_heading_at_the_end() {
        let text = "# T\n\nOne is\nhere. Two.\n\n## S\n\n### U\n\nThree.\n";
        assert_eq!(cut(text, 100), "# T\n\nOne is\nhere. Two.\n\n## S\n\n### U\n\nThree.");
        assert_eq!(cut(text, 41), "# T\n\nOne is\nhere. Two.");
        assert_eq!(cut(text, 20), "# T\n\nOne is\nhere.");
        assert_eq!(cut(text, 15), "");
    }

    #[test]
    fn items_stay_together_unless_nothing_else_is_there() {
        let text = "- one. two.\n  - nested\n- three\n  more\n";
        assert_eq!(cut(text, 35), "- one. two.\n  - nested");
        assert_eq!(cut(text, 21), "- one. two.");
        assert_eq!(cut(text, 10), "- one.");
        let text = format!("Before.\n\n{text}");
        assert_eq!(cut(&text, 30), "Before.");
    }

    #[test]
    fn tables_keep_their_head_or_go() {
        let text = "T:\n\n| a |\n|---|\n| 1 |\n| 2 |\n\nend\n";
        assert_eq!(cut(text, 27), "T:\n\n| a |\n|---|\n| 1 |\n| 2 |");
        assert_eq!(cut(text, 26), "T:\n\n| a |\n|---|\n| 1 |");
        assert_eq!(cut(text, 20), "T:");
    }

    #[test]
    fn fences_go_whole_or_are_closed_again() {
        let text = "  ~~~~rs\na\n~~~\nbbbb\n~~~~\n\npara\n";
        assert_eq!(cut(text, 24), "  ~~~~rs\na\n~~~\nbbbb\n~~~~");
        let excerpt = truncate(text, 22, &str::len);
        assert_eq!(excerpt.text(), "  ~~~~rs\na\n~~~\n  ~~~~");
        assert_eq!((excerpt.lines[3].from, excerpt.complete), (0, false));
        assert_eq!(cut("para\n\n```\na\nb\nc\n```\n", 16), "para");
    }

    #[test]
    fn a_beginning_has_the_definitions_that_it_uses() {
        let text = "See [a]. Or [b].\n\nMore.\n\n[a]: /a\n[b]: /b\n\n# End\n";
        assert_eq!(cut(text, 17), "See [a].\n\n[a]: /a");
        assert_eq!(cut(text, 16), "See [a].");
        let excerpt = truncate(text, 33, &str::len);
        assert_eq!(excerpt.text(), "See [a]. Or [b].\n\n[a]: /a\n[b]: /b");
        assert_eq!(excerpt.without_definitions().len(), 1);
    }

    #[test]
    fn containers_are_closed_where_they_are_cut() {
        let text = ":::a\n::::b\nOne. Two.\n\n::::\n:::\n\nThree.\n";
        assert_eq!(cut(text, 25), ":::a\n::::b\nOne.\n\n::::\n:::");
        assert_eq!(cut(text, 24), "");
        assert_eq!(cut(text, 32), ":::a\n::::b\nOne. Two.\n\n::::\n:::");
        assert_eq!(cut(":::a\n# B\n\nOne.\n\nTwo.\n:::\n", 18), ":::a\n# B\n\nOne.\n:::");
        assert_eq!(cut("Zero.\n\n:::a\nOne. Two.\n:::\n", 20), "Zero.");
    }

    #[test]
    fn no_cut_opens_a_fence_that_was_none() {
        assert_eq!(cut("```a. b `c` d. e\n", 15), "");
        assert_eq!(cut("x\n\n```a\r  ```\nx. y\n", 14), "x");
    }

    #[test]
    fn large_texts_are_counted_a_few_times_only() {
        let calls = std::cell::Cell::new(0);
        let cost = |text: &str| {
            calls.set(calls.get() + 1);
            text.len()
        };
        let text = "One. Two (etc. three). `a. b` **c. d**\n".repeat(20_000);
        let excerpt = truncate(&text, 400_000, &cost);
        assert!(excerpt.text().len() > 399_900 && calls.get() <= 48, "{}", calls.get());
    }

    fn is_closed(text: &str) -> bool {
        let last = blocks(&format!("{text}\n\nafter\n")).pop();
        last.is_some_and(|block| block.kind == BlockKind::Paragraph && block.lines.len() == 1)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn a_truncated_text_keeps_the_limit_and_is_well_formed(
            text in markdown(), limit in 0..120_usize,
        ) {
            let excerpt = truncate(&text, limit, &tokens);
            prop_assert!(tokens(&excerpt.text()) <= limit);
            prop_assert!(excerpt.complete || is_closed(&excerpt.text()), "{:?}", excerpt.text());
            let lines = Lines::new(&text);
            for line in &excerpt.lines {
                prop_assert!(lines.text(line.from).starts_with(&line.text));
            }
            let ends = blocks(&excerpt.text()).pop();
            let heading = ends.is_some_and(|last| matches!(last.kind, BlockKind::Heading { .. }));
            prop_assert!(excerpt.complete || !heading, "{:?}", excerpt.text());
        }

        #[test]
        fn enough_is_everything_and_more_is_never_less(text in markdown()) {
            let lines = Lines::new(&text);
            let whole = Excerpt::whole(&lines);
            let full = tokens(&whole.text());
            prop_assert_eq!(&truncate(&text, full, &tokens), &whole);
            let mut before = 0;
            for limit in 0..full {
                let now = truncate(&text, limit, &tokens).lines.len();
                prop_assert!(before <= now);
                before = now;
            }
            prop_assert!(before <= lines.len());
        }
    }
}
