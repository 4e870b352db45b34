use super::term::{KeywordCandidate, TermKind, TermSource};
use faber_core::meaning;
use faber_core::terms::words::words;

const OF_MESSAGES: &str = "cannot|conflict|denied|error|exceeded|failed|failure|fatal|forbidden|\
    invalid|missing|no such|not found|refused|rejected|timed out|timeout|unable|unauthorized|\
    undefined|unexpected|unknown";

const OTHER_NUMBERED: [&str; 11] =
    ["DIN", "EN", "ES", "FY", "IEC", "ISO", "PEP", "RFC", "RTX", "SQL", "VS"];

const MAX_WORDS: usize = 8;

pub(super) fn names(text: &str, source: TermSource) -> Vec<KeywordCandidate> {
    let names = words(text).map(|word| &text[word.bytes]).filter(|word| is_name(word));
    names.filter_map(|name| KeywordCandidate::new(TermKind::Error, source, name)).collect()
}

fn is_name(word: &str) -> bool {
    let ends = ["Error", "Exception", "Failure", "Fault"];
    if ends.iter().any(|end| word.strip_suffix(end).is_some_and(|rest| rest.len() > 1)) {
        return true;
    }
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match digits.len() {
        0 => letters >= 5 && word.starts_with('E') && meaning::weight(word).is_none(),
        4..=6 => {
            let name = &word[..letters];
            (1..=3).contains(&letters) && is_number(digits) && !OTHER_NUMBERED.contains(&name)
        }
        _ => false,
    }
}

pub(super) fn messages(prose: &str) -> Vec<KeywordCandidate> {
    let spans = prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let messages = spans.map(|span| span.trim().trim_end_matches(['.', ':'])).filter(is_message);
    let new = |text| KeywordCandidate::new(TermKind::Error, TermSource::Text, text);
    messages.filter_map(new).collect()
}

fn is_message(span: &&str) -> bool {
    let is_prose = |c: char| c.is_alphanumeric() || " _-':.,".contains(c);
    let folded = span.to_lowercase();
    (2..=MAX_WORDS).contains(&span.split(' ').count())
        && span.starts_with(char::is_alphabetic)
        && span.chars().all(is_prose)
        && OF_MESSAGES.split('|').any(|word| folded.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_errors_are_told_from_other_words() {
        for name in ["RateLimitError", "ENOENT", "ECONNREFUSED", "TS2345", "E0382"] {
            assert!(is_name(name), "{name}");
        }
        for word in [
            "Error", "ERROR", "EXAMPLE", "SHA256", "RFC", "v1000", "2026", "E2E", "RFC7231",
            "ES2022",
        ] {
            assert!(!is_name(word), "{word}");
        }
    }

    #[test]
    fn messages_are_code_that_reads_as_one() {
        let prose = "Run `git status` when it says `Permission denied` or `fatal: not a git repository.`,\nnot `error`.";
        let texts: Vec<_> = messages(prose).into_iter().map(|found| found.text).collect();
        assert_eq!(texts, ["Permission denied", "fatal: not a git repository"]);
    }
}
