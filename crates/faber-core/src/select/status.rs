//! HTTP status codes in words: guides are about rate limits, an error says 429.

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

/// At the start or after [`BEFORE`], such as `HTTP/1.1 429` or `status code: 401`.
pub(super) fn meanings<'a>(error: &str) -> impl Iterator<Item = &'a str> {
    let mut is_code = true;
    let words = error.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let codes = words.filter_map(move |word| {
        let row = STATUS.iter().find(|(code, _)| *code == word).filter(|_| is_code);
        // Skips the version in `HTTP/1.1 429`.
        is_code = BEFORE.iter().any(|before| word.eq_ignore_ascii_case(before))
            || (is_code && word.len() == 1 && word.starts_with(|c: char| c.is_ascii_digit()));
        row.map(|(_, meaning)| *meaning)
    });
    let mut seen = std::collections::BTreeSet::new();
    codes.filter(move |meaning| seen.insert(*meaning))
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
        for error in ["sum the 500 rows", "line 404", "HTTP 299", "HTTP x 429", ""] {
            assert!(read(error).is_empty(), "{error}");
        }
    }
}
