use std::ops::Range;

use crate::search::found;
use faber_core::line;
use faber_core::resolve::tree;
use faber_core::source::SourceMap;

pub fn span(
    item: &str,
    chunks: &[(Range<usize>, &str)],
    text: &str,
    wanted: &str,
) -> Option<Range<usize>> {
    if wanted == item {
        return Some(0..text.len());
    }
    let is_part = |rest: &str| {
        let number = rest.strip_prefix('~').and_then(|number| number.parse::<usize>().ok());
        rest.is_empty() || number.is_some()
    };
    let mut parts = chunks
        .iter()
        .filter(|(_, anchor)| found::id(item, anchor).strip_prefix(wanted).is_some_and(is_part));
    if let Some((first, _)) = parts.next() {
        let end = parts.next_back().map_or(first.end, |(last, _)| last.end);
        return Some(first.start..end);
    }
    let anchor = wanted.strip_prefix(item)?.trim_start_matches(['#', '/']);
    let mut sources = SourceMap::default();
    let file = sources.add("text".into(), text.to_owned());
    let lines = line::lines_of(&sources, file, 0..text.len());
    let section = tree::section_of_id(&sources, &lines, anchor)?;
    Some(section.first()?.origin.range().start..section.last()?.origin.range().end)
}

pub fn item_of(id: &str) -> impl Iterator<Item = &str> {
    let cuts = id.match_indices(['#', '~', '/']).map(|(at, _)| at).collect::<Vec<_>>();
    std::iter::once(id).chain(cuts.into_iter().rev().map(move |at| &id[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::chunk;
    use proptest::prelude::*;

    #[test]
    fn a_unit_is_a_chunk_or_a_section() {
        let text = "# T\n\n## A\n\na\n\n### B\n\nb\n\n## C\n\nc\n";
        let chunks = [(0..10, "")];
        let found = |id| span("x/y", &chunks, text, id).map(|span| &text[span]);
        assert_eq!(found("x/y"), Some(text));
        assert_eq!(found("x/y#a"), Some("## A\n\na\n\n### B\n\nb"));
        assert_eq!(found("x/y#a/b"), Some("### B\n\nb"));
        assert_eq!(found("x/y#nothing"), None);
        let chunks = [(3..9, "a"), (9..15, "a~2"), (15..20, "a/b")];
        assert_eq!(span("x/y", &chunks, text, "x/y#a"), Some(3..15));
        assert_eq!(span("x/y", &chunks, text, "x/y#a~2"), Some(9..15));
        assert_eq!(span("history/x", &[(9..20, "3~2")], text, "history/x#3~2"), Some(9..20));
    }

    proptest! {
        #[test]
        fn every_id_means_its_section(
            text in "(# T|x)\n\n(#{2,4} [ab12🚀?-]{0,3} ?[ab12]?\n\n([a-z ]{0,9}\n\n)?){0,12}",
        ) {
            for section in chunk::sections_in(&text, &(0..text.len())) {
                let found = span("x/y", &[], &text, &format!("x/y#{}", section.anchor));
                let found = found.map(|span| (span.start, text[span].trim()));
                let expected = (section.span.start, &text[section.span]);
                prop_assert_eq!(found, Some(expected), "{} in {:?}", section.anchor, text);
            }
        }
    }

    #[test]
    fn the_item_of_a_unit_is_a_beginning_of_its_id() {
        let all: Vec<&str> = item_of("a/b#c/d~2").collect();
        assert_eq!(all, ["a/b#c/d~2", "a/b#c/d", "a/b#c", "a/b", "a"]);
    }
}
