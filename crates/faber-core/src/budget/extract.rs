//! Extracts: summaries of texts without a model.

use std::ops::Range;

use crate::budget::excerpt::{Excerpt, max_steps};
use crate::budget::focus::introduces;
use crate::budget::sentence::PlainProse;
use crate::budget::truncate::truncate;
use crate::markdown::{Block, BlockKind, Lines, collapse};
use crate::resolve::catalog::Context;
use crate::source::SourceMap;

/// For texts without sentences and headings.
const FIRST_WORDS: usize = 12;

/// Headings with the first sentence or list item of each section, at most a quarter of the cost of
/// `text`.
///
/// Drops sentences, then headings, from the deepest and last sections on. If neither the title nor
/// its sentence fits, keeps the first words of one. A text without headings and sentences is
/// truncated. Calls `cost` O(log n) times.
pub fn summary(text: &str, cost: &dyn Fn(&str) -> usize) -> Excerpt {
    let lines = Lines::new(text);
    let quarter = cost(text) / 4;
    let skeleton = Skeleton::new(text, &lines);
    let fits = |excerpt: &Excerpt| cost(&excerpt.text()) <= quarter;
    let Some(&main) = skeleton.importance.first() else {
        return truncate(text, quarter, cost);
    };
    let count = skeleton.importance.len();
    if let Some(more) = max_steps(count - 1, |more| fits(&skeleton.excerpt(more + 1))) {
        return skeleton.judged(skeleton.excerpt(more + 1));
    }
    let mut singles = vec![skeleton.single(main)];
    singles.extend(skeleton.intro.filter(|&intro| intro != main).map(|at| skeleton.single(at)));
    if let Some(single) = singles.iter().find(|single| fits(single)) {
        return skeleton.judged(single.clone());
    }
    let words = singles.iter().find_map(|single| first_words(single, &fits));
    let cheaper = || singles.iter().min_by_key(|single| cost(&single.text())).cloned();
    words.or_else(|| cheaper().map(|single| skeleton.judged(single))).unwrap_or_default()
}

/// The `essence`, else the `description`, else the first sentence; may be empty.
pub fn essence(context: &Context, sources: &SourceMap) -> String {
    essence_or(context, || first_sentence(&context.body.text(sources)))
}

pub(super) fn essence_or(context: &Context, sentence: impl FnOnce() -> Option<String>) -> String {
    let fields = &context.front.fields;
    let declared = fields.essence.as_ref().or(fields.description.as_ref());
    declared
        .map(|text| collapse(&text.value))
        .filter(|text| !text.is_empty())
        .or_else(sentence)
        .unwrap_or_default()
}

/// The first sentence of the first paragraph, else the first heading, else the first words. `None`
/// for blank text.
pub fn first_sentence(text: &str) -> Option<String> {
    let lines = Lines::new(text);
    let (prose, blocks) = PlainProse::with_blocks(text);
    let paragraph =
        blocks.iter().filter(|block| block.kind == BlockKind::Paragraph).find_map(|b| {
            let run = prose.within(&bytes_of(&lines, b)).first()?;
            Some(collapse(&text[run.start..prose.first_end(run)])).filter(|line| !line.is_empty())
        });
    let title = || {
        blocks.iter().find_map(|block| match &block.kind {
            BlockKind::Heading { text, .. } if !text.is_empty() => Some(text.clone()),
            _ => None,
        })
    };
    let words = || {
        let says = |line: &&str| line.contains(char::is_alphanumeric);
        let line = text.lines().find(says).unwrap_or(text.trim());
        let words: Vec<_> = line.split_whitespace().take(FIRST_WORDS).collect();
        (!words.is_empty()).then(|| words.join(" "))
    };
    paragraph.or_else(title).or_else(words)
}

fn first_words(single: &Excerpt, fits: &dyn Fn(&Excerpt) -> bool) -> Option<Excerpt> {
    let line = single.lines.first()?;
    let mut ends = Vec::new();
    let mut says = false;
    let mut end = 0;
    for word in line.text.split_inclusive(char::is_whitespace) {
        says |= word.contains(char::is_alphanumeric);
        if says {
            ends.push(end + word.trim_end().len());
        }
        end += word.len();
    }
    let cut = |at: usize| {
        let mut words = Excerpt::default();
        words.push(line.from, &line.text[..ends[at]]);
        words
    };
    max_steps(ends.len().checked_sub(1)?, |at| fits(&cut(at))).map(cut)
}

fn bytes_of(lines: &Lines<'_>, block: &Block) -> Range<usize> {
    lines.range(block.lines.start).start..lines.range(block.lines.end - 1).end
}

/// A heading or the first sentence of a section.
#[derive(Clone, Copy, Debug)]
struct ExtractPiece {
    heading: bool,
    /// 1 to 6; 0 before the first heading.
    level: u8,
    line: usize,
    /// End in bytes.
    end: usize,
}

struct Skeleton<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    pieces: Vec<ExtractPiece>,
    /// Most important first.
    importance: Vec<usize>,
    /// Goes with the title or replaces it.
    intro: Option<usize>,
}

impl<'a> Skeleton<'a> {
    fn new(text: &'a str, lines: &'a Lines<'a>) -> Self {
        let pieces = pieces(text, lines);
        let title = pieces.iter().position(|piece| piece.heading);
        let second = title.and_then(|title| pieces[title + 1..].iter().position(|p| p.heading));
        let opening = title.zip(second).map_or(pieces.len(), |(title, second)| title + 1 + second);
        let intro = pieces[..opening].iter().position(|piece| !piece.heading);
        let mut importance: Vec<_> = (0..pieces.len()).collect();
        importance.sort_by_key(|&at| {
            let piece = pieces[at];
            let opens = Some(at) == title || Some(at) == intro;
            (!opens, !piece.heading, if opens { 0 } else { piece.level }, at)
        });
        Self { text, lines, pieces, importance, intro }
    }

    fn excerpt(&self, count: usize) -> Excerpt {
        let mut kept = self.importance[..count].to_vec();
        kept.sort_unstable();
        let mut excerpt = Excerpt::default();
        for &at in &kept {
            self.push(&mut excerpt, self.pieces[at]);
        }
        excerpt
    }

    fn single(&self, at: usize) -> Excerpt {
        let mut excerpt = Excerpt::default();
        self.push(&mut excerpt, self.pieces[at]);
        excerpt
    }

    fn judged(&self, mut excerpt: Excerpt) -> Excerpt {
        let shown: usize = excerpt.lines.iter().map(|line| dark(&line.text).count()).sum();
        excerpt.complete = dark(self.text).take(shown + 1).count() == shown;
        excerpt
    }

    fn push(&self, excerpt: &mut Excerpt, piece: ExtractPiece) {
        if !excerpt.lines.is_empty() {
            excerpt.push(piece.line, "");
        }
        excerpt.push_until(self.lines, self.text, piece.line, piece.end);
    }
}

fn dark(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

/// Headings, and the first sentence of each section, including the list item that it introduces.
fn pieces(text: &str, lines: &Lines<'_>) -> Vec<ExtractPiece> {
    let (prose, blocks) = PlainProse::with_blocks(text);
    let sentence =
        |bytes: &Range<usize>| prose.within(bytes).first().map(|run| prose.first_end(run));
    let item = |block: &Block| match &block.kind {
        BlockKind::List { items, .. } if !items.is_empty() => {
            sentence(&(lines.range(block.lines.start).start..lines.range(items[0].end - 1).end))
        }
        _ => None,
    };
    let mut pieces = Vec::new();
    let mut section = 0;
    let mut led = false;
    let mut shown = 0;
    let mut blocks = blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        let line = block.lines.start;
        let bytes = bytes_of(lines, block);
        let (heading, end) = match &block.kind {
            BlockKind::Heading { level, text, .. } => {
                (section, led) = (*level, false);
                (true, (!text.is_empty()).then_some(bytes.end))
            }
            BlockKind::List { .. } if !led => (false, item(block)),
            BlockKind::Paragraph if !led => {
                let end = sentence(&bytes);
                let list = end.filter(|&end| introduces(&text[bytes.start..end]));
                let list = list.and_then(|_| blocks.peek()).and_then(|next| item(next));
                (false, list.or(end))
            }
            _ => continue,
        };
        // A lone carriage return can put several blocks on one line.
        if let Some(end) = end.filter(|_| line >= shown) {
            led |= !heading;
            shown = lines.at(end.saturating_sub(1)) + 1;
            pieces.push(ExtractPiece { heading, level: section, line, end });
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::budget::strategies::markdown;
    use crate::tokens::{Encoding, count};

    const TEXT: &str = "# Deploy\n\nShip it safely. Always.\n\n## Steps\n\n- Build the image. Tag it.\n- \
        Push it\n\n### Detail\n\n```sh\nmake\n```\n\nRuns in *CI.* Fast.\n\n## Rollback\n\nUse the\n\
        last tag. Wait.\n";

    fn summarize(text: &str, quarter: usize) -> String {
        summary(text, &|part| if part == text { quarter * 4 } else { part.len() }).text()
    }

    #[test]
    fn a_summary_is_the_headings_with_what_leads_each_section() {
        assert_eq!(
            summarize("Before a release:\n\n- Tag it. Push.\n- Wait\n\nThen go.\n", 1000),
            "Before a release:\n\n- Tag it."
        );
        assert_eq!(
            summarize(TEXT, 1000),
            "# Deploy\n\nShip it safely.\n\n## Steps\n\n- Build the image.\n\n### Detail\n\n\
             Runs in *CI.*\n\n## Rollback\n\nUse the\nlast tag."
        );
    }

    #[test]
    fn large_outlines_lose_deep_levels_first_and_then_their_end() {
        let steps = "# Deploy\n\nShip it safely.\n\n## Steps";
        let all = "- Build the image.\n\n### Detail\n\n## Rollback\n\nUse the\nlast tag.";
        assert_eq!(summarize(TEXT, 110), format!("{steps}\n\n{all}"));
        let most = "- Build the image.\n\n### Detail\n\n## Rollback";
        assert_eq!(summarize(TEXT, 80), format!("{steps}\n\n{most}"));
        assert_eq!(summarize(TEXT, 50), format!("{steps}\n\n## Rollback"));
        assert_eq!(summarize(TEXT, 40), steps);
        assert_eq!(summarize(TEXT, 20), "# Deploy");
        assert_eq!(summarize("# Long title here\n\nShort. X", 6), "Short.");
        assert_eq!(summarize("# Long title here\n\nSentence", 7), "# Long");
        assert_eq!(summarize("# Long title here\n\nSentence", 2), "Sentence");
    }

    #[test]
    fn a_text_without_headings_and_sentences_gives_its_beginning() {
        assert_eq!(summarize("```\na\nb\nc\n```\n", 9), "```\na\n```");
        assert!(summary("", &str::len).complete);
    }

    #[test]
    fn the_first_sentence_is_the_first_thing_said() {
        let first = |text| first_sentence(text);
        assert_eq!(first("# T\n\n- x\n\nSee `a. b`\nand *c*. D").unwrap(), "See `a. b` and *c*.");
        assert_eq!(first("- x\n\n## T `y`\n").unwrap(), "T y");
        assert_eq!(first("```\nlet x\n```").unwrap(), "let x");
        assert_eq!(first("***").unwrap(), "***");
        assert_eq!(first(" \n\u{a0}\n"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn a_summary_is_at_most_a_quarter_or_one_piece(text in markdown()) {
            let tokens = |text: &str| count(Encoding::O200kBase, text);
            let excerpt = summary(&text, &tokens);
            let lines = Lines::new(&text);
            for line in &excerpt.lines {
                prop_assert!(lines.text(line.from).starts_with(&line.text));
            }
            let one_piece = excerpt.lines.iter().all(|line| !line.text.is_empty());
            prop_assert!(tokens(&excerpt.text()) <= tokens(&text) / 4 || one_piece);
            prop_assert_eq!(first_sentence(&text).is_none(), text.trim().is_empty());
            prop_assert!(first_sentence(&text).is_none_or(|line| !line.contains('\n')));
        }

        #[test]
        fn long_texts_are_always_summarized_in_a_quarter(text in markdown()) {
            let tokens = |text: &str| count(Encoding::O200kBase, text);
            let text = format!("Begin.\n\n{text}\n\n{}", "More to say about it.\n\n".repeat(20));
            prop_assert!(tokens(&summary(&text, &tokens).text()) <= tokens(&text) / 4);
        }
    }
}
