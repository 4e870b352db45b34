use crate::validate::check::ViewInput;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::broad_keyword::RULE;
use faber_core::select::reason::ReasonKind;
use faber_core::terms::pieces::is_stop;

/// Not "code" or "test", which are specific in some roles.
const OF_REQUESTS: [&str; 25] = [
    "get", "gets", "getting", "help", "helps", "let", "lets", "make", "makes", "making", "need",
    "needed", "needs", "thing", "things", "tried", "try", "trying", "use", "used", "uses", "using",
    "want", "wanted", "wants",
];
const OF_ERRORS: [&str; 8] =
    ["error", "errors", "exception", "exceptions", "failed", "fails", "failure", "failures"];

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    for term in input.terms {
        let word = term.word.value.trim();
        let Some(why) = why_broad(word, term.kind) else { continue };
        let message = format!("`{word}` {why}, so it selects `{}` all the time", term.context.id);
        found.push(RULE.at(term.word.span, message).help(if word.len() == 1 || is_capital(word) {
            format!("write `'\"{word}\"'` in front matter to match it exactly, or a longer word")
        } else {
            "use a more specific word".to_owned()
        }));
    }
}

fn why_broad(word: &str, kind: ReasonKind) -> Option<&'static str> {
    if word.len() > 10 || !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let folded = word.to_ascii_lowercase();
    if folded.len() == 1 {
        Some("is a single character")
    } else if is_stop(&folded) || OF_REQUESTS.binary_search(&&*folded).is_ok() {
        Some("is in nearly every request")
    } else if kind == ReasonKind::Error && OF_ERRORS.binary_search(&&*folded).is_ok() {
        Some("is in nearly every error text")
    } else {
        None
    }
}

fn is_capital(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order_and_hold_what_is_common() {
        assert!(OF_REQUESTS.is_sorted() && OF_ERRORS.is_sorted());
        let broad = |word| why_broad(word, ReasonKind::Keyword).is_some();
        for word in ["IT", "the", "Using", "r", "7"] {
            assert!(broad(word), "{word}");
        }
        for word in ["ci", "C#", "\"IT\"", "how to", "code", "税", "error", "", "404"] {
            assert!(!broad(word), "{word}");
        }
        assert!(why_broad("Error", ReasonKind::Error).is_some());
    }
}
