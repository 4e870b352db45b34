//! Sentence boundaries in Markdown.

use std::ops::Range;

use pulldown_cmark::{Event, TagEnd};

use crate::markdown::{Block, Containers, blocks_within};

const CLOSERS: &str = "*_~)]}\"'”’»」』）";
const WIDE: &str = "。！？";
const ABBREVIATIONS: [&str; 29] = [
    "al", "approx", "bzw", "ca", "cf", "dr", "esp", "etc", "ex", "fig", "ggf", "inc", "incl",
    "inkl", "jr", "ltd", "mr", "mrs", "ms", "mt", "nr", "prof", "resp", "sr", "st", "vgl", "viz",
    "vs", "z",
];
/// In bytes.
const MAX_ABBREVIATION: usize = 6;
/// Before a number, as in `No. 5`, or a small letter. In bytes.
const MAX_BEFORE_NUMBER: usize = 4;
const MAX_BEFORE: usize = 2;

pub(super) struct PlainProse<'a> {
    text: &'a str,
    /// Non-empty, in order.
    pub(super) runs: Vec<Range<usize>>,
    inline: Vec<Range<usize>>,
}

impl<'a> PlainProse<'a> {
    pub(super) fn with_blocks(text: &'a str) -> (Self, Vec<Block>) {
        let containers = Containers::of(text);
        let (prose, blocks) = Self::with_inner_blocks(text, &containers);
        (prose, containers.join(blocks))
    }

    pub(super) fn with_inner_blocks(text: &'a str, containers: &Containers) -> (Self, Vec<Block>) {
        let mut walk = ProseCollector::default();
        let see = |event: &Event<'_>, bytes: &Range<usize>| walk.event(event, bytes.clone());
        let blocks = blocks_within(text, containers, see);
        walk.close();
        (Self { text, runs: walk.runs, inline: walk.inline }, blocks)
    }

    pub(super) fn within(&self, bytes: &Range<usize>) -> &[Range<usize>] {
        let first = self.runs.partition_point(|run| run.start < bytes.start);
        let end = self.runs.partition_point(|run| run.start < bytes.end);
        &self.runs[first..end.max(first)]
    }

    /// The last excludes trailing white space.
    pub(super) fn ends(&self, run: &Range<usize>) -> Vec<usize> {
        let end = run.start + self.text[run.clone()].trim_end().len();
        let mut inline = self.inline[self.inline.partition_point(|r| r.end <= run.start)..].iter();
        let mut next = inline.next();
        let mut ends = Vec::new();
        let mut from = run.start;
        while let Some(found) = self.stop(from..end) {
            from = found.end;
            while next.is_some_and(|range| range.end < found.end) {
                next = inline.next();
            }
            let inside = next.is_some_and(|r| r.start < found.end && found.end < r.end);
            if !inside && found.end < end && self.is_end(run.start, &found) {
                ends.push(found.end);
            }
        }
        ends.push(end);
        ends
    }

    fn stop(&self, bytes: Range<usize>) -> Option<Range<usize>> {
        let text = &self.text[bytes.clone()];
        let at = text.find(is_stop)?;
        let rest = &text[at..];
        let more = |c: char| is_stop(c) || CLOSERS.contains(c);
        let len = rest.find(|c| !more(c)).unwrap_or(rest.len());
        Some(bytes.start + at..bytes.start + at + len)
    }

    fn is_end(&self, start: usize, stop: &Range<usize>) -> bool {
        let cluster = &self.text[stop.clone()];
        let after = self.text[stop.end..].chars().next();
        if !after.is_none_or(char::is_whitespace) && !cluster.contains(|c| WIDE.contains(c)) {
            return false;
        }
        let next = self.text[stop.end..].trim_start().chars().next();
        let goes_on = next.is_some_and(char::is_lowercase);
        let is_quote =
            cluster.starts_with(['!', '?']) && cluster.ends_with(|c| CLOSERS.contains(c));
        if goes_on && is_quote {
            return false;
        }
        // `max. 5`, but not "opened. then" in a text without capitals.
        let is_digit = next.is_some_and(|c| c.is_ascii_digit());
        let longest = if is_digit { MAX_BEFORE_NUMBER } else { usize::from(goes_on) * MAX_BEFORE };
        let stops = cluster.chars().filter(|&c| is_stop(c)).count();
        stops > 1 || !cluster.starts_with('.') || !self.is_short(start..stop.start, longest)
    }

    fn is_short(&self, before: Range<usize>, longest: usize) -> bool {
        let text = &self.text[before];
        let is_word = |c: &char| c.is_alphanumeric() || *c == '.';
        let mut len = 0;
        for c in text.chars().rev().take_while(is_word) {
            len += c.len_utf8();
            if len > MAX_ABBREVIATION {
                return false;
            }
        }
        let (line, word) = text.split_at(text.len() - len);
        if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            let line = line.trim_end_matches([' ', '\t']);
            return line.is_empty() || line.ends_with(['\n', '\r']);
        }
        let is_letters = |part: &str| part.chars().all(char::is_alphabetic);
        let mut parts = word.split('.');
        let is_spelled = word.contains('.')
            && parts.all(|part| (1..=2).contains(&part.chars().count()) && is_letters(part));
        let is_initial = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_cut = (1..=longest).contains(&word.len()) && is_letters(word);
        is_spelled
            || is_initial
            || is_cut
            || ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…') || WIDE.contains(c)
}

#[derive(Default)]
struct ProseCollector {
    runs: Vec<Range<usize>>,
    inline: Vec<Range<usize>>,
    open: Option<Range<usize>>,
    inside: usize,
    skipped: usize,
}

impl ProseCollector {
    fn event(&mut self, event: &Event<'_>, bytes: Range<usize>) {
        match event {
            Event::Start(tag) if is_inline(tag.to_end()) => {
                self.element(bytes);
                self.inside += 1;
            }
            Event::End(tag) if is_inline(*tag) => self.inside = self.inside.saturating_sub(1),
            Event::Start(tag) => {
                self.close();
                self.skipped += usize::from(!holds_prose(tag.to_end()));
            }
            Event::End(tag) => {
                self.close();
                self.skipped -= usize::from(!holds_prose(*tag));
            }
            Event::Code(_) | Event::InlineHtml(_) => self.element(bytes),
            Event::Text(_) => self.extend(&bytes),
            _ => {}
        }
    }

    fn element(&mut self, bytes: Range<usize>) {
        self.extend(&bytes);
        if self.skipped == 0 && self.inside == 0 {
            self.inline.push(bytes);
        }
    }

    fn extend(&mut self, bytes: &Range<usize>) {
        if self.skipped == 0 && !bytes.is_empty() {
            let start = self.open.as_ref().map_or(bytes.start, |open| open.start);
            let end = self.open.as_ref().map_or(bytes.end, |open| open.end.max(bytes.end));
            self.open = Some(start..end);
        }
    }

    fn close(&mut self) {
        self.inside = 0;
        self.runs.extend(self.open.take());
    }
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

fn holds_prose(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Paragraph | TagEnd::List(_) | TagEnd::Item | TagEnd::BlockQuote(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<&str> {
        let (prose, _) = PlainProse::with_blocks(text);
        let run = prose.runs[0].clone();
        let mut start = run.start;
        let cut = |end| text[std::mem::replace(&mut start, end)..end].trim_start();
        prose.ends(&run).into_iter().map(cut).collect()
    }

    #[test]
    fn sentences_end_at_full_stops_before_white_space() {
        assert_eq!(
            sentences("One is 1.2. Two?! (Three.) \"Four.\"\nv1.2 is\nfive... End"),
            ["One is 1.2.", "Two?!", "(Three.)", "\"Four.\"", "v1.2 is\nfive...", "End"]
        );
        assert_eq!(sentences("一。二！三"), ["一。", "二！", "三"]);
    }

    #[test]
    fn abbreviations_initials_and_item_numbers_end_nothing() {
        for text in [
            "See e.g. this",
            "a, b, etc. and",
            "Dr. J. Who",
            "x (vs. y) z",
            "a\n2. b",
            "Data of U.S. customers",
            "Deploy before 4 p.m. Central",
            "Mit Ticket-Nr. und z. B. Namen",
            "Follow rule No. 5",
            "Never answer \"Is it safe?\" without proof",
        ] {
            assert_eq!(sentences(text), [text]);
        }
        assert_eq!(sentences("In 2024. Then"), ["In 2024.", "Then"]);
        assert_eq!(sentences("it was opened. then closed"), ["it was opened.", "then closed"]);
        assert_eq!(sentences("Is it safe? No. Ask"), ["Is it safe?", "No.", "Ask"]);
    }

    #[test]
    fn code_links_and_emphasis_stay_whole() {
        assert_eq!(
            sentences("Run `a. b` [x. y](u.v) now. Go"),
            ["Run `a. b` [x. y](u.v) now.", "Go"]
        );
        assert_eq!(sentences("Use `x.` here **a. b.** C"), ["Use `x.` here **a. b.**", "C"]);
    }

    #[test]
    fn running_text_is_that_of_paragraphs_and_items() {
        let text = "# No. No\n\np\n\n- a\n  - b\n\n> q\n\n| t |\n|---|\n\n```\nx. y\n```\n";
        let (prose, _) = PlainProse::with_blocks(text);
        let runs: Vec<_> = prose.runs.iter().map(|run| &text[run.clone()]).collect();
        assert_eq!(runs, ["p", "a", "b", "q"]);
    }
}
