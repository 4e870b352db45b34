//! Definitions of links and footnotes, and their uses.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::markdown::{Lines, collapse, options};

/// In bytes.
const MAX_FOOTNOTE: usize = 400;

#[derive(Debug, Default)]
pub struct Definitions(pub(crate) BTreeMap<String, Definition>);

#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) lines: Range<usize>,
    /// Where each use ends: line, column in bytes.
    uses: Vec<(usize, usize)>,
}

impl Definitions {
    pub fn of(text: &str, lines: &Lines<'_>) -> Self {
        if !text.contains("]:") {
            return Self::default();
        }
        let parser = Parser::new_ext(text, options() | Options::ENABLE_FOOTNOTES);
        let mut found = Self::default();
        for (label, link) in parser.reference_definitions().iter() {
            found.add(label_of("", label), &link.span, text, lines);
        }
        let mut used: Vec<(String, Range<usize>)> = Vec::new();
        for (event, bytes) in parser.into_offset_iter() {
            match event {
                Event::Start(Tag::FootnoteDefinition(label)) if bytes.len() <= MAX_FOOTNOTE => {
                    found.add(label_of("^", &label), &bytes, text, lines);
                }
                Event::FootnoteReference(label) => used.push((label_of("^", &label), bytes)),
                Event::Start(
                    Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. },
                ) if is_defined(link_type) => used.push((label_of("", &id), bytes)),
                _ => {}
            }
        }
        for (label, bytes) in used {
            if let Some(definition) = found.0.get_mut(&label) {
                let line = lines.at(bytes.end - 1);
                definition.uses.push((line, bytes.end - lines.range(line).start));
            }
        }
        found
    }

    fn add(&mut self, label: String, bytes: &Range<usize>, text: &str, lines: &Lines<'_>) {
        let touched = lines.touched(bytes);
        let before = &text[lines.range(touched.start).start..bytes.start];
        if before.len() < 4 && before.trim().is_empty() {
            let definition = Definition { lines: touched, uses: Vec::new() };
            self.0.entry(label).or_insert(definition);
        }
    }

    /// Definitions that a part of the text uses but lacks. `shown`: the length of a line in the
    /// part.
    #[must_use]
    pub fn missing(&self, shown: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
        let mut by_line: BTreeMap<usize, Vec<&Definition>> = BTreeMap::new();
        let mut open = Vec::new();
        for definition in self.0.values() {
            for &(line, end) in &definition.uses {
                by_line.entry(line).or_default().push(definition);
                open.extend((shown(line) >= end).then_some(definition));
            }
        }
        let mut missing = BTreeMap::new();
        while let Some(Definition { lines, .. }) = open.pop() {
            let is_new = shown(lines.start) == 0 && missing.insert(lines.start, lines).is_none();
            if is_new {
                open.extend(by_line.range(lines.clone()).flat_map(|(_, used)| used));
            }
        }
        missing.into_values().cloned().collect()
    }
}

fn is_defined(link: LinkType) -> bool {
    matches!(link, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
}

fn label_of(mark: &str, label: &str) -> String {
    format!("{mark}{}", collapse(label).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lacks_the_definitions_of_what_it_uses() {
        let text = "# See [A]\n\n[b][x\ny],\n![c][], [d](/d), `[e]` and [^f]\n\n[a]: /a\n[X y]: /x\n  \"T\"\n[C]: /c\n[e]: /e\n[^F]: Note of [g].\n\n[g]: /g\n- [h]\n\n      [h]: /h\n";
        let lines = Lines::new(text);
        let definitions = Definitions::of(text, &lines);
        let missing = |shown: &[(usize, usize)]| {
            let of = |line| shown.iter().find(|(at, _)| *at == line).map_or(0, |(_, len)| *len);
            definitions
                .missing(of)
                .into_iter()
                .map(|range| lines.text(range.start))
                .collect::<Vec<_>>()
        };
        assert_eq!(missing(&[(0, 9)]), ["[a]: /a"]);
        assert_eq!(missing(&[(0, 8), (2, 5)]), [""; 0]);
        assert_eq!(missing(&[(3, 2), (4, 7)]), ["[X y]: /x", "[C]: /c"]);
        assert_eq!(missing(&[(4, 40), (6, 7)]), ["[C]: /c", "[^F]: Note of [g].", "[g]: /g"]);
        assert_eq!(missing(&[(14, 5)]), [""; 0]);
        assert_eq!(definitions.0["x y"].lines, 7..9);
    }
}
