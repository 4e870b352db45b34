//! Parts of a file that faber manages, between comments in the user's text:
//!
//! ```text
//! <!-- faber: begin standard/python for: **/*.py -->
//! …
//! <!-- faber: end standard/python -->
//! ```

use std::ops::Range;

use super::piece::Subject;
use faber_core::markdown::{self, Lines};

const BEGIN: &str = "<!-- faber: begin ";
const END: &str = "<!-- faber: end ";
const CLOSE: &str = " -->";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Managed {
    pub subject: Option<Subject>,
    pub id: String,
    pub globs: Option<String>,
    pub whole: Range<usize>,
    pub inner: Range<usize>,
}

enum Mark<'a> {
    Begin(&'a str, Option<&'a str>),
    End,
    Text,
}

pub fn parts(text: &str) -> Vec<Managed> {
    scan(text).0
}

/// Otherwise the file must not be written.
pub fn is_whole(text: &str) -> bool {
    scan(text).1
}

/// Markers start a line, outside of fences. A begin before another begin is unpaired.
fn scan(text: &str) -> (Vec<Managed>, bool) {
    let (mut found, mut whole) = (Vec::new(), true);
    if !text.contains(BEGIN) && !text.contains(END) {
        return (found, whole);
    }
    let lines = Lines::new(text);
    let line_end = |line: usize| {
        let end = lines.range(line).end;
        end + text[end..].find('\n').map_or(0, |at| at + 1)
    };
    let mut fence: Option<(char, usize)> = None;
    let mut line = 0;
    while line < lines.len() {
        let shown = lines.text(line);
        let here = line;
        line += 1;
        if let Some(open) = fence {
            if markdown::closes(shown.trim_start_matches(' '), open) {
                fence = None;
            }
            continue;
        }
        let unindented = shown.trim_start_matches(' ');
        fence = markdown::opens(unindented).filter(|_| shown.len() - unindented.len() <= 3);
        let mark_here = mark(shown);
        let Mark::Begin(id, globs) = mark_here else {
            whole &= !matches!(mark_here, Mark::End);
            continue;
        };
        let end = end_of(id);
        let next = (line..lines.len()).find(|&at| !matches!(mark(lines.text(at)), Mark::Text));
        let Some(last) = next.filter(|&at| lines.text(at).trim_end() == end) else {
            whole = false;
            continue;
        };
        found.push(Managed {
            subject: Subject::parse(id),
            id: id.to_owned(),
            globs: globs.map(str::to_owned),
            whole: lines.range(here).start..line_end(last),
            inner: line_end(here)..lines.range(last).start,
        });
        line = last + 1;
    }
    (found, whole)
}

fn mark(line: &str) -> Mark<'_> {
    let inner = |start: &str| line.trim_end().strip_prefix(start)?.strip_suffix(CLOSE);
    if inner(END).is_some() {
        return Mark::End;
    }
    let Some(inner) = inner(BEGIN).map(str::trim) else { return Mark::Text };
    let (id, globs) = match inner.split_once(" for: ") {
        Some((id, globs)) => (id.trim(), Some(globs.trim())),
        None => (inner, None),
    };
    if id.is_empty() { Mark::Text } else { Mark::Begin(id, globs) }
}

fn end_of(id: &str) -> String {
    format!("{END}{id}{CLOSE}")
}

/// `text` must end with a line feed. `None` if it could not be parsed back.
pub fn wrap(id: &str, globs: Option<&str>, text: &str) -> Option<String> {
    let end = end_of(id);
    let globs = globs.map(|globs| format!(" for: {globs}")).unwrap_or_default();
    let begin = format!("{BEGIN}{id}{globs}{CLOSE}");
    let whole = format!("{begin}\n{text}{end}\n");
    let read = parts(&whole);
    let is_sound = matches!(&read[..], [one] if one.whole == (0..whole.len())
        && one.inner.len() == text.len() && one.id == id);
    is_sound.then_some(whole)
}

pub fn own(text: &str, parts: &[Managed]) -> String {
    own_ranges(0..text.len(), parts).into_iter().map(|range| &text[range]).collect()
}

pub(crate) fn own_ranges(body: Range<usize>, parts: &[Managed]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = body.start;
    for part in parts {
        ranges.push(at..body.start + part.whole.start);
        at = body.start + part.whole.end;
    }
    ranges.push(at..body.end);
    ranges
}

/// Replaces managed parts, given as ID and text. New parts go last.
pub fn weave(old: &str, new: &[(String, String)]) -> String {
    let there = parts(old);
    let texts = || new.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    let (Some(first), Some(last)) = (there.first(), there.last()) else {
        return join(old.trim_end(), &texts(), "");
    };
    let between = &old[first.whole.start..last.whole.end];
    if own(between, &parts(between)).trim().is_empty() {
        let (before, after) = (&old[..first.whole.start], &old[last.whole.end..]);
        return join(before.trim_end(), &texts(), after.trim_start_matches(['\n', '\r']));
    }
    let mut out = String::new();
    let mut at = 0;
    for part in &there {
        out.push_str(&old[at..part.whole.start]);
        at = part.whole.end;
        let is_first = there.iter().find(|it| it.id == part.id) == Some(part);
        match new.iter().find(|(id, _)| *id == part.id && is_first) {
            Some((_, text)) => out.push_str(text),
            None => at += old[at..].len() - old[at..].trim_start_matches(['\n', '\r']).len(),
        }
        if part == last {
            let known = |id: &String| there.iter().any(|part| part.id == *id);
            for (_, text) in new.iter().filter(|(id, _)| !known(id)) {
                out.push('\n');
                out.push_str(text);
            }
        }
    }
    out.push_str(&old[at..]);
    out
}

fn join(before: &str, middle: &str, after: &str) -> String {
    let mut out = before.to_owned();
    if !before.is_empty() {
        out.push('\n');
    }
    for text in [middle, after].into_iter().filter(|text| !text.is_empty()) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(text);
    }
    out
}

pub fn occasion(globs: &[String]) -> String {
    let globs: Vec<String> = globs.iter().map(|glob| format!("`{glob}`")).collect();
    format!("For files that match {}:\n\n", globs.join(", "))
}

pub(crate) fn without_occasion(body: &str, globs: &[String]) -> String {
    body.strip_prefix(&occasion(globs)).unwrap_or(body).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(id: &str, text: &str) -> (String, String) {
        (id.to_owned(), wrap(id, None, text).unwrap())
    }

    #[test]
    fn a_mark_in_a_fence_is_an_example_and_an_unpaired_one_is_reported() {
        let part = "<!-- faber: begin standard/a -->\nA\n<!-- faber: end standard/a -->\n";
        let fenced = format!("```text\n{part}```\n{part}");
        let found = parts(&fenced);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].whole.start, fenced.len() - part.len());
        assert!(is_whole(&fenced) && is_whole("no mark\n"));
        for own in ["```make test``` runs all.\n", "x\n\n    ```\n    y\n"] {
            let text = format!("{own}\n{part}");
            assert!(is_whole(&text) && parts(&text).len() == 1, "{own}");
        }
        let half = format!("<!-- faber: begin standard/a -->\nMine.\n{part}");
        assert_eq!(parts(&half).len(), 1, "a beginning takes nothing beyond the next one");
        assert!(!is_whole(&half) && !is_whole("<!-- faber: end standard/a -->\n"));
        assert!(parts(&part.replace('<', "  <")).is_empty(), "marks are not indented");
        let many = "<!-- faber: begin standard/a -->\n".repeat(200_000);
        assert!(parts(&many).is_empty());
    }

    #[test]
    fn parts_are_found_with_their_globs_and_not_without_their_end() {
        let text = "own\n<!-- faber: begin standard/a for: **/*.{a,b} -->\nA\n<!-- faber: end standard/a -->\n\
            <!-- faber: begin catalog -->\r\n<!-- faber: end catalog -->\r\n<!-- faber: begin standard/b -->\n";
        let found = parts(text);
        assert_eq!(found.len(), 2);
        assert_eq!(&text[found[0].inner.clone()], "A\n");
        assert_eq!(found[0].globs.as_deref(), Some("**/*.{a,b}"));
        assert_eq!((found[1].subject.clone(), &*found[1].id), (None, "catalog"));
        assert_eq!(own(text, &found), "own\n<!-- faber: begin standard/b -->\n");
        assert!(!is_whole(text));
    }

    #[test]
    fn unreadable_results_are_not_written() {
        assert!(wrap("standard/a", None, "x\n").is_some());
        assert!(wrap("standard/a", None, "<!-- faber: end standard/a -->\n").is_none());
        assert!(wrap("standard/a", Some("a\nb"), "x\n").is_none());
        assert!(wrap("standard/a", None, "x").is_none(), "the end must stand on a line of its own");
    }

    #[test]
    fn own_text_stays_around_and_between_parts() {
        let new = [part("standard/a", "A\n"), part("standard/b", "B\n")];
        let fresh = weave("", &new);
        assert_eq!(fresh, format!("{}\n{}", new[0].1, new[1].1));
        assert_eq!(weave(&fresh, &new), fresh);
        let own = weave("# Mine\n", &new);
        assert_eq!(own, format!("# Mine\n\n{fresh}"));
        let after = format!("{own}\nMy end.\n");
        assert_eq!(weave(&after, &new), after);
        assert_eq!(weave(&after, &new[..1]), format!("# Mine\n\n{}\nMy end.\n", new[0].1));
        assert_eq!(weave(&after, &[]), "# Mine\n\nMy end.\n");
        let between = format!("{}\nMine.\n\n{}", new[1].1, new[0].1);
        assert_eq!(weave(&between, &new), between, "each stays where it is");
        assert_eq!(weave(&between, &new[1..]), format!("{}\nMine.\n\n", new[1].1));
    }
}
