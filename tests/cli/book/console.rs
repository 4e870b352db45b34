//! Blocks of commands and their output.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::page::Block;
use super::stage::Ran;

/// A whole line elides any lines.
const ELISION: &str = "[…]";

/// Runs the lines after `$ `. Returns the corrected block if an output differs.
pub(super) fn play(block: &Block, mut run: impl FnMut(&str) -> Ran) -> Option<String> {
    let exchanges = exchanges(block);
    let last = exchanges.len() - 1;
    let mut whole = String::new();
    let mut other = false;
    for (at, (command, expected)) in exchanges.into_iter().enumerate() {
        let status = if at == last { block.status } else { 0 };
        let ran = run(&command).ended(status, &block.at);
        let fixed = compare(&expected, &ran.output);
        other |= fixed.is_some();
        whole.push_str("$ ");
        whole.push_str(&command);
        whole.push_str(&fixed.unwrap_or(expected));
    }
    other.then_some(whole)
}

/// Commands, including continuation lines, with expected output.
fn exchanges(block: &Block) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in block.text.split_inclusive('\n') {
        let goes_on = ["\\", "|", "&&"].iter().any(|end| line.trim_end().ends_with(end));
        if let Some(command) = line.strip_prefix("$ ") {
            all.push((command.to_owned(), String::new()));
            open = goes_on;
            continue;
        }
        let (command, expected) =
            all.last_mut().unwrap_or_else(|| panic!("{}: begin with a command", block.at));
        if open {
            command.push_str(line);
        } else {
            expected.push_str(line);
        }
        open = open && goes_on;
    }
    assert!(!all.is_empty(), "{}: no line begins with `$ `", block.at);
    all
}

/// `None` if equal; otherwise the new output, with elisions kept.
pub(super) fn compare(expected: &str, output: &str) -> Option<String> {
    let expected: Vec<&str> = expected.lines().map(str::trim_end).collect();
    let output: Vec<&str> = output.lines().map(str::trim_end).collect();
    if matches(&expected, &output) {
        return None;
    }
    let mut fixed = String::new();
    for change in capture_diff_slices(Algorithm::Myers, &expected, &output) {
        let (tag, old, new) = change.as_tag_tuple();
        let elided = expected[old.clone()].contains(&ELISION);
        let lines = match tag {
            _ if elided => &[ELISION],
            // Keeps the elision of an unchanged line.
            DiffTag::Replace if matches(&expected[old.clone()], &output[new.clone()]) => {
                &expected[old]
            }
            _ => &output[new],
        };
        for line in lines {
            fixed.push_str(line);
            fixed.push('\n');
        }
    }
    Some(fixed)
}

fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    let (mut p, mut l) = (0, 0);
    // For backtracking: the last elision, and the lines it consumed.
    let mut back: Option<(usize, usize)> = None;
    while l < lines.len() {
        if pattern.get(p) == Some(&ELISION) {
            back = Some((p, l));
            p += 1;
        } else if pattern.get(p).is_some_and(|pattern| line_matches(pattern, lines[l])) {
            (p, l) = (p + 1, l + 1);
        } else if let Some((elision, taken)) = back {
            back = Some((elision, taken + 1));
            (p, l) = (elision + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|rest| *rest == ELISION)
}

fn line_matches(pattern: &str, line: &str) -> bool {
    let mut pieces = pattern.split(ELISION);
    let Some(mut rest) = line.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{compare, line_matches};

    #[test]
    fn elisions_match_anything() {
        assert_eq!(compare("a\n[…]\nc\n", "a\nb\nb\nc\n"), None);
        assert_eq!(compare("[…]\n", ""), None);
        assert_eq!(compare("a\n[…]\n", "a\n"), None);
        assert_eq!(compare("in […] ms\n", "in 12 ms\n"), None);
        assert_eq!(compare("[…]\nb\n[…]\nb\n", "b\nb\nx\nb\n"), None);
        assert!(compare("a\n", "a\nb\n").is_some());
        assert!(compare("a\n[…]\nd\n", "a\nb\nc\n").is_some());
        assert!(line_matches("a […] c […]", "a b c d") && !line_matches("a […]d", "a b c"));
    }

    #[test]
    fn updated_blocks_keep_their_elisions() {
        assert_eq!(compare("a\n[…]\nd\ne\n", "a\nb\nd\nf\n").unwrap(), "a\n[…]\nd\nf\n");
        assert_eq!(compare("", "a\n").unwrap(), "a\n");
    }
}
