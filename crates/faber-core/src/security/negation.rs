//! Detects negation: "do not tell the user", but not "if it is not there, tell the user".

pub(super) const MAX_LEAD_BYTES: usize = 80;
const MAX_WORDS_BETWEEN: usize = 7;

/// After these, "not" states a fact.
const STATES: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "does", "did", "has", "have", "had", "if", "or",
    "when",
];
/// After "not", these forbid nevertheless.
const FORBIDS: &[&str] = &["to", "allowed", "permitted", "supposed"];
const BREAKS: &[&str] = &[
    "but", "then", "instead", "just", "only", "simply", "merely", "forget", "hesitate", "fail",
    "neglect", "omit", "refuse", "until", "before", "unless",
];

/// `lead` is in lower case. "Without" only negates what ends with "ing".
pub(super) fn forbids_order(lead: &str) -> bool {
    forbids(&lead.replace("without ", ""))
}

pub(super) fn forbids(lead: &str) -> bool {
    let clause = lead.replace("--", "—").replace(" - ", "—");
    let clause = clause
        .rsplit(['.', '!', '?', ';', ':', '(', ')', '|', '—', '–'])
        .next()
        .unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let plain =
        |word: &str| word.trim_matches(|char: char| "*_`\"',".contains(char)).replace('’', "'");
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
    use super::forbids;

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
