//! The parts of a file that faber writes, between two comments, and the parts that are somebody's own.
//!
//! ```text
//! <!-- faber: begin standard/python for: **/*.py -->
//! …
//! <!-- faber: end standard/python -->
//! ```

use std::ops::Range;

use super::piece::Subject;
use crate::markdown::Lines;

const BEGIN: &str = "<!-- faber: begin ";
const END: &str = "<!-- faber: end ";
const CLOSE: &str = " -->";

/// A part that faber wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Managed {
    /// What it is; none for what is no piece of its own, such as a list of what there is.
    pub subject: Option<Subject>,
    /// The name in its comments.
    pub id: String,
    /// The globs of the files that it is for, where the file around it cannot say so.
    pub globs: Option<String>,
    /// Its bytes with both comments and the line break behind.
    pub whole: Range<usize>,
    /// Its bytes without them.
    pub inner: Range<usize>,
}

/// The managed parts of `text`, in order. A beginning without its end is somebody's own text.
pub fn parts(text: &str) -> Vec<Managed> {
    if !text.contains(BEGIN) {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let line_end = |line: usize| {
        let end = lines.range(line).end;
        end + text[end..].find('\n').map_or(0, |at| at + 1)
    };
    let mut found = Vec::new();
    let mut line = 0;
    while line < lines.len() {
        let opened = begin(lines.text(line)).and_then(|(id, globs)| {
            let end = end_of(id);
            let last = (line + 1..lines.len()).find(|&at| lines.text(at).trim() == end)?;
            Some((id, globs, last))
        });
        let Some((id, globs, last)) = opened else {
            line += 1;
            continue;
        };
        found.push(Managed {
            subject: Subject::parse(id),
            id: id.to_owned(),
            globs: globs.map(str::to_owned),
            whole: lines.range(line).start..line_end(last),
            inner: line_end(line)..lines.range(last).start,
        });
        line = last + 1;
    }
    found
}

/// The id and globs of a line that begins a part.
fn begin(line: &str) -> Option<(&str, Option<&str>)> {
    let inner = line.trim().strip_prefix(BEGIN)?.strip_suffix(CLOSE)?.trim();
    let (id, globs) = match inner.split_once(" for: ") {
        Some((id, globs)) => (id.trim(), Some(globs.trim())),
        None => (inner, None),
    };
    (!id.is_empty()).then_some((id, globs))
}

fn end_of(id: &str) -> String {
    format!("{END}{id}{CLOSE}")
}

/// `text`, which ends with a line feed, between its comments; none when it could not be told again
/// where it ends, or its name and globs not be read.
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

/// `text` without its managed parts, the bytes of what is left.
pub fn own(text: &str, parts: &[Managed]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for part in parts {
        out.push_str(&text[at..part.whole.start]);
        at = part.whole.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Puts `new` parts (their ids and whole texts) in the place of the managed parts of `old`; every
/// byte outside of them stays, but for blank lines between parts that are gone.
///
/// Parts that stand together are written in the order of `new`; where somebody's own text stands
/// between them, each stays where it is, and what is new comes behind the last.
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
        match new.iter().find(|(id, _)| *id == part.id) {
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

/// Up to three texts with one blank line between those that are there.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(id: &str, text: &str) -> (String, String) {
        (id.to_owned(), wrap(id, None, text).unwrap())
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
    }

    #[test]
    fn what_could_not_be_read_again_is_not_written() {
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
