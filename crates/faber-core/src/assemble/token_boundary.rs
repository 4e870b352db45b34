//! Counts the tokens of a bundle from those of its blocks.

use crate::render::block::{BundleBlock, bundle_text, text_of};
use crate::tokens::Counter;

/// At most boundaries counts add up, see [`faber_tokens::count`].
pub(super) fn count(blocks: &[BundleBlock], counter: &Counter) -> usize {
    if !counter.adds_up() {
        return counter.count_message(&bundle_text(blocks));
    }
    let is_empty = |block: &BundleBlock| block.lines.iter().all(|line| line.text.is_empty());
    let end = blocks.iter().rposition(|block| !is_empty(block)).map_or(0, |last| last + 1);
    let mut runs = blocks[..end].chunk_by(|_, next| !starts_token(next));
    let last = runs.next_back().map_or(0, |run| counter.count(&bundle_text(run)));
    let of_run = |run: &[BundleBlock]| match run {
        [block] => block.tokens,
        _ => counter.count(&run.iter().map(|block| text_of(&block.lines)).collect::<String>()),
    };
    runs.map(of_run).sum::<usize>() + last
}

fn starts_token(block: &BundleBlock) -> bool {
    let first = block.lines.first().and_then(|line| line.text.chars().next());
    first.is_some_and(|first| first != '/' && !first.is_whitespace())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::budget::level::Section;
    use crate::render::block::{BundleBlockKind, BundleLine};
    use crate::tokens::Encoding;

    proptest! {
        #[test]
        fn a_bundle_costs_what_its_text_does(
            texts in prop::collection::vec(
                prop::collection::vec("(|/|[ \t!a#.)]{1,9}|[\\PC]{1,5})", 1..4),
                0..5,
            ),
            margin in prop::sample::select(vec![0, 0, 7]),
        ) {
            for encoding in [Encoding::O200kBase, Encoding::Cl100kBase, Encoding::Claude48] {
                let exact = Counter::exact(encoding, &Arc::default());
                let counter = Counter { margin_percent: margin, ..exact };
                let block = |texts: &Vec<String>| {
                    let lines: Vec<_> = texts.iter().map(BundleLine::own).collect();
                    let tokens = counter.count(&text_of(&lines));
                    let (kind, section) = (BundleBlockKind::Frame, Section::System);
                    BundleBlock { kind, section, lines, tokens }
                };
                let blocks: Vec<_> = texts.iter().map(block).collect();
                let whole = counter.count_message(&bundle_text(&blocks));
                prop_assert_eq!(count(&blocks, &counter), whole);
            }
        }
    }
}
