//! ## What it finds
//!
//! A fence of backticks or tildes without a second one of the same character that is at least as
//! long and has nothing behind it.
//!
//! ## Why it matters
//!
//! Everything up to the end of the file, or of the list item or quote that the block stands in, is
//! code then: headings are no headings, links no links, and sections after it cannot be selected,
//! overlaid or summarized.
//!
//! ## Example
//!
//! ```markdown
//! ~~~sh
//! cargo test
//!
//! ## Afterwards
//! ```
//!
//! Better:
//!
//! ```markdown
//! ~~~sh
//! cargo test
//! ~~~
//!
//! ## Afterwards
//! ```
//!
//! ## How to mend it
//!
//! Close the block. When all blocks seem closed, look for a fence that was closed too early by one
//! that it shows; a block that shows a fence needs a longer one around it.

use memchr::memmem;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use crate::diagnostic::{Diagnostic, Severity};
use crate::markdown::options;
use crate::parse::fence;
use crate::source::{FileId, Span};
use crate::validate::check::FileInput;
use crate::validate::rule::{Fix, Group, Rule};

pub(crate) const RULE: Rule = Rule {
    code: "unclosed-fence",
    severity: Severity::Warning,
    group: Group::Files,
    fix: Fix::None,
    summary: "a code block that nothing closes",
    source: include_str!("unclosed_fence.rs"),
};

/// Looks at one file.
pub(crate) fn check(input: &FileInput<'_>, found: &mut Vec<Diagnostic>) {
    look(input.entry.file, input.text(), found);
}

/// Finds fenced code blocks in `text` that are not closed.
fn look(file: FileId, text: &str, found: &mut Vec<Diagnostic>) {
    let bytes = text.as_bytes();
    let fenced = ["```", "~~~"].iter().any(|run| memmem::find(bytes, run.as_bytes()).is_some());
    if !fenced {
        return;
    }
    let start = fence::body(text);
    for (event, range) in Parser::new_ext(&text[start..], options()).into_offset_iter() {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event else { continue };
        let range = start + range.start..start + range.end;
        let Some((open, length)) = opening(&text[range.clone()]) else { continue };
        if !is_closed(&text[range.clone()], open, length) {
            let line = text[range.clone()].lines().next().unwrap_or_default();
            let span = Span::new(file, range.start, range.start + line.trim_end().len());
            found.push(
                Diagnostic::warning(RULE.code, span, "this code block is never closed").help(
                    format!("end it with a line that has only {}", open.to_string().repeat(length)),
                ),
            );
        }
    }
}

/// The character of the fence that `block` begins with, and how often it stands there.
fn opening(block: &str) -> Option<(char, usize)> {
    let open = block.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    Some((open, block.chars().take_while(|&char| char == open).count()))
}

/// Whether the last line of `block` closes a fence of `length` times `open`.
fn is_closed(block: &str, open: char, length: usize) -> bool {
    let block = block.trim_end();
    let Some((_, last)) = block.rsplit_once('\n') else { return false };
    // In a quote, the marks of the quote stand before the fence.
    let last = last.trim_start_matches([' ', '\t', '>']);
    last.chars().all(|char| char == open) && last.chars().count() >= length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

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
}
