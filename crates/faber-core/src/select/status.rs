//! HTTP status codes in words.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::parse::rules::words::is_status;
use crate::word_list::words;

/// RFC 9110, sections 15.5 and 15.6, and RFC 6585.
const STATUS: [(&str, &str); 23] = [
    ("400", "bad request malformed syntax"),
    ("401", "unauthorized authentication credentials"),
    ("402", "payment required"),
    ("403", "forbidden permission access"),
    ("404", "not found resource"),
    ("405", "method not allowed"),
    ("406", "not acceptable"),
    ("407", "proxy authentication required"),
    ("408", "request timeout"),
    ("409", "conflict"),
    ("410", "gone"),
    ("411", "length required"),
    ("412", "precondition failed"),
    ("413", "content too large"),
    ("414", "uri too long"),
    ("415", "unsupported media type"),
    ("422", "unprocessable content"),
    ("429", "too many requests rate limiting"),
    ("500", "internal server error"),
    ("501", "not implemented"),
    ("502", "bad gateway"),
    ("503", "service unavailable overload"),
    ("504", "gateway timeout"),
];

const BEFORE: [&str; 7] = ["http", "https", "status", "code", "error", "response", "returned"];

/// Before a code.
const SAYS: &[&str] = words!(
    "answer, answered, answering, answers, fail, failed, failing, fails, gave, get, gets, getting",
    "give, gives, got, return, returning, returns, see, seeing, throw, throwing, throws, why",
);
const LINKS: &[&str] = words!("a, an, of, the, with");
const AFTER: &[&str] = words!("code, codes, error, errors, response, responses, status");
const UNITS: &[&str] = words!("gb, kb, mb, ms, percent, px");
const SINGULAR: &[&str] = words!("across, always, as, does, has, is, status, this, unless, was");

pub(super) fn meanings(error: &str) -> impl Iterator<Item = &str> {
    let mut seen = BTreeSet::new();
    let meanings = codes(error, Said::default()).filter_map(|code| meaning(&error[code]));
    meanings.filter(move |meaning| seen.insert(*meaning))
}

pub(super) fn requested(request: &str) -> Vec<Range<usize>> {
    let said = Said { says: SAYS, links: LINKS, after: AFTER };
    let codes = codes(request, said).map(|code| {
        let next = request[code.end..].split_whitespace().next().unwrap_or_default();
        let is_any = |words: &[&str]| words.iter().any(|own| next.eq_ignore_ascii_case(own));
        let is_plural = next.ends_with('s') && next.chars().all(char::is_alphabetic);
        let is_amount = is_any(UNITS) || (is_plural && !is_any(SINGULAR) && !is_any(AFTER));
        (code, is_amount)
    });
    codes.filter(|(_, is_amount)| !is_amount).map(|(code, _)| code).collect()
}

pub(super) fn meaning(code: &str) -> Option<&'static str> {
    STATUS.iter().find(|(own, _)| *own == code).map(|(_, meaning)| *meaning)
}

#[derive(Clone, Copy, Default)]
struct Said {
    says: &'static [&'static str],
    links: &'static [&'static str],
    after: &'static [&'static str],
}

fn codes(text: &str, said: Said) -> impl Iterator<Item = Range<usize>> {
    let is_separator = |c: char| !c.is_alphanumeric() && c != '#';
    let words = text.split(is_separator).filter(|word| !word.is_empty());
    let mut words = words.peekable();
    let mut is_code = true;
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            let next = words.peek().copied().unwrap_or_default();
            let is_any =
                |word: &str, of: &[&str]| of.iter().any(|it| word.eq_ignore_ascii_case(it));
            let says_what = meaning(word).is_some_and(|meaning| {
                meaning.split(' ').next().is_some_and(|first| next.eq_ignore_ascii_case(first))
            });
            let found = is_status(word) && (is_code || says_what || is_any(next, said.after));
            is_code = is_any(word, &BEFORE)
                || is_any(word, said.says)
                || (is_code && word.len() == 1 && word.starts_with(|c: char| c.is_ascii_digit()))
                || (is_code && is_any(word, said.links));
            if found {
                let start = word.as_ptr().addr() - text.as_ptr().addr();
                return Some(start..start + word.len());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(error: &str) -> Vec<&str> {
        meanings(error).collect()
    }

    #[test]
    fn codes_are_read_where_they_are_codes() {
        for error in
            ["HTTP 429", "HTTP/1.1 429", "status code: 429", "429 Too Many", "error 429: x"]
        {
            assert_eq!(read(error), ["too many requests rate limiting"], "{error}");
        }
        assert_eq!(
            read("HTTP 502, then HTTP 504, then HTTP 502"),
            ["bad gateway", "gateway timeout"]
        );
        for request in [
            "an endpoint answering 409",
            "why 503",
            "it fails with a 404",
            "404 on login",
            "the API sends 401 Unauthorized",
            "find the 500 errors",
        ] {
            assert_eq!(requested(request).len(), 1, "{request}");
        }
        for request in [
            "issue #401",
            "#401 is open",
            "PR 401",
            "move 401 parcels",
            "401 lines changed",
            "it returns 500 rows",
            "resize to 500 px",
            "invoice 404 is wrong",
            "meet in room 401",
        ] {
            assert!(requested(request).is_empty(), "{request}");
        }
        for error in ["sum the 500 rows", "line 404", "HTTP 299", "HTTP x 429", ""] {
            assert!(read(error).is_empty(), "{error}");
        }
    }
}
