//! Commands and their output.

use super::page::Block;
use super::stage::Ran;

/// A whole line elides any lines.
const ELISION: &str = "[…]";

/// Returns the corrected block if an output differs.
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
    let (all, whole) = (expected.len(), output.len());
    // The number of lines that differ, from a line of each on.
    let mut differing = vec![vec![0; whole + 1]; all + 1];
    let best = |differing: &[Vec<usize>], from: (usize, usize)| {
        let steps = steps(&expected[from.0..], &output[from.1..]).into_iter();
        let steps = steps.map(|it| (it, it.cost + differing[from.0 + it.old][from.1 + it.new]));
        steps.min_by_key(|(_, cost)| *cost)
    };
    for from in (0..=all).rev().flat_map(|old| (0..=whole).rev().map(move |new| (old, new))) {
        differing[from.0][from.1] = best(&differing, from).map_or(0, |(_, cost)| cost);
    }
    let (mut at, mut fixed) = ((0, 0), String::new());
    while let Some((step, _)) = best(&differing, at) {
        at = (at.0 + step.old, at.1 + step.new);
        if let Some(line) = step.line {
            fixed.push_str(line);
            fixed.push('\n');
        }
    }
    (differing[0][0] > 0).then_some(fixed)
}

#[derive(Clone, Copy)]
struct Step<'a> {
    cost: usize,
    old: usize,
    new: usize,
    line: Option<&'a str>,
}

fn steps<'a>(pattern: &[&'a str], lines: &[&'a str]) -> Vec<Step<'a>> {
    let step = |cost, old, new, line| Step { cost, old, new, line };
    match (pattern.first().copied(), lines.first().copied()) {
        (None, None) => Vec::new(),
        (Some(ELISION), None) => vec![step(0, 1, 0, Some(ELISION))],
        (Some(ELISION), Some(_)) => vec![step(0, 0, 1, None), step(0, 1, 0, Some(ELISION))],
        (Some(_), None) => vec![step(1, 1, 0, None)],
        (None, Some(line)) => vec![step(1, 0, 1, Some(line))],
        (Some(pattern), Some(line)) => {
            let same = line_matches(pattern, line);
            let both = step(usize::from(!same), 1, 1, Some(if same { pattern } else { line }));
            vec![both, step(1, 1, 0, None), step(1, 0, 1, Some(line))]
        }
    }
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
        assert_eq!(compare("a\n[…]\nd\n", "A\nb\nc\nd\n").unwrap(), "A\n[…]\nd\n");
        assert_eq!(compare("a\n[…] ms\nd\n", "A\n1 ms\nx\nd\n").unwrap(), "A\n[…] ms\nx\nd\n");
        assert_eq!(compare("", "a\n").unwrap(), "a\n");
    }
}
