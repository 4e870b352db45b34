//! HTTP status codes in words: guides are about rate limits, an error says 429.

use std::collections::BTreeSet;

use crate::word_list::words;

/// From RFC 9110, sections 15.5 and 15.6, and RFC 6585.
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

/// In requests, before a code: "answering 409".
const SAYS: &[&str] = words!(
    "answer, answered, answering, answers, fail, failed, failing, fails, gave, get, gets, getting",
    "give, gives, got, return, returning, returns, see, seeing, throw, throwing, throws, why",
);
/// Between these and the code.
const LINKS: &[&str] = words!("a, an, of, the, with");

/// At the start or after [`BEFORE`], such as `HTTP/1.1 429` or `status code: 401`.
pub(super) fn meanings<'a>(error: &str) -> impl Iterator<Item = &'a str> {
    let mut seen = BTreeSet::new();
    let meanings = codes(error, &[], &[]).map(|(_, meaning)| meaning);
    meanings.filter(move |meaning| seen.insert(*meaning))
}

/// Those that a request has as codes, not as numbers of something.
pub(super) fn requested(request: &str) -> BTreeSet<&'static str> {
    codes(request, SAYS, LINKS).map(|(code, _)| code).collect()
}

fn codes(
    text: &str,
    says: &[&str],
    links: &[&str],
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut is_code = true;
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '#');
    words.filter(|word| !word.is_empty()).filter_map(move |word| {
        let row = STATUS.iter().find(|(code, _)| *code == word).filter(|_| is_code);
        let is_any = |words: &[&str]| words.iter().any(|own| word.eq_ignore_ascii_case(own));
        // Skips the version in `HTTP/1.1 429`.
        is_code = is_any(&BEFORE)
            || is_any(says)
            || (is_code && word.len() == 1 && word.starts_with(|c: char| c.is_ascii_digit()))
            || (is_code && is_any(links));
        row.copied()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_where_they_are_codes() {
        let read = |error: &str| meanings(error).collect::<Vec<_>>();
        for error in
            ["HTTP 429", "HTTP/1.1 429", "status code: 429", "429 Too Many", "error 429: x"]
        {
            assert_eq!(read(error), ["too many requests rate limiting"], "{error}");
        }
        assert_eq!(
            read("HTTP 502, then HTTP 504, then HTTP 502"),
            ["bad gateway", "gateway timeout"]
        );
        for request in
            ["an endpoint answering 409", "why 503", "it fails with a 404", "404 on login"]
        {
            let number = request.split(' ').find(|word| word.parse::<u16>().is_ok()).unwrap();
            assert!(requested(request).contains(number), "{request}");
        }
        for request in ["issue #401", "#401 is open", "PR 401", "move 401 parcels"] {
            assert!(requested(request).is_empty(), "{request}");
        }
        for error in ["sum the 500 rows", "line 404", "HTTP 299", "HTTP x 429", ""] {
            assert!(read(error).is_empty(), "{error}");
        }
    }
}
