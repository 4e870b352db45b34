//! Finds fences and headings by line: a Markdown parse would take most of a run.

use crate::markdown::fences::{closes, opens};
use crate::markdown::without_attributes;

#[derive(Debug, Default)]
pub struct Headings<'a> {
    fence: Option<(char, usize)>,
    /// If an underline would make it a heading.
    paragraph: Option<&'a str>,
}

impl<'a> Headings<'a> {
    pub fn next(&mut self, line: &'a str) -> Option<&'a str> {
        let indent = run(line, b' ');
        let first = line.as_bytes().get(indent).filter(|_| indent < 4);
        if let Some(fence) = self.fence {
            if first.is_some() && closes(&line[indent..], fence) {
                self.fence = None;
            }
            return None;
        }
        let before = self.paragraph.take();
        let text = &line[indent..];
        match *first? {
            b'#' => return atx(text),
            b'`' | b'~' => self.fence = opens(text),
            mark @ (b'=' | b'-') if is_underline(text, mark) => {
                let title = before.map(|before| without_attributes(before.trim()).0);
                return title.filter(|title| !title.is_empty());
            }
            b'-' | b'*' | b'+' | b'>' | b'|' | b'\r' => return None,
            _ => {}
        }
        self.paragraph = Some(text).filter(|_| self.fence.is_none());
        None
    }
}

fn atx(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('#');
    let is_heading = text.len() - rest.len() <= 6 && rest.starts_with([' ', '\t']);
    let rest = rest.trim();
    let open = rest.trim_end_matches('#');
    let open = if open.ends_with([' ', '\t']) || open.is_empty() { open.trim_end() } else { rest };
    let title = without_attributes(open).0;
    Some(title).filter(|title| is_heading && !title.is_empty())
}

fn run(text: &str, mark: u8) -> usize {
    text.bytes().take_while(|&byte| byte == mark).count()
}

fn is_underline(text: &str, mark: u8) -> bool {
    text[run(text, mark)..].trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headings(text: &str) -> Vec<&str> {
        let mut headings = Headings::default();
        text.split('\n').filter_map(|line| headings.next(line)).collect()
    }

    #[test]
    fn both_kinds_of_headings_are_found() {
        assert_eq!(
            headings("# A\ntext\n  ###### B ##\n#C\n####### D\n#\n# E#\r\n"),
            ["A", "B", "E#"]
        );
        assert_eq!(
            headings("A\n===\n\nB\n---\n\n---\n- c\n---\n\n===\nD\r\n==\r\n"),
            ["A", "B", "D"]
        );
    }

    #[test]
    fn code_has_no_headings() {
        assert_eq!(headings("```sh\n# a\n~~~\n````\n# B\n"), ["B"]);
        assert_eq!(headings("~~~ `x`\n# a\n```\n# b\n"), [""; 0]);
        assert_eq!(headings("```x``` y\n# A\n\n    # b\n"), ["A"]);
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_parser(lines in prop::collection::vec(
            prop::sample::select(vec!["# A b", "## C ##", "# E { #e }", "# {g}", "# {#h}", "text", "", "```", "````", "~~~ x", "    # d"]),
            0..12,
        )) {
            let text = lines.join("\n");
            let parsed: Vec<String> = crate::markdown::blocks(&text).into_iter().filter_map(|block| {
                match block.kind {
                    crate::markdown::BlockKind::Heading { text, .. } => Some(text),
                    _ => None,
                }
            }).collect();
            prop_assert_eq!(headings(&text), parsed);
        }
    }
}
