use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::validate::check::FileInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::markdown::{is_plainly_closed, opening_fence, options, unhide_fences};
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

/// Like [`look`], with a Markdown parser.
fn read(file: FileId, text: &str, body: usize, found: &mut Vec<Diagnostic>) {
    let shown = unhide_fences(&text[body..]);
    for (event, range) in Parser::new_ext(&shown, options()).into_offset_iter() {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event else { continue };
        let range = body + range.start..body + range.end;
        let Some((open, length)) = opening_fence(&text[range.clone()]) else { continue };
        if !is_closed(&text[range.clone()], open, length) {
            let line = text[range.clone()].lines().next().unwrap_or_default();
            let span = Span::new(file, range.start, range.start + line.trim_end().len());
            found.push(RULE.at(span, "this code block is never closed").help(format!(
                "end it with a line that has only {}",
                open.to_string().repeat(length)
            )));
        }
    }
}

fn is_closed(block: &str, open: char, length: usize) -> bool {
    let block = block.trim_end();
    let Some((_, last)) = block.rsplit_once('\n') else { return false };
    // In a quote, `>` precedes the fence.
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
