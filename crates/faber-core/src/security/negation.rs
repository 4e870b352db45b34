//! Negation: "do not tell the user", but not "if it is not there, tell the user".

use super::table::Table;
use super::window;

pub(super) const MAX_LEAD_BYTES: usize = 80;
const MAX_LIST_BYTES: usize = 1000;
const MAX_WORDS_BETWEEN: usize = 7;

/// After these, "not" states a fact.
const STATES: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "does", "did", "has", "have", "had", "if", "or",
    "when", "why",
];
/// After "not", these still forbid.
const FORBIDS: &[&str] = &["to", "allowed", "permitted", "supposed"];
const BREAKS: &[&str] = &[
    "but", "then", "instead", "just", "only", "simply", "merely", "forget", "hesitate", "fail",
    "neglect", "omit", "refuse", "until", "before", "unless",
];

/// Where the negation of the words at `at` begins, in "do not tell" at "do".
pub(super) fn start(text: &str, at: usize) -> usize {
    const BEFORE: &[&str] = &["do", "must", "should", "may", "can", "shall", "will"];
    let line = window::line_before(text, at, MAX_LEAD_BYTES);
    let mut end = at;
    let words = line.split_inclusive(char::is_whitespace).rev().map(|word| {
        end -= word.len();
        (end, plain(&word.trim_end().to_lowercase()))
    });
    let mut words = words.filter(|(_, word)| !word.is_empty());
    let Some((start, word)) = words.find(|(_, word)| negates(word)) else { return at };
    let before = words.next().filter(|(_, before)| BEFORE.contains(&&**before));
    before.filter(|_| word == "not").map_or(start, |(start, _)| start)
}

/// In lower case. "Without" negates only words with "ing".
pub(super) fn forbids_order(lead: &str) -> bool {
    forbids(&lead.replace("without ", ""))
}

pub(super) fn forbids(lead: &str) -> bool {
    if !NEGATING.is_in(lead) {
        return false;
    }
    let clause = lead.replace("--", "—").replace(" - ", "—");
    let clause = clause
        .rsplit(['.', '!', '?', ';', ':', '(', ')', '|', '—', '–'])
        .next()
        .unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let Some(at) = words.iter().rposition(|word| negates(&plain(word))) else { return false };
    let (before, after): (Vec<String>, Vec<String>) = (
        words[..at].iter().map(|word| plain(word)).collect(),
        words[at + 1..].iter().map(|word| plain(word)).collect(),
    );
    let is =
        |word: Option<&String>, table: &[&str]| word.is_some_and(|word| table.contains(&&**word));
    let states = is(before.last(), STATES) && !is(after.first(), FORBIDS);
    let [.., condition, subject, _] = &*before else {
        return !states && reaches(&words[at..], &after);
    };
    let conditional = ["if", "when", "where", "unless"].contains(&&**condition)
        && ["you", "we", "i", "they", "it"].contains(&&**subject);
    // "Never do it without telling".
    let demands =
        plain(words[at]) == "without" && before.iter().any(|word| negates(word) || word == "no");
    !states && !conditional && !demands && reaches(&words[at..], &after)
}

fn plain(word: &str) -> String {
    word.trim_matches(|char: char| "*_`\"',".contains(char)).replace('’', "'")
}

/// Below "Will not:" or "## Never", but not below "Do not skip these:".
pub(super) fn forbids_item(text: &str, at: usize) -> bool {
    const ALL: &[&str] =
        &["any", "do", "ever", "following", "of", "the", "these", "things", "this", "to"];
    let line = window::line_before(text, at, MAX_LEAD_BYTES);
    let Some(item) = item(line) else { return false };
    let indent = indentation(line);
    let mut above = window::before(text, at - line.len(), MAX_LIST_BYTES).lines().rev();
    let introduces = |line: &&str| {
        let is_outer = indentation(line) < indent;
        let is_beside = indentation(line) == indent && self::item(line).is_none();
        !line.trim().is_empty() && (is_outer || is_beside)
    };
    let Some(lead) = above.find(introduces) else { return false };
    let lead = self::item(lead).unwrap_or(lead).trim().to_lowercase();
    let is_mark = |char: char| matches!(char, '*' | '_' | ' ');
    let lead = match lead.trim_end_matches(is_mark).strip_suffix(':') {
        Some(lead) => lead,
        None if lead.starts_with('#') => &*lead,
        None => return false,
    };
    let mut last = lead.split_whitespace().rev().map(plain);
    let is_of_all = last.find(|word| !ALL.contains(&&**word)).is_some_and(|word| negates(&word));
    is_of_all && forbids_order(&format!("{lead} {}", item.to_lowercase()))
}

fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let marks = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = marks.len() < line.len();
    let kinds: &[char] = if is_numbered { &['.', ')'] } else { &['-', '*', '+'] };
    marks.strip_prefix(kinds)?.strip_prefix(' ')
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Parts of the words that negate.
const NEGATING: Table = Table::new(&["not", "never", "without", "'t", "’t"]);

fn negates(word: &str) -> bool {
    const NEGATIONS: [&str; 9] =
        ["not", "never", "without", "cannot", "don't", "mustn't", "shouldn't", "can't", "won't"];
    NEGATIONS.contains(&word)
}

fn reaches(words: &[&str], after: &[String]) -> bool {
    let is_list = matches!(after.last().map(String::as_str), Some("or" | "nor"));
    let commas = words.iter().filter(|word| word.ends_with(',')).count();
    let aside = commas == 2
        && words[0].ends_with(',')
        && words.last().is_some_and(|word| word.ends_with(','));
    let mut and = after.iter().position(|word| word == "and").into_iter();
    let goes = |at: usize| at == 1 && matches!(&*after[0], "go" | "stop" | "pause" | "try");
    after.len() <= MAX_WORDS_BETWEEN
        && (commas == 0 || is_list || aside)
        && (aside || and.all(goes))
        && !after.iter().any(|word| BREAKS.contains(&&**word))
}

#[cfg(test)]
mod tests {
    use super::{forbids, forbids_item};

    #[test]
    fn a_negation_forbids_what_it_reaches() {
        for lead in [
            "do not ",
            "don't ever ",
            "you must not ",
            "never ",
            "without first ",
            "you are not to ",
            "run it, but don’t ",
            "do not, under any circumstances, ",
            "never log, mention or ",
            "do **not** ",
            "do not mention this or ",
            "if asked, do not ",
            "do not stop and ",
            "you are not allowed to ",
            "cannot ",
        ] {
            assert!(forbids(lead), "{lead}");
        }
    }

    #[test]
    fn the_introduction_of_a_list_forbids_its_items() {
        for (text, expected) in [
            ("**Will Not:**\n- Add x.\n  More.\n- X", true),
            ("You must never do any of these:\n\n1. X", true),
            ("**Never**:\n* read or X", true),
            ("- Do not:\n  - X", true),
            ("## Never\n\n- X", true),
            ("**Will:**\n- X", false),
            ("**Will Not:**\n- Add x.\n\nThen:\n- X", false),
            ("Never:\n- Add x, then X", false),
            ("Never:\n- Add x. X", false),
            ("Never:\n\nX", false),
            ("Do not skip these:\n- X", false),
            ("Never forget:\n- X", false),
            ("Why not:\n- X", false),
            ("If they are not:\n- X", false),
            ("Never\n- X", false),
        ] {
            assert_eq!(forbids_item(text, text.rfind('X').unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn a_negation_of_something_else_forbids_nothing() {
        for lead in [
            "if the repository is not in the list, ",
            "if not installed, enable it and ",
            "isn't supported — ",
            "do not guess — ",
            "do not guess; ",
            "if not, ",
            "do not forget to ",
            "don't hesitate to ",
            "if you do not ",
            "never delete files without ",
            "make no changes without ",
            "do not continue and ",
            "not only ",
            "if the key is not there ",
            "flag not found: ",
            "do not proceed before ",
            "| not found | ",
            "",
        ] {
            assert!(!forbids(lead), "{lead}");
        }
    }
}
