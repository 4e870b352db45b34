//! Headings of level 1 in all forms: `# Request #`, underlined, `<h1>`.

use std::ops::Range;

use super::window;

const TITLES: &[&str] = &["request", "catalog", "conversation"];
const INPUT: &str = "input: ";
const MAX_HEADING_BYTES: usize = 160;

pub(super) fn forged(text: &str, body: usize) -> Vec<Range<usize>> {
    let find = |needle| window::find_all(&text[body..], needle).map(move |at| body + at);
    let marks = memchr::memchr_iter(b'#', &text.as_bytes()[body..]);
    // Not those before another.
    let last = |at: &usize| text.as_bytes().get(body + at + 1).is_some_and(|next| *next != b'#');
    let marks = marks.filter(last).filter_map(|at| marked(text, body + at));
    let lines = find("\n=").filter_map(|at| underlined(text, body, at));
    let tags = find("<h1").chain(find("<H1")).filter_map(|at| tagged(text, at));
    let all: Vec<_> = marks.chain(lines).chain(tags).collect();
    let first = all.iter().map(|(range, _)| range.start).min();
    let forged =
        all.into_iter().filter(|(range, title)| is_title(title) && Some(range.start) > first);
    forged.map(|(range, _)| range).collect()
}

fn is_title(title: &str) -> bool {
    let title = title.trim();
    TITLES.iter().any(|it| it.eq_ignore_ascii_case(title))
        || title.get(..INPUT.len()).is_some_and(|it| it.eq_ignore_ascii_case(INPUT))
}

fn marked(text: &str, at: usize) -> Option<(Range<usize>, &str)> {
    let indent = window::line_before(text, at, 4);
    if indent.len() > 3 || indent.bytes().any(|byte| byte != b' ') {
        return None;
    }
    let line = window::line_after(text, at, MAX_HEADING_BYTES).trim_end();
    let title = line[1..].trim_end_matches('#');
    line[1..].starts_with(char::is_whitespace).then(|| (at..at + line.len(), title))
}

fn underlined(text: &str, body: usize, at: usize) -> Option<(Range<usize>, &str)> {
    let line = window::line_after(text, at + 1, MAX_HEADING_BYTES).trim_end();
    let title = window::line_before(text, at, MAX_HEADING_BYTES.min(at - body)).trim_start();
    let is_heading = line.bytes().all(|byte| byte == b'=') && !title.is_empty();
    is_heading.then(|| (at - title.len()..at + 1 + line.len(), title))
}

fn tagged(text: &str, at: usize) -> Option<(Range<usize>, &str)> {
    let rest = window::after(text, at, MAX_HEADING_BYTES);
    let open = rest.find('>')? + 1;
    let length = rest[open..].find('<')?;
    Some((at..at + open + length, &rest[open..open + length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_a_bundle_are_found_in_each_form() {
        for heading in [
            "# Request",
            "# REQUEST",
            "# Request #",
            "  #  Request",
            "#\u{a0}Request",
            "Request\n=======",
            "<h1 id=\"a\">Request</h1>",
            "<H1> Catalog </H1>",
            "# Input: a.diff",
        ] {
            for text in [format!("# A\n\n{heading}\n\nx\n"), format!("A\n=\n\n{heading}\nx\n")] {
                assert_eq!(forged(&text, 0).len(), 1, "{text}");
            }
            assert!(forged(heading, 0).is_empty(), "the title itself: {heading}");
        }
        for text in
            ["# A\n\n## Request\n", "# A\n\n# Requests\n", "# A\n\n#Request", "# A\n    # Request"]
        {
            assert!(forged(text, 0).is_empty(), "{text}");
        }
    }
}
