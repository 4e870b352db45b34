use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::{is_plainly_closed, opening_fence, options, separate_tags};
use faber_core::parse::fence;
use faber_core::rules::unclosed_fence::RULE;
use faber_core::source::{FileId, Span};

pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    look(input.entry.file, input.text(), found);
}

fn look(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    let body = fence::body(text);
    if !is_plainly_closed(&text[body..]) {
        read(file, text, body, found);
    }
}

fn read(file: FileId, text: &str, body: usize, found: &mut Vec<Diagnostic>) {
    let before = found.len();
    let shown = separate_tags(&text[body..]);
    for (event, range) in Parser::new_ext(&shown, options()).into_offset_iter() {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event else { continue };
        let range = body + range.start..body + range.end;
        let Some((open, length)) = opening_fence(&text[range.clone()]) else { continue };
        if !is_closed(&text[range.clone()], open, length) {
            let line = text[range.clone()].lines().next().unwrap_or_default();
            let span = Span::new(file, range.start, range.start + line.trim_end().len());
            let fence = open.to_string().repeat(length);
            if let Some(at) = ending_item(text, &range, &fence) {
                let number = text[..at].matches('\n').count() + 1;
                let message = "this code block ends before its closing fence, with its list item";
                let help = format!("indent line {number} as much as the fence");
                found.push(RULE.at(span, message).help(help));
                // Later fences are read the wrong way round.
                break;
            }
            let help = if text[range.clone()].trim() == fence {
                "nothing follows it; remove it".to_owned()
            } else {
                format!("end it with a line that has only {fence}")
            };
            found.push(RULE.at(span, "this code block is never closed").help(help));
        }
    }
    let early = if found.len() > before { closed_early(text, body) } else { Vec::new() };
    if !early.is_empty() {
        found.truncate(before);
    }
    for early in early {
        let fence = early.mark.to_string().repeat(early.length + 1);
        let message = "this code block ends at the first closing fence inside of it";
        found.push(RULE.at(Span::new(file, early.fence.start, early.fence.end), message).help(
            format!("it ends at line {}; use {fence} for the outer fences", early.last_line),
        ));
    }
}

fn ending_item(text: &str, block: &Range<usize>, fence: &str) -> Option<usize> {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let column = block.start - line_start(block.start);
    let after = line_start(block.end);
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let first = text[after..].lines().next().filter(|line| !line.trim().is_empty())?;
    let next = text[after..].lines().find(|line| line.trim_start().starts_with(fence))?;
    let closes = indent(next) == column && next.trim() == fence;
    (indent(first) < column && closes).then_some(after)
}

/// A block that shows another one with fences as long as its own.
struct EarlyEnd {
    fence: Range<usize>,
    mark: char,
    length: usize,
    last_line: usize,
}

fn shows_fences(fence: &str) -> bool {
    let info = fence.trim_start_matches(['`', '~']).trim().to_lowercase();
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    matches!(language, "" | "markdown" | "md" | "mdx" | "plain" | "plaintext" | "text" | "txt")
}

fn closed_early(text: &str, body: usize) -> Vec<EarlyEnd> {
    let mut open: Vec<(Range<usize>, char, usize)> = Vec::new();
    let mut early: Vec<EarlyEnd> = Vec::new();
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let fence = line.trim_start_matches([' ', '\t', '>']).trim_end();
        let Some((mark, length)) = opening_fence(fence).filter(|_| start >= body) else { continue };
        let info = &fence[length..];
        if length < 3 || (mark == '`' && info.contains('`')) {
            continue;
        }
        let closes =
            open.last().is_some_and(|(_, outer, least)| *outer == mark && length >= *least);
        if !closes || !info.is_empty() {
            let from = start + line.find(mark).unwrap_or_default();
            open.push((from..from + fence.len(), mark, length));
            continue;
        }
        open.pop();
        if let [(fence, outer, least), ..] = &open[..]
            && *outer == mark
            && shows_fences(&text[fence.clone()])
            && length >= *least
            && early.last().is_none_or(|last| last.fence != *fence)
        {
            let (fence, length) = (fence.clone(), *least);
            early.push(EarlyEnd { fence, mark, length, last_line: number + 1 });
        }
    }
    if open.is_empty() { early } else { Vec::new() }
}

fn is_closed(block: &str, open: char, length: usize) -> bool {
    let block = block.trim_end();
    let Some((_, last)) = block.rsplit_once('\n') else { return false };
    let last = last.trim_start_matches([' ', '\t', '>']);
    last.chars().all(|char| char == open) && last.chars().count() >= length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use faber_core::source::SourceMap;

    fn unclosed(text: &str) -> Vec<&str> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.md".into(), text.to_owned());
        let mut found = Vec::new();
        look(file, text, &mut found);
        found.iter().map(|finding| &text[finding.primary.span.range()]).collect()
    }

    #[test]
    fn blocks_that_run_to_the_end_are_found() {
        assert_eq!(unclosed("# T\n\n```sh\nls\n"), ["```sh"]);
        assert_eq!(unclosed("~~~\na\n```\n"), ["~~~"]);
        assert_eq!(unclosed("````md\n```\na\n```\n"), ["````md"]);
        assert_eq!(unclosed("- a\n  ```sh\n  ls\n\nb\n"), ["```sh"]);
        assert_eq!(unclosed("---\na: b\n---\n```\n"), ["```"]);
        assert_eq!(unclosed("```"), ["```"]);
    }

    #[test]
    fn the_outer_fence_is_found_if_an_inner_one_closes_its_block() {
        let text = "---\na: b\n---\n\n```md\n# T\n\n```sh\nls\n```\n\nMore.\n```\n";
        assert_eq!(unclosed(text), ["```md"]);
        assert_eq!(closed_early(text, 13)[0].last_line, 10);
        let inner = "```sh\nls\n```\n";
        assert_eq!(unclosed(&format!("{inner}\n```md\n{inner}{inner}```\n\nEnd.\n")), ["```md"]);
        assert_eq!(unclosed("- a\n\n  ~~~md\n  ~~~sh\n  ~~~\n  ~~~\n"), ["~~~md"]);
        let two = format!("```md\n{inner}```\n\nThen:\n\n```text\n{inner}```\n\nEnd.\n");
        assert_eq!(unclosed(&two), ["```md", "```text"]);
        assert_eq!(unclosed(&format!("```rs\n{inner}\n```\n")), ["```"]);
        assert_eq!(unclosed(&format!("```md\n{inner}```\n\n```sh\n")), ["```"]);
        assert_eq!(unclosed(&format!("````md\n{inner}````\n\n```sh\n")), ["```sh"]);
    }

    #[test]
    fn a_line_that_ends_the_list_item_is_named() {
        let help = |text: &str| {
            let mut found = Vec::new();
            let file = SourceMap::default().add("a.md".into(), text.to_owned());
            look(file, text, &mut found);
            found.into_iter().filter_map(|finding| finding.help).collect::<Vec<_>>()
        };
        for text in
            ["- a\n  ```sh\n  ls\n# b\n  ```\n- c\n", "1. ~~~\n# b\n   ~~~\n\n~~~\nc\n~~~\n"]
        {
            let number = text.lines().position(|line| line == "# b").unwrap() + 1;
            assert_eq!(help(text), [format!("indent line {number} as much as the fence")]);
        }
        for text in ["- a\n  ```sh\n  ls\n\nb\n", "- a\n  ```sh\n  ls\n# b\n```\nc\n```\n"] {
            assert_eq!(help(text), ["end it with a line that has only ```"], "{text}");
        }
    }

    #[test]
    fn closed_blocks_are_fine() {
        for text in [
            "```sh\nls\n```\n",
            "~~~\na\n~~~~",
            "````md\n```\na\n```\n````\n",
            "> ```\n> a\n> ```\n",
            "1. a\n   ```sh\n   ls\n   ```\n",
            "say ``` here\n",
            "    ```\n",
            "```\r\na\r\n```\r\n",
            "```\n\n```",
        ] {
            assert_eq!(unclosed(text), [""; 0], "{text:?}");
        }
    }

    fn lines() -> impl Strategy<Value = String> {
        let fence = ("[ >]{0,3}(- |1. )?", "(```|~~~|````)", "( |sh|\t|`|~|\u{a0})?");
        let fence = fence.prop_map(|(marks, run, info)| marks + &run + &info);
        let other: &[&str] = &[
            "",
            "a",
            "- a",
            "> a",
            "1. a",
            "  b",
            "<div>",
            "- <!--",
            "</div>",
            "-->",
            "> <pre>",
            "<a",
            "x <b>",
            "| a |",
            "|---|",
            "===",
            "[a]: b \"c",
            "[a",
            "b]: c 'd",
            "d'",
            "\"",
            "    a",
            "<https://a.b>",
        ];
        let plain = "(|  |   |     )(```|~~~|````)(sh)?";
        let line = prop_oneof![4 => plain, 2 => fence, 5 => prop::sample::select(other).prop_map(str::to_owned)];
        let end = prop_oneof![9 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
        prop::collection::vec((line, end), 0..9)
            .prop_map(|all| all.into_iter().map(|(line, end)| line + end).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn closed_fences_have_no_finding(text in lines()) {
            let mut sources = SourceMap::default();
            let file = sources.add("a.md".into(), text.clone());
            let mut found = Vec::new();
            read(file, &text, 0, &mut found);
            prop_assert!(found.is_empty() || !is_plainly_closed(&text), "{found:?}");
        }
    }

    #[test]
    fn most_files_are_plainly_closed_and_long_lines_take_linear_time() {
        for text in [
            "a\n",
            "```sh\nls <a>\n```\n\nx <b> `c`\n~~~\n~~~~ \n",
            "```\r\na\r\n```",
            "1. a\n   ```sh\n   ls\n\n     b\n   ```\n2. b\n",
        ] {
            assert!(is_plainly_closed(text), "{text:?}");
        }
        for text in [
            "<p>\n```\n```\n",
            "- ```\n  ```\n",
            "1. ~~~\n   ~~~\n",
            "1. a\n   ```\n  b\n   ```\n",
            "1. a\n   ```\n ```\n",
            "```\n~~~\n",
            "```\n```\u{a0}\n",
            "```\n```\t\na\n",
            "a\r```\n```",
        ] {
            assert!(!is_plainly_closed(text), "{text:?}");
        }
        assert!(is_plainly_closed(
            &("-".repeat(1 << 20) + &"a <".repeat(1 << 20) + "\n```\n```\n")
        ));
        assert!(is_plainly_closed(&"```\n```\n".repeat(1 << 17)));
    }
}
