//! Pieces of a text for ranking.
//!
//! Identifiers are split at camelCase, underscores and digits, and also kept whole. Names
//! (`JavaScript`) are not split. Ideographs and kana are pieces alone and in pairs, katakana also
//! in threes.

use std::ops::Range;

use super::words::{Normalizer, is_unspaced, subwords, words};
use crate::word_list::words;

/// English, with parts of contractions.
const STOP: [&str; 123] = *words!(
    "a, about, after, all, also, am, an, and, any, are, as, at, be, because, been, before",
    "being, between, both, but, by, can, could, did, do, does, doesn, doing, don, during",
    "each, few, for, from, further, had, has, have, having, he, her, here, him, his, how",
    "i, if, in, into, is, isn, it, its, just, ll, may, me, might, more, most, must, my",
    "no, nor, not, of, on, once, only, or, other, our, ours, own, please, re, s, same",
    "shall, she, should, so, some, such, t, than, that, the, their, them, then, there",
    "these, they, this, those, through, to, too, under, until, up, us, ve, very, was, we",
    "were, what, when, where, which, while, who, whom, whose, why, will, with, would, you",
    "your, yours",
);

/// Names whose parts mean something else.
const NAMES: &[&str] = words!(
    "actionscript, applescript, bitbucket, circleci, clickhouse, clickup, cloudflare, codepen",
    "coffeescript, crowdstrike, databricks, datadog, deepseek, docusign, dropbox, duckduckgo",
    "facebook, firefox, freebsd, github, gitlab, graphql, hackerone, hubspot, huggingface",
    "intellij, javascript, jetbrains, jmeter, jquery, junit, langchain, langgraph, lastpass",
    "launchdarkly, linkedin, llamaindex, macbook, netbeans, netsuite, newrelic, onedrive",
    "onenote, openai, openbsd, openshift, openstack, pagerduty, paypal, playstation, postcss",
    "powerpoint, powershell, pycharm, quickbooks, rabbitmq, redhat, rubocop, salesforce",
    "sendgrid, servicenow, sharepoint, snapchat, snowflake, sonarqube, soundcloud",
    "stackoverflow, teamcity, teamviewer, tensorflow, testflight, tiktok, typescript",
    "webstorm, whatsapp, wordpress, youtube",
);

const MAX_STOP: usize = 7;

/// In bytes.
const MAX_FRAGMENT: usize = 2;

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];

const ENDINGS: [&str; 6] = ["d", "ll", "m", "re", "s", "ve"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPiece {
    pub bytes: Range<usize>,
    pub joined: bool,
}

/// With stop words; an identifier follows its parts.
pub fn pieces(text: &str) -> Vec<WordPiece> {
    let mut found: Vec<WordPiece> = Vec::new();
    let mut identifier: Option<(Range<usize>, usize)> = None;
    let mut ideographs: Vec<Range<usize>> = Vec::new();
    for word in words(text) {
        let bytes = without_signs(text, word.bytes);
        if is_contracted(text, &bytes) {
            continue;
        }
        let is_ideograph = text[bytes.clone()].chars().next().is_some_and(is_unspaced);
        if is_ideograph {
            close(identifier.take(), &mut found);
            if ideographs.last().is_some_and(|before| before.end != bytes.start) {
                ideographs.clear();
            }
            let before = ideographs.last().map(|before| before.start);
            let three = ideographs.iter().rev().nth(1).map(|first| first.start);
            let three = three.filter(|start| text[*start..bytes.end].chars().all(is_katakana));
            found.push(WordPiece { bytes: bytes.clone(), joined: false });
            let joined = before.into_iter().chain(three);
            found.extend(joined.map(|at| WordPiece { bytes: at..bytes.end, joined: true }));
            ideographs.push(bytes);
            continue;
        }
        ideographs.clear();
        let goes_on =
            identifier.as_ref().is_some_and(|(before, _)| is_joint(text, before.end..bytes.start));
        if !goes_on {
            close(identifier.take(), &mut found);
        }
        let (start, first) =
            identifier.map_or((bytes.start, found.len()), |(before, first)| (before.start, first));
        let mut before: Option<Range<usize>> = None;
        for part in parts(&text[bytes.clone()]) {
            let part = bytes.start + part.start..bytes.start + part.end;
            found.push(WordPiece { bytes: part.clone(), joined: false });
            let with_stop = before.filter(|stop| is_stop(&text[stop.clone()]));
            let pair = with_stop.map(|stop| stop.start..part.end).filter(|pair| *pair != bytes);
            found.extend(pair.map(|bytes| WordPiece { bytes, joined: true }));
            before = Some(part);
        }
        identifier = if is_dotted(text, &bytes) {
            found.push(WordPiece { bytes: bytes.start - 1..bytes.end, joined: true });
            None
        } else {
            Some((start..bytes.end, first))
        };
    }
    close(identifier, &mut found);
    found
}

fn is_contracted(text: &str, word: &Range<usize>) -> bool {
    let stem = text[..word.start].strip_suffix(APOSTROPHES);
    let is_end = stem.is_some_and(|stem| {
        let ending = &text[word.clone()];
        let is = |own: &&str| ending.eq_ignore_ascii_case(own);
        if ending.eq_ignore_ascii_case("t") {
            stem.ends_with(['n', 'N'])
        } else {
            stem.ends_with(char::is_alphanumeric) && ENDINGS.iter().any(is)
        }
    });
    let is_negated = || {
        let rest = text[word.end..].strip_prefix(APOSTROPHES);
        let rest = rest.and_then(|rest| rest.strip_prefix(['t', 'T']));
        text[word.clone()].ends_with(['n', 'N'])
            && rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    is_end || is_negated()
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}')
}

fn close(identifier: Option<(Range<usize>, usize)>, found: &mut Vec<WordPiece>) {
    if let Some((bytes, first)) = identifier
        && found[first..].iter().all(|part| part.bytes != bytes)
    {
        found.push(WordPiece { bytes, joined: true });
    }
}

fn without_signs(text: &str, bytes: Range<usize>) -> Range<usize> {
    let plain = text[bytes.clone()].trim_end_matches(['+', '#']);
    let mut letters = plain.chars();
    let is_letter = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    if is_letter { bytes } else { bytes.start..bytes.start + plain.len() }
}

fn is_joint(text: &str, gap: Range<usize>) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let number_follows = is_digit(bytes.get(gap.end));
    match &bytes[gap.clone()] {
        [] => false,
        b"-" => number_follows,
        b"." => number_follows && is_digit(bytes[..gap.start].last()),
        gap => gap.iter().all(|byte| *byte == b'_'),
    }
}

fn is_dotted(text: &str, word: &Range<usize>) -> bool {
    let Some(before) = text[..word.start].strip_suffix('.') else { return false };
    let word = &text[word.clone()];
    word == "NET" || (word.eq_ignore_ascii_case("net") && !before.ends_with(char::is_alphanumeric))
}

fn parts(word: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut humps = subwords(word);
    if humps.len() > 1 && NAMES.binary_search(&&*word.to_lowercase()).is_ok() {
        humps.truncate(1);
        humps[0].end = word.len();
    }
    for hump in humps {
        let mut start = hump.start;
        let mut before: Option<bool> = None;
        for (at, c) in word[hump.clone()].char_indices() {
            let is_digit = c.is_ascii_digit();
            if before.is_some_and(|before| before != is_digit) {
                parts.push(start..hump.start + at);
                start = hump.start + at;
            }
            before = Some(is_digit);
        }
        parts.push(start..hump.end);
    }
    let is_number = |part: &Range<usize>| word.as_bytes()[part.start].is_ascii_digit();
    let is_short = |part: &Range<usize>| part.len() <= MAX_FRAGMENT;
    if parts.len() > 1 && parts.iter().all(|part| is_number(part) || is_short(part)) {
        parts.retain(is_number);
    }
    if parts.is_empty() {
        parts.push(0..word.len());
    }
    parts
}

pub fn is_stop(word: &str) -> bool {
    let lower = || word.bytes().map(|byte| byte.to_ascii_lowercase());
    word.len() <= MAX_STOP && STOP.binary_search_by(|stop| stop.bytes().cmp(lower())).is_ok()
}

pub fn stem_of(piece: &str, normalizer: &Normalizer<'_>) -> String {
    if !piece.contains(['_', '-', '.', '#', '+']) {
        return normalizer.compute(piece);
    }
    let (dot, rest) = match piece.strip_prefix('.') {
        Some(rest) => ("dot", rest),
        None => ("", piece),
    };
    let is_version =
        |number: &&str| number.contains('.') && number.starts_with(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(['v', 'V']).filter(is_version).unwrap_or(rest);
    let spelled = rest.replace(['_', '-'], "").replace('#', "sharp").replace('+', "p");
    normalizer.compute(&format!("{dot}{spelled}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<String> {
        let normalizer = Normalizer::default();
        let kept = pieces(text).into_iter().map(|piece| &text[piece.bytes]);
        kept.filter(|piece| !is_stop(piece)).map(|piece| stem_of(piece, &normalizer)).collect()
    }

    #[test]
    fn identifiers_are_split_and_kept() {
        assert_eq!(split("RateLimitError"), ["rate", "limit", "error", "ratelimiterror"]);
        assert_eq!(split("rate_limit_error"), ["rate", "limit", "error", "ratelimiterror"]);
        assert_eq!(split("sha256 v2"), ["sha", "256", "sha256", "2", "v2"]);
        assert_eq!(split("LaTeX h5ad UIKit"), ["latex", "5", "h5ad", "ui", "kit", "uikit"]);
        assert_eq!(
            split("JavaScript GitHubError"),
            ["javascript", "git", "hub", "error", "githuberror"]
        );
        assert!(NAMES.is_sorted());
        assert_eq!(
            split("\u{691c}\u{8a3c} \u{7528}b"),
            ["\u{691c}", "\u{8a3c}", "\u{691c}\u{8a3c}", "\u{7528}", "b"]
        );
        assert_eq!(split("\u{30ad}\u{30fc}\u{30b9}").len(), 6, "alone, in pairs and in threes");
        assert_eq!(split("__init__ a_b"), ["init", "b", "ab"]);
        assert_eq!(split("rate limits, rate-limits"), ["rate", "limit", "rate", "limit"]);
        assert_eq!(split("NodeNotReady"), ["node", "readi", "notreadi", "nodenotreadi"]);
        assert_eq!(split("NotReady"), ["readi", "notreadi"]);
    }

    #[test]
    fn signs_that_name_a_language_are_spelled() {
        assert_eq!(split("C#, F# (C++) and C++20"), ["csharp", "fsharp", "cpp", "cpp", "20"]);
        assert_eq!(split("csharp cpp dotnet"), ["csharp", "cpp", "dotnet"]);
        assert_eq!(split(".NET (ASP.NET)"), ["net", "dotnet", "asp", "net", "dotnet"]);
        assert_eq!(
            split("example.net 100+ keys+ a+b #7"),
            ["exampl", "net", "100", "key", "b", "7"]
        );
    }

    #[test]
    fn names_and_versions_with_numbers_are_kept() {
        assert_eq!(split("IL-6"), ["il", "6", "il6"]);
        assert_eq!(split("IL6"), ["6", "il6"]);
        assert_eq!(split("v1.89.0"), ["1", "89", "0", "1.89.0"]);
        assert_eq!(
            split("1.89.0 2026-01-15"),
            ["1", "89", "0", "1.89.0", "2026", "01", "15", "20260115"]
        );
        assert_eq!(
            split("up-to-date, 7.b, end.7 -1 1..2"),
            ["date", "7", "b", "end", "7", "1", "1", "2"]
        );
    }

    #[test]
    fn contractions_are_function_words() {
        for text in ["won't", "can\u{2019}t Shouldn't AIN'T", "I'd've, she'll we're I'm"] {
            assert_eq!(split(text), Vec::<String>::new(), "{text}");
        }
        assert_eq!(split("the user's keys, users' OK'd"), ["user", "key", "user", "ok"]);
        assert_eq!(split("Who won the cup?"), ["won", "cup"]);
        assert_eq!(split("'won' 't' column'tx"), ["won", "column", "tx"]);
    }

    #[test]
    fn stop_words_are_in_order_and_found_in_any_case() {
        assert!(STOP.is_sorted());
        assert!(STOP.iter().all(|word| is_stop(word) && is_stop(&word.to_uppercase())));
        assert_eq!(split("How do I rotate the keys, please?"), ["rotat", "key"]);
        assert!(!is_stop("") && !is_stop("whatever") && !is_stop("größe"));
    }

    proptest! {
        #[test]
        fn any_text_will_do(text in ".*") {
            for piece in pieces(&text) {
                prop_assert!(text.get(piece.bytes).is_some_and(|own| !own.is_empty()));
            }
        }

        #[test]
        fn text_without_spaces_is_split_on_its_own(words in prop::collection::vec("[a-zA-Z0-9_.é]{1,8}", 0..6)) {
            let alone: Vec<String> = words.iter().flat_map(|word| split(word)).collect();
            prop_assert_eq!(split(&words.join(" ")), alone);
        }
    }
}
