//! Matches all keywords and errors in one pass.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::context_id::ContextId;
use crate::markdown::fences::{closes, opens};
use crate::parse::rules::words::{is_copula, is_status};
use crate::select::reason::{Matched, Reason, ReasonKind};
use crate::select::status::requested;
use crate::source::{SourceMap, Spanned};
use crate::terms::matcher::Matcher;
use crate::terms::words;

#[derive(Debug, Default)]
pub struct Hits<'a> {
    pub reasons: Vec<(&'a ContextId, Reason)>,
    pub withheld: BTreeMap<&'a ContextId, String>,
}

#[derive(Debug, Default)]
pub struct Keywords<'a> {
    terms: Vec<KeywordTerm<'a>>,
    except: Vec<(&'a Spanned<String>, usize)>,
    guarded: Vec<&'a ContextId>,
}

pub fn normalized(term: &str) -> Vec<String> {
    if term.starts_with('"') { vec![term.to_owned()] } else { words::stems(term) }
}

#[derive(Debug)]
struct KeywordTerm<'a> {
    kind: ReasonKind,
    declared: &'a Spanned<String>,
    context: &'a ContextId,
    guard: Option<usize>,
}

impl<'a> Keywords<'a> {
    pub fn extend(
        &mut self,
        kind: ReasonKind,
        declared: &'a [Spanned<String>],
        except: &'a [Spanned<String>],
        context: &'a ContextId,
    ) {
        let guard = (!except.is_empty()).then_some(self.guarded.len());
        self.guarded.extend(guard.map(|_| context));
        self.except.extend(except.iter().zip(guard.into_iter().cycle()));
        let term = |declared| KeywordTerm { kind, declared, context, guard };
        self.terms.extend(declared.iter().map(term));
    }

    fn met(&self, texts: [&str; 2]) -> Vec<Option<&'a Spanned<String>>> {
        let mut met = vec![None; self.guarded.len()];
        if self.guarded.is_empty() {
            return met;
        }
        let words: Vec<&str> = self.except.iter().map(|(word, _)| word.value.as_str()).collect();
        let matcher = Matcher::new(&words, &texts);
        for hit in texts.into_iter().flat_map(|text| matcher.hits(text)) {
            let (word, guard) = self.except[hit.term];
            met[guard].get_or_insert(word);
        }
        met
    }

    pub fn excepted(&self, request: &str, error: &str) -> impl Iterator<Item = &'a ContextId> {
        let met = self.met([request, error]).into_iter();
        self.guarded.iter().zip(met).filter(|(_, met)| met.is_some()).map(|(id, _)| *id)
    }

    /// Leaves out pasted parts.
    pub fn hits(&self, request: &str, error: &str, sources: &SourceMap) -> Hits<'a> {
        let mut hits = Hits::default();
        if self.terms.is_empty() || (request.is_empty() && error.is_empty()) {
            return hits;
        }
        let words: Vec<&str> = self.terms.iter().map(|term| term.declared.value.as_str()).collect();
        let terse: Vec<(usize, String)> = words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| Some((at, without_copula(word)?)))
            .collect();
        let all: Vec<&str> =
            words.iter().copied().chain(terse.iter().map(|(_, word)| word.as_str())).collect();
        let matcher = Matcher::new(&all, &[request, error]);
        let term_of = |at: usize| at.checked_sub(words.len()).map_or(at, |at| terse[at].0);
        let met = self.met([request, error]);
        let everything = std::iter::once(0..error.len()).collect();
        let texts = [
            (request, "request", pasted(request), Some(requested(request))),
            (error, "error text", everything, None),
        ];
        let found = texts.each_ref().map(|(text, ..)| matcher.hits(text));
        let counted = self.distinct(found.iter().flatten().map(|hit| term_of(hit.term)));
        for ((text, name, material, codes), found) in texts.into_iter().zip(found) {
            for hit in found {
                let at = term_of(hit.term);
                let term = &self.terms[at];
                let is_error = term.kind == ReasonKind::Error;
                let is_pasted = || has(&material, hit.start);
                if !counted.contains(&at) || (!is_error && is_pasted()) {
                    continue;
                }
                let is_code = || match &codes {
                    Some(codes) => codes.iter().any(|code| code.start == hit.start),
                    None => says_status(text, hit.start),
                };
                if is_error && is_status(&term.declared.value) && !is_code() {
                    continue;
                }
                if let Some(by) = term.guard.and_then(|guard| met[guard]) {
                    let by = format!("excluded by `{}` at {}", by.value, sources.place(by.span));
                    hits.withheld.entry(term.context).or_insert(by);
                    continue;
                }
                let found_term = Matched {
                    keyword: term.declared.value.clone(),
                    start: hit.start,
                    end: hit.end,
                    declared_at: sources.place(term.declared.span),
                };
                let detail = format!("`{}` in the {name}", &text[hit.start..hit.end]);
                let reason = Reason { matched: Some(found_term), ..Reason::new(term.kind, detail) };
                hits.reasons.push((term.context, reason));
            }
        }
        hits
    }

    fn distinct(&self, terms: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let mut known = BTreeSet::new();
        let mut is_new = |at: &usize| {
            let KeywordTerm { kind, declared, context, guard } = &self.terms[*at];
            known.insert((*kind, *context, normalized(&declared.value), *guard))
        };
        let terms: BTreeSet<usize> = terms.collect();
        terms.into_iter().filter(|at| is_new(at)).collect()
    }
}

fn has(parts: &[Range<usize>], place: usize) -> bool {
    let at = parts.partition_point(|part| part.end <= place);
    parts.get(at).is_some_and(|part| part.start <= place)
}

fn without_copula(term: &str) -> Option<String> {
    let is_verbatim = term.starts_with('"');
    let words: Vec<&str> = term.split_whitespace().collect();
    let rest: Vec<&str> = words.iter().copied().filter(|word| !is_copula(word)).collect();
    (!is_verbatim && rest.len() > 1 && rest.len() < words.len()).then(|| rest.join(" "))
}

const OF_NUMBERS: [&str; 12] = [
    "bug", "column", "in", "issue", "line", "page", "port", "pr", "row", "ticket", "took",
    "version",
];

/// Accepts `status: 401`, not `client.py:401`, `#401` or `line 401`.
fn says_status(text: &str, start: usize) -> bool {
    let line = text[..start].rsplit('\n').next().unwrap_or_default();
    let is_joint = |c: char| c.is_whitespace() || "\"'`([:=".contains(c);
    let before = line.trim_end_matches(is_joint);
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && !"._-/#".contains(c)).next();
    let word = word.unwrap_or_default().to_lowercase();
    let colon = line[before.len()..].contains(':');
    let of_file = colon && word.contains('.');
    let glued = before.len() == line.len() && line.ends_with(['#', '.', '-', '/', '_', '@', '$']);
    !(of_file || glued || OF_NUMBERS.contains(&word.as_str()))
}

const LEVELS: [&str; 8] =
    ["CRITICAL", "DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN", "WARNING"];

/// Fenced blocks, logs and stack traces, in order. The only line of a request is not pasted.
fn pasted(request: &str) -> Vec<Range<usize>> {
    let mut end = 0;
    let lines = request.split_inclusive('\n').map(|line| {
        end += line.len();
        (end - line.len()..end, line.trim())
    });
    let mut pasted: Vec<Range<usize>> = Vec::new();
    let mut open = None;
    let mut said = 0;
    for (bytes, line) in lines {
        if let Some((fence, start, before)) = open {
            if closes(line, fence) {
                pasted.truncate(before);
                pasted.push(start..bytes.end);
                open = None;
                continue;
            }
        } else if line.starts_with(['`', '~'])
            && let Some(fence) = opens(line)
        {
            open = Some((fence, bytes.start, pasted.len()));
            continue;
        }
        said += usize::from(open.is_none() && !line.is_empty());
        if is_log_line(line) || is_frame(line) {
            pasted.push(bytes);
        }
    }
    if said == 1 {
        let is_fence = |part: &Range<usize>| {
            request[part.clone()].trim_start().lines().next().and_then(opens).is_some()
        };
        pasted.retain(is_fence);
    }
    pasted
}

fn is_log_line(line: &str) -> bool {
    let around = |c: char| "[]()|,".contains(c);
    let mut words = line.split_whitespace().take(4).map(|word| word.trim_matches(around));
    let first = words.next().unwrap_or_default();
    let is_level = |word: &str| LEVELS.contains(&word.trim_end_matches(':'));
    let has_level = words.clone().any(is_level);
    let has_date = is_date(first) || is_time(first);
    (has_date && (has_level || first.contains('T') || words.next().is_some_and(is_time)))
        || (line.starts_with('[') && is_level(first))
        || (line.split(' ').any(|word| word.starts_with("level="))
            && line.split(' ').filter(|word| word.contains('=')).count() > 1)
        || (line.starts_with("{\"") && line.contains("\"level\":"))
}

fn is_date(word: &str) -> bool {
    let mut numbers = word.splitn(3, ['-', '/']).map(leading_digits);
    let digits = [numbers.next(), numbers.next(), numbers.next()];
    digits == [Some(4), Some(2), Some(2)]
}

fn is_time(word: &str) -> bool {
    let mut numbers = word.splitn(3, ':').map(leading_digits);
    [numbers.next(), numbers.next(), numbers.next()] == [Some(2); 3]
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn is_frame(line: &str) -> bool {
    let is_place = || {
        let place = line.trim_end_matches(')').rsplit(' ').next().unwrap_or_default();
        place.rsplit_once(':').is_some_and(|(_, number)| leading_digits(number) > 0)
    };
    (line.starts_with("at ") && is_place())
        || (line.starts_with("File \"") && line.contains("\", line "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_distinguished_from_other_numbers() {
        for text in
            ["401", "HTTP 401", "status: 401", "HTTP/1.1 401 Unauthorized", "code=401", "(401)"]
        {
            assert!(says_status(text, text.find("401").unwrap()), "{text}");
        }
        for text in ["client.py:401", "client.py: 401", "#401", "line 401", "issue 401", "v2.401"] {
            assert!(!says_status(text, text.find("401").unwrap()), "{text}");
        }
    }

    fn parts(text: &str) -> Vec<&str> {
        pasted(text).into_iter().map(|part| &text[part]).collect()
    }

    #[test]
    fn material_differs_from_words_of_the_user() {
        for line in [
            "2026-11-26 INFO svc=checkout GET /cart 200",
            "2026-11-26T10:00:00Z checkout started",
            "2026-11-26 10:00:00,123 [main] checkout",
            "12:30:59.1 WARN checkout",
            "[ERROR] checkout failed",
            "time=1 level=info msg=checkout",
            r#"{"level":"info","svc":"checkout"}"#,
            "    at Checkout.run (src/checkout.js:10:2)",
            "  at checkout.rs:3",
            r#"  File "checkout.py", line 3, in run"#,
        ] {
            let pasted = format!("Why?\n{line}");
            assert_eq!(parts(&pasted), [line]);
            assert_eq!(parts(line), [""; 0], "{line}");
        }
        for line in [
            "2026-11-26 is the day of the checkout",
            "at noon the checkout fails: why? (see 3:1 there)",
            "ERROR in the checkout, since 12:30",
            "src/checkout.rs:12 is wrong",
            "[x] checkout is INFO",
            "Run ```checkout``` now",
            "Why?\nIt fails with level=debug",
            "```\nnever closed: checkout",
            "",
        ] {
            assert_eq!(parts(line), [""; 0], "{line}");
        }
        let text = "Why?\n```sh\n[INFO] a\nb\n````\nand\n~~~\n```\n~~~\nthis?";
        assert_eq!(parts(text), ["```sh\n[INFO] a\nb\n````\n", "~~~\n```\n~~~\n"]);
    }
}
