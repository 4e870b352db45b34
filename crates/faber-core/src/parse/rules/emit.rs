//! Removes directives that are carried out.

use std::collections::BTreeMap;

use super::types::{PromptDirective, PromptRules};
use crate::line::{self, Line};
use crate::markdown::{self, BlockKind};
use crate::source::SourceMap;

/// Also removes empty headings, and renumbers lists unless text refers to their numbers.
pub fn emitted(
    lines: &[Line],
    read: &PromptRules,
    done: impl Fn(usize) -> bool,
    sources: &SourceMap,
) -> Vec<Line> {
    let blank: Vec<bool> = lines.iter().map(|line| line.text(sources).trim().is_empty()).collect();
    let mut removed = removed(&read.directives, &blank, done);
    if !removed.contains(&true) {
        return lines.to_vec();
    }
    let blocks = read.blocks.get_or_init(|| markdown::blocks(&line::join(sources, lines)));
    remove_empty_headings(blocks, &blank, &mut removed);
    let mut kept = lines.iter().zip(&removed).filter(|(_, removed)| !**removed);
    let refers = kept.any(|(line, _)| refers_to_number(line.text(sources)));
    let lists = if refers { &[][..] } else { &read.lists };
    let numbers = numbers(lists, lines, &removed, sources);
    let mut writer = RuleWriter {
        owners: owners(blocks, lines.len()),
        blocks,
        last: None,
        blanks: Vec::new(),
        gap: None,
        out: Vec::new(),
    };
    for (number, line) in lines.iter().enumerate() {
        if removed[number] {
            writer.gap = Some(line);
        } else if blank[number] {
            writer.blanks.push(line);
        } else {
            writer.keep(number, numbers.get(&number).unwrap_or(line));
        }
    }
    if writer.gap.is_none() {
        writer.out.extend(writer.blanks.into_iter().cloned());
    }
    writer.out
}

fn removed(
    directives: &[PromptDirective],
    blank: &[bool],
    done: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut removed = vec![false; blank.len()];
    let mut done: Vec<&PromptDirective> =
        directives.iter().enumerate().filter(|(at, _)| done(*at)).map(|(_, it)| it).collect();
    done.sort_by_key(|directive| std::cmp::Reverse(directive.lines.start));
    for PromptDirective { lines, below, .. } in done {
        if below.clone().all(|line| blank[line] || removed[line]) {
            removed[lines.clone()].fill(true);
        }
    }
    removed
}

fn numbers(
    lists: &[Vec<usize>],
    lines: &[Line],
    removed: &[bool],
    sources: &SourceMap,
) -> BTreeMap<usize, Line> {
    let mut changed = BTreeMap::new();
    for starts in lists {
        let number = |line: usize| {
            let text = lines[line].text(sources);
            let from = text.len() - text.trim_start().len();
            let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
            let number: Option<u64> = text[from..from + digits].parse().ok();
            number.map(|number| (number, from..from + digits))
        };
        let Some((mut next, _)) = starts.first().and_then(|&first| number(first)) else { continue };
        if !starts.iter().any(|&start| removed[start]) {
            continue;
        }
        for &start in starts.iter().filter(|&&start| !removed[start]) {
            if let Some((old, place)) = number(start)
                && old != next
            {
                let mut text = lines[start].text(sources).to_owned();
                text.replace_range(place, &next.to_string());
                changed.insert(start, Line::inserted(lines[start].origin, &text));
            }
            next += 1;
        }
    }
    changed
}

fn refers_to_number(line: &str) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '#' | '-'));
    let words = words.map(|word| word.trim_start_matches(|c: char| !c.is_alphanumeric()));
    let mut before = "";
    words.filter(|word| !word.is_empty()).any(|word| {
        let named = std::mem::replace(&mut before, word);
        word.starts_with(|c: char| c.is_ascii_digit())
            && ["item", "items", "number", "point", "points", "rule", "rules", "step", "steps"]
                .iter()
                .any(|kind| named.eq_ignore_ascii_case(kind))
    })
}

fn owners(blocks: &[markdown::Block], lines: usize) -> Vec<Option<usize>> {
    let mut owners = vec![None; lines];
    for (index, block) in blocks.iter().enumerate() {
        owners[block.lines.clone()].fill(Some(index));
    }
    owners
}

struct RuleWriter<'a> {
    blocks: &'a [markdown::Block],
    owners: Vec<Option<usize>>,
    last: Option<usize>,
    blanks: Vec<&'a Line>,
    gap: Option<&'a Line>,
    out: Vec<Line>,
}

impl RuleWriter<'_> {
    fn keep(&mut self, number: usize, line: &Line) {
        let owner = self.owners[number];
        match self.gap.take() {
            None => self.out.extend(self.blanks.drain(..).cloned()),
            Some(_) if self.out.is_empty() => self.blanks.clear(),
            Some(removed) => {
                if let Some(&first) = self.blanks.first() {
                    self.out.push(first.clone());
                } else if owner != self.last && !self.last_is_heading() {
                    self.out.push(Line::inserted(removed.origin, ""));
                }
                self.blanks.clear();
            }
        }
        self.out.push(line.clone());
        self.last = owner;
    }

    fn last_is_heading(&self) -> bool {
        let last = self.last.and_then(|block| self.blocks.get(block));
        last.is_some_and(|block| matches!(block.kind, BlockKind::Heading { .. }))
    }
}

fn remove_empty_headings(blocks: &[markdown::Block], blank: &[bool], removed: &mut [bool]) {
    let mut below: Vec<(u8, bool)> = Vec::new();
    let mut next = removed.len();
    for (index, block) in blocks.iter().enumerate().rev() {
        let BlockKind::Heading { level, .. } = block.kind else { continue };
        let mut some = false;
        let mut kept = false;
        for number in block.lines.end..next {
            some |= !blank[number];
            kept |= !blank[number] && !removed[number];
        }
        while let Some(&(_, gone)) = below.last().filter(|(inner, _)| *inner > level) {
            some = true;
            kept |= !gone;
            below.pop();
        }
        let is_title = index == 0 && level == 1;
        let gone = some && !kept && !is_title;
        if gone {
            removed[block.lines.clone()].fill(true);
        }
        below.push((level, gone));
        next = block.lines.start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::lines_of;

    fn without(text: &str) -> String {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let lines = lines_of(&sources, file, 0..text.len());
        let marked = |line: &usize| lines[*line].text(&sources).contains("x!");
        let directive = |line: usize| PromptDirective {
            lines: line..line + 1,
            below: line..line,
            asks: Vec::new(),
        };
        let read = PromptRules {
            directives: (0..lines.len()).filter(marked).map(directive).collect(),
            ..PromptRules::default()
        };
        line::join(&sources, &emitted(&lines, &read, |_| true, &sources))
    }

    #[test]
    fn headings_go_with_all_that_they_stood_over() {
        let text =
            "# T\n\n## A\n\nx!\n\n### B\n\n- x!\n\n## C\n\n### D\n\nx!\n\n### E\n\nkept\n\n## F\n";
        assert_eq!(without(text), "# T\n\n## C\n\n### E\n\nkept\n\n## F\n");
        assert_eq!(without("# T\n\nx!\n"), "# T\n");
        assert_eq!(without("## A\n### Empty\n\nx!\n"), "");
        assert_eq!(without("## A\n### Empty\n## B\nx!\n"), "## A\n### Empty\n");
    }

    #[test]
    fn at_most_one_blank_line_is_left() {
        assert_eq!(without("a\n\n\nx!\n\n\nb\n\n\nc\n"), "a\n\nb\n\n\nc\n");
        assert_eq!(without("x!\n\na\n\nx!\n"), "a\n");
        assert_eq!(without("- a\n- x!\n- b\n"), "- a\n- b\n");
        assert_eq!(without("a\n\n\n"), "a\n\n\n");
    }

    #[test]
    fn separate_paragraphs_stay_separate() {
        assert_eq!(without("para\n- x!\n---\n"), "para\n\n---\n");
        assert_eq!(without("## H\n- x!\n***\n"), "## H\n***\n");
    }
}
