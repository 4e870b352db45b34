//! Splits a file into front matter and body.

use std::ops::Range;

use super::restrictions::{is_restriction, mentions_access};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    pub yaml: usize,
    pub yaml_end: usize,
    pub body: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    None { body: usize },
    Closed(Fences),
    Unclosed(Fences),
}

/// `---` encloses front matter, unless there is only prose between. Unclosed, it begins with `key:`
/// and ends at a blank line or heading.
pub fn split(text: &str) -> Split {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lines = text[start..].split_inclusive('\n');
    let Some(yaml) = lines
        .next()
        .filter(|line| line.ends_with('\n') && is_fence(line))
        .map(|line| start + line.len())
    else {
        return Split::None { body: start };
    };
    let mut at = yaml;
    for line in lines {
        if is_fence(line) {
            if is_prose(&text[yaml..at]) {
                return Split::None { body: start };
            }
            return Split::Closed(Fences { yaml, yaml_end: at, body: at + line.len() });
        }
        at += line.len();
    }
    if !text[yaml..].lines().next().is_some_and(looks_like_yaml) {
        return Split::None { body: start };
    }
    let body = unclosed_end(text, yaml);
    Split::Unclosed(Fences { yaml, yaml_end: body, body })
}

pub fn body(text: &str) -> usize {
    match split(text) {
        Split::None { body } => body,
        Split::Closed(fences) | Split::Unclosed(fences) => fences.body,
    }
}

fn is_fence(line: &str) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.trim_end_matches([' ', '\t']) == "---"
}

fn looks_like_yaml(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else { return false };
    let key = key.trim_end_matches([' ', '\t']);
    let is_key_char = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'');
    !key.is_empty()
        && key.chars().all(is_key_char)
        && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
}

/// The last line is blank: otherwise `---` would make a heading.
fn is_prose(between: &str) -> bool {
    let is_text = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        !line.starts_with('#') && line.split_whitespace().nth(1).is_some()
    };
    let is_key = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "-?,[{\"'".contains(c));
        looks_like_yaml(line) || is_restriction(line)
    };
    let ends_blank = between.lines().last().is_some_and(|line| line.trim().is_empty());
    ends_blank
        && between.lines().any(is_text)
        && !between.lines().any(is_key)
        && !mentions_access(between)
}

pub struct Misplaced {
    pub first: Range<usize>,
    pub yaml: Range<usize>,
}

/// Below blank lines or comments, with another number of dashes, or unopened.
pub fn misplaced(text: &str) -> Option<Misplaced> {
    let rest = after_comments(text.trim_start_matches('\u{feff}'));
    let start = text.len() - rest.len();
    let mut lines = rest.split_inclusive('\n');
    let Some(fence) = lines.next().filter(|line| is_dashes(line)) else { return unopened(text) };
    let yaml: usize = lines.take_while(|line| !is_dashes(line)).map(str::len).sum();
    let first = start..start + fence.trim_end().len();
    Some(Misplaced { first, yaml: start + fence.len()..start + fence.len() + yaml })
}

/// A later thematic break may end prose.
fn unopened(text: &str) -> Option<Misplaced> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let first = text[start..].lines().next().filter(|line| looks_like_yaml(line))?;
    let lines = text[start..].split_inclusive('\n');
    let yaml = lines.take_while(|line| !is_fence(line) && !line.trim().is_empty());
    let end = start + yaml.map(str::len).sum::<usize>();
    let is_closed = text[end..].split_inclusive('\n').next().is_some_and(is_fence);
    is_closed.then(|| Misplaced { first: start..start + first.trim_end().len(), yaml: start..end })
}

fn after_comments(text: &str) -> &str {
    let text = text.trim_start();
    let comment = text.strip_prefix("<!--").and_then(|rest| rest.split_once("-->"));
    comment.map_or(text, |(_, rest)| after_comments(rest))
}

fn is_dashes(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.chars().all(|c| matches!(c, '-' | '–' | '—'))
}

fn unclosed_end(text: &str, yaml: usize) -> usize {
    let mut at = yaml;
    for line in text[yaml..].split_inclusive('\n') {
        let heading = line.trim_start_matches('#');
        let marks = line.len() - heading.len();
        let is_heading = (1..=6).contains(&marks)
            && (heading.is_empty() || heading.starts_with([' ', '\t', '\r', '\n']));
        if is_heading || line.trim().is_empty() {
            break;
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use gray_matter::{Matter, Pod, engine::Engine};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fences_are_found_behind_a_byte_order_mark_and_crlf() {
        let text = "\u{feff}--- \r\na: 1\r\n---\t\r\nbody";
        let Split::Closed(fences) = split(text) else { panic!("{:?}", split(text)) };
        assert_eq!(&text[fences.yaml..fences.yaml_end], "a: 1\r\n");
        assert_eq!(&text[fences.body..], "body");
        assert_eq!(split("---\n---"), Split::Closed(Fences { yaml: 4, yaml_end: 4, body: 7 }));
    }

    #[test]
    fn only_fences_open_code() {
        for text in ["", "---", "----\na: 1\n---\n", " ---\na: 1\n---\n", "\n---\n---\n", "# x\n"] {
            assert_eq!(split(text), Split::None { body: 0 }, "{text:?}");
        }
        assert_eq!(split("\u{feff}# x"), Split::None { body: 3 });
    }

    #[test]
    fn front_matter_that_is_not_closed_ends_at_a_blank_line_or_heading() {
        for text in
            ["---\na: 1\n#b\n\n# T\n", "---\na: 1\n#b\n# T\n", "---\na: 1\n#b\n", "---\na:\n"]
        {
            let Split::Unclosed(fences) = split(text) else { panic!("{text:?}") };
            assert_eq!(fences.body, fences.yaml_end);
            assert!("a: 1\n#b\n".starts_with(&text[4..fences.body]) || text.ends_with("a:\n"));
            assert!(!text[fences.body..].contains("a:"), "{text:?}");
        }
    }

    #[test]
    fn a_thematic_break_is_no_front_matter() {
        for text in
            ["---\n\nprose\n", "---\nSome prose: it goes on\n", "---\n# T\n", "---\nhttp://x\n"]
        {
            assert_eq!(split(text), Split::None { body: 0 }, "{text:?}");
            let closed = format!("{text}\nNever push.\n\n---\n\nUse tabs.\n");
            assert_eq!(split(&closed), Split::None { body: 0 }, "{closed:?}");
        }
        for yaml in [
            "",
            "# c\n",
            "\n# c\n\na: 1\n",
            "name\na: 1\n",
            "{a: 1}\n",
            "- a: 1\n",
            "\"a\": 1\n",
            "- a\n",
            "just text\n",
            "by owner\n",
        ] {
            let text = format!("---\n{yaml}---\n");
            assert!(matches!(split(&text), Split::Closed(_)), "{text:?}");
        }
    }

    struct Verbatim;

    impl Engine for Verbatim {
        fn parse(content: &str) -> gray_matter::Result<Pod> {
            Ok(Pod::String(content.to_owned()))
        }
    }

    proptest! {
        #[test]
        fn splits_as_gray_matter_does(parts in prop::collection::vec(
            prop::sample::select(vec!["---", "--- ", "----", " ---", "\n", "\n", "a: 1", "x", "\t"]), 0..12,
        )) {
            let text = format!("---\n{}", parts.concat());
            if let Split::Closed(fences) = split(&text) {
                let theirs = Matter::<Verbatim>::new().parse::<Pod>(&text).unwrap();
                prop_assert_eq!(theirs.matter, text[fences.yaml..fences.yaml_end].trim());
                let lines: Vec<_> = text[fences.body..].lines().collect();
                let body = lines.join("\n");
                prop_assert_eq!(theirs.content, body.trim_start_matches('\n'));
            }
        }

        #[test]
        fn every_text_is_split_at_character_boundaries(text in "(---\n)?[-a:# \n\r\u{feff}é]{0,40}") {
            match split(&text) {
                Split::None { body } => prop_assert!(text.is_char_boundary(body)),
                Split::Closed(fences) | Split::Unclosed(fences) => {
                    prop_assert!(fences.yaml <= fences.yaml_end && fences.yaml_end <= fences.body);
                    prop_assert!(text.is_char_boundary(fences.yaml_end));
                    prop_assert!(text.is_char_boundary(fences.body));
                }
            }
        }
    }
}
