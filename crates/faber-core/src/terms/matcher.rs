//! Finds declared terms in linear time: Aho–Corasick over stems between control bytes. Terms with
//! words that no text has are left out, as building the automaton takes longest.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::words::{Normalizer, subwords, words};

const OPEN: u8 = 1;
const CLOSE: u8 = 2;
const BARRIER: u8 = 3;
/// Up to here all combinations of parts are tried: `GitHubError` is also "github error".
const MAX_LOOSE: usize = 4;
const ERROR_CLASSES: [&str; 4] = ["Error", "Exception", "Failure", "Warning"];
const MAX_HITS: u32 = 1000;
/// In bytes. Above, an automaton of all terms is faster.
const LONG_TEXTS: usize = 16 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternHit {
    pub term: usize,
    pub start: usize,
    pub end: usize,
}

#[derive(Debug)]
pub struct Matcher {
    stems: Patterns,
    exact: Patterns,
    has_barriers: bool,
}

impl Matcher {
    /// Terms in double quotes match verbatim.
    ///
    /// # Panics
    ///
    /// If all terms together have more than 2³¹ bytes.
    pub fn new(terms: &[&str], texts: &[&str]) -> Self {
        let text_words = TextWords::new(texts);
        let mut normalizer = Normalizer::default();
        let mut stems = PatternSet::default();
        let mut exact = PatternSet::default();
        let mut has_barriers = false;
        for (index, term) in terms.iter().enumerate() {
            if Self::is_empty_term(term) {
                continue;
            }
            if let Some(verbatim) = verbatim(term) {
                if texts.iter().any(|text| text.contains(verbatim)) {
                    exact.add(verbatim.as_bytes().to_vec(), index);
                }
            } else if text_words.may_have(term) {
                let spellings = spellings(term, &mut normalizer).into_iter();
                for pattern in spellings.filter(|pattern| text_words.has_all(pattern)) {
                    has_barriers |= pattern.contains(&BARRIER);
                    stems.add(pattern, index);
                }
            }
        }
        Self { stems: stems.build(), exact: exact.build(), has_barriers }
    }

    pub fn is_empty_term(term: &str) -> bool {
        words(term).next().is_none()
    }

    /// Sorted by start, end and term; incomplete if a text has thousands.
    pub fn hits(&self, text: &str) -> Vec<PatternHit> {
        let mut found = TermHit { hits: Vec::new(), counts: vec![0; self.stems.owners.len()] };
        if !self.stems.owners.is_empty() {
            self.stem_hits(text, &mut found);
        }
        if !self.exact.owners.is_empty() {
            self.exact_hits(text, &mut found);
        }
        found.hits.sort_unstable_by_key(|hit| (hit.start, hit.end, hit.term));
        found.hits.dedup();
        found.hits
    }

    fn stem_hits(&self, text: &str, found: &mut TermHit) {
        let mut normalizer = Normalizer::default();
        let mut whole = TextStream::default();
        let mut split = TextStream::default();
        let mut any_humps = false;
        let mut words = words(text).peekable();
        while let Some(word) = words.next() {
            let raw = &text[word.bytes.clone()];
            whole.push(&normalizer.stem(raw), word.bytes.clone(), true, true);
            let parts = subwords(raw);
            any_humps |= parts.len() > 1;
            let named = without_error_class(raw, &parts);
            for (index, part) in parts.iter().enumerate() {
                let stem = normalizer.stem(&raw[part.clone()]);
                let last = index + 1 == parts.len() || index + 1 == named.len();
                split.push(&stem, word.bytes.clone(), index == 0, last);
            }
            if (3..=MAX_LOOSE + 1).contains(&parts.len()) {
                self.grouped_hits(raw, &parts, &word.bytes, &mut normalizer, found);
            }
            if (2..=MAX_LOOSE).contains(&named.len()) && named.len() < parts.len() {
                let joined = &raw[named[0].start..named[named.len() - 1].end];
                let mut key = Vec::new();
                write(&mut key, &normalizer.stem(joined));
                self.key_hit(&key, &word.bytes, found);
                self.grouped_hits(raw, named, &word.bytes, &mut normalizer, found);
            }
            let is_barred = words.peek().is_some_and(|next| next.barred);
            if is_barred && self.has_barriers {
                whole.bytes.push(BARRIER);
                split.bytes.push(BARRIER);
            } else if is_barred || words.peek().is_none() {
                self.stems.run(&whole, found);
                if any_humps {
                    self.stems.run(&split, found);
                }
                whole.clear();
                split.clear();
                any_humps = false;
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the pieces of one word, borrowed apart")]
    fn grouped_hits<'t>(
        &self,
        raw: &'t str,
        parts: &[Range<usize>],
        bytes: &Range<usize>,
        normalizer: &mut Normalizer<'t>,
        found: &mut TermHit,
    ) {
        for mask in 1..(1_usize << (parts.len() - 1)) - 1 {
            let mut key = Vec::new();
            for group in groups(parts, mask) {
                write(&mut key, &normalizer.stem(&raw[group]));
            }
            self.key_hit(&key, bytes, found);
        }
    }

    fn key_hit(&self, key: &[u8], bytes: &Range<usize>, found: &mut TermHit) {
        if let Some(&pattern) = self.stems.ids.get(key) {
            found.add(&self.stems, pattern, bytes);
        }
    }

    fn exact_hits(&self, text: &str, found: &mut TermHit) {
        found.counts = vec![0; self.exact.owners.len()];
        let bounds: Vec<_> = words(text).map(|word| word.bytes).collect();
        let splits_word = |at: usize| {
            let after = bounds.partition_point(|word| word.end <= at);
            bounds.get(after).is_some_and(|word| word.start < at)
        };
        for hit in self.exact.automaton.find_overlapping_iter(text) {
            let sign = text[..hit.end()].ends_with(['+', '#']);
            let letter = text[hit.end()..].chars().next().is_some_and(char::is_alphanumeric);
            let within = splits_word(hit.start()) || splits_word(hit.end()) || (sign && letter);
            if !within {
                found.add(&self.exact, hit.pattern().as_usize(), &hit.range());
            }
        }
    }
}

fn without_error_class<'a>(raw: &str, parts: &'a [Range<usize>]) -> &'a [Range<usize>] {
    match parts {
        [named @ .., last] if !named.is_empty() && ERROR_CLASSES.contains(&&raw[last.clone()]) => {
            named
        }
        _ => parts,
    }
}

fn verbatim(term: &str) -> Option<&str> {
    term.trim().strip_prefix('"')?.strip_suffix('"').filter(|inner| !inner.is_empty())
}

fn spellings<'t>(term: &'t str, normalizer: &mut Normalizer<'t>) -> Vec<Vec<u8>> {
    let words: Vec<_> = words(term)
        .map(|word| (&term[word.bytes.clone()], subwords(&term[word.bytes]), word.barred))
        .collect();
    let loose: usize = words.iter().map(|(_, parts, _)| parts.len() - 1).sum();
    let masks: Vec<Option<usize>> =
        if loose <= MAX_LOOSE { (0..1 << loose).map(Some).collect() } else { vec![Some(0), None] };
    let mut spell = |mask: Option<usize>, has_barriers: bool| {
        let mut pattern = Vec::new();
        let mut used = 0;
        for (raw, parts, is_barred) in &words {
            if has_barriers && *is_barred && !pattern.is_empty() {
                pattern.push(BARRIER);
            }
            let here = match mask {
                None => parts.clone(),
                Some(0) => groups(parts, 0),
                Some(mask) => groups(parts, mask >> used),
            };
            used += parts.len() - 1;
            for group in here {
                write(&mut pattern, &normalizer.stem(&raw[group]));
            }
        }
        pattern
    };
    let is_barred = words.iter().skip(1).any(|(_, _, is_barred)| *is_barred);
    let ways: &[bool] = if is_barred { &[true, false] } else { &[false] };
    masks
        .iter()
        .flat_map(|mask| ways.iter().map(|way| spell(*mask, *way)).collect::<Vec<_>>())
        .collect()
}

fn groups(parts: &[Range<usize>], mask: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let cut = u32::try_from(index.wrapping_sub(1))
            .is_ok_and(|bit| mask.checked_shr(bit).is_some_and(|rest| rest & 1 == 1));
        match found.last_mut() {
            Some(last) if !cut => last.end = part.end,
            _ => found.push(part.clone()),
        }
    }
    found
}

fn write(stream: &mut Vec<u8>, stem: &str) {
    stream.push(OPEN);
    stream.extend_from_slice(stem.as_bytes());
    stream.push(CLOSE);
}

struct TextWords {
    stems: Option<HashSet<String>>,
    first: [bool; 256],
}

impl TextWords {
    fn new(texts: &[&str]) -> Self {
        if texts.iter().map(|text| text.len()).sum::<usize>() > LONG_TEXTS {
            return Self { stems: None, first: [true; 256] };
        }
        let normalizer = Normalizer::default();
        let mut stems = HashSet::new();
        for (text, word) in texts.iter().flat_map(|text| words(text).map(move |word| (text, word)))
        {
            let raw = &text[word.bytes];
            stems.insert(normalizer.compute(raw));
            let parts = subwords(raw);
            for (from, first) in parts.iter().enumerate().filter(|_| parts.len() > 1) {
                let most = if parts.len() <= MAX_LOOSE + 1 { parts.len() } else { 1 };
                let ends = parts[from..].iter().take(most);
                stems.extend(ends.map(|last| normalizer.compute(&raw[first.start..last.end])));
            }
        }
        let mut first = [false; 256];
        for stem in &stems {
            first[usize::from(stem.as_bytes().first().copied().unwrap_or_default())] = true;
        }
        Self { stems: Some(stems), first }
    }

    fn may_have(&self, term: &str) -> bool {
        let first = term.trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        match first.as_bytes() {
            [first, ..] if term.is_ascii() => self.first[usize::from(first.to_ascii_lowercase())],
            _ => true,
        }
    }

    fn has_all(&self, pattern: &[u8]) -> bool {
        let Some(stems) = &self.stems else { return true };
        let mut all = pattern.split(|byte| matches!(*byte, OPEN | CLOSE | BARRIER));
        all.all(|stem| stem.is_empty() || str::from_utf8(stem).is_ok_and(|it| stems.contains(it)))
    }
}

#[derive(Default)]
struct TextStream {
    bytes: Vec<u8>,
    stems: Vec<StreamStem>,
}

struct StreamStem {
    place: Range<usize>,
    word: Range<usize>,
    first: bool,
    last: bool,
}

impl TextStream {
    fn push(&mut self, stem: &str, word: Range<usize>, first: bool, last: bool) {
        let start = self.bytes.len();
        write(&mut self.bytes, stem);
        self.stems.push(StreamStem { place: start..self.bytes.len(), word, first, last });
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.stems.clear();
    }

    fn text_range(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let from = self.stems.partition_point(|stem| stem.place.start < place.start);
        let to = self.stems.partition_point(|stem| stem.place.end < place.end);
        let (from, to) = (self.stems.get(from)?, self.stems.get(to)?);
        (from.first && to.last).then_some(from.word.start..to.word.end)
    }
}

#[derive(Default)]
struct PatternSet {
    patterns: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, usize>,
    owners: Vec<Vec<usize>>,
}

impl PatternSet {
    fn add(&mut self, pattern: Vec<u8>, term: usize) {
        let next = self.patterns.len();
        let id = *self.ids.entry(pattern).or_insert_with_key(|pattern| {
            self.patterns.push(pattern.clone());
            self.owners.push(Vec::new());
            next
        });
        if self.owners[id].last() != Some(&term) {
            self.owners[id].push(term);
        }
    }

    fn build(self) -> Patterns {
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&self.patterns)
            .expect("terms have fewer than 2^31 bytes");
        Patterns { automaton, ids: self.ids, owners: self.owners }
    }
}

#[derive(Debug)]
struct Patterns {
    automaton: AhoCorasick,
    ids: HashMap<Vec<u8>, usize>,
    owners: Vec<Vec<usize>>,
}

impl Patterns {
    fn run(&self, stream: &TextStream, found: &mut TermHit) {
        for hit in self.automaton.find_overlapping_iter(&stream.bytes) {
            let pattern = hit.pattern().as_usize();
            if found.counts[pattern] < MAX_HITS
                && let Some(bytes) = stream.text_range(&hit.range())
            {
                found.add(self, pattern, &bytes);
            }
        }
    }
}

struct TermHit {
    hits: Vec<PatternHit>,
    counts: Vec<u32>,
}

impl TermHit {
    fn add(&mut self, patterns: &Patterns, pattern: usize, bytes: &Range<usize>) {
        if self.counts[pattern] < MAX_HITS {
            self.counts[pattern] += 1;
            let owners = patterns.owners[pattern].iter();
            self.hits.extend(owners.map(|&term| PatternHit {
                term,
                start: bytes.start,
                end: bytes.end,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found<'t>(term: &str, text: &'t str) -> Vec<&'t str> {
        Matcher::new(&[term], &[text])
            .hits(text)
            .iter()
            .map(|hit| &text[hit.start..hit.end])
            .collect()
    }

    #[test]
    fn stems_match_and_parts_of_words_do_not() {
        assert_eq!(found("vulnerability", "Known vulnerabilities."), ["vulnerabilities"]);
        assert_eq!(found("audit", "we audited it"), ["audited"]);
        assert_eq!(found("iteration", "two iterations"), ["iterations"]);
        for (term, text) in [("ci", "special"), ("test", "latest"), ("java", "JavaScript")] {
            assert!(found(term, text).is_empty(), "{term}");
        }
        assert_eq!(found("javascript", "JavaScript"), ["JavaScript"]);
        assert_eq!(found("github", "on GitHub"), ["GitHub"]);
    }

    #[test]
    fn phrases_match_across_joints_only() {
        assert_eq!(found("multi-package", "a multi package build"), ["multi package"]);
        assert_eq!(found("multi-package", "a multi-package build"), ["multi-package"]);
        assert_eq!(found("multi package", "multi\npackages"), ["multi\npackages"]);
        assert!(found("multi-package", "multi. Package").is_empty());
        assert!(found("multi-package", "multi\n\npackage").is_empty());
        assert_eq!(found("ci/cd", "our CI/CD pipeline"), ["CI/CD"]);
    }

    #[test]
    fn errors_are_one_however_they_are_spelled() {
        let spellings =
            ["RateLimitError", "rate limit error", "rate_limit_error", "RATE-LIMIT-ERROR"];
        for term in spellings {
            for text in spellings {
                let trace = format!("at x.rs:3: {text}: slow down");
                assert_eq!(found(term, &trace), [text], "{term}");
            }
        }
        assert!(found("limit error", "RateLimitError").is_empty());
        for text in ["RateLimitError", "RateLimitException", "rate_limit_error", "RateLimit"] {
            assert!(!found("rate limit", text).is_empty(), "{text}");
        }
        assert_eq!(found("github", "openai.GitHubError: x"), ["GitHubError"]);
        for (term, text) in [("limit", "RateLimitError"), ("rate", "RateLimitError")] {
            assert!(found(term, text).is_empty(), "{term}");
        }
        assert!(found("git", "GitHubber").is_empty());
    }

    #[test]
    fn subwords_may_be_joined() {
        for text in ["GitHubError", "github error", "git_hub_error", "GithubError"] {
            assert_eq!(found("GitHubError", text), [text]);
        }
        assert_eq!(found("github error", "GitHubErrors"), ["GitHubErrors"]);
        assert_eq!(found("oauth2 error", "an OAuth2Error"), ["OAuth2Error"]);
    }

    #[test]
    fn spans_are_in_the_text_as_it_was_given() {
        assert_eq!(found("Straße", "die STRASSE."), ["STRASSE"]);
        assert_eq!(found("office", "１. ｏﬃce!"), ["ｏﬃce"]);
        assert_eq!(found("安全", "检查安全问题"), ["安全"]);
        assert_eq!(found("c++", "use C++, not C"), ["C++"]);
        assert_eq!(found("C#", "in c#."), ["c#"]);
        assert!(found("c", "C++ and C#").is_empty());
    }

    #[test]
    fn quoted_terms_match_verbatim() {
        assert_eq!(found("\"CI\"", "CI, ci and CIs; CI/CD"), ["CI", "CI"]);
        assert!(found("\"C\"", "C++").is_empty());
        assert!(found("\"C++\"", "C++x").is_empty());
        assert_eq!(found("\"C++\"", "C++"), ["C++"]);
        assert!(found("\"\"", "\"\"").is_empty());
    }

    #[test]
    fn hits_are_sorted_and_name_every_term() {
        let text = "a b b";
        let hits = Matcher::new(&["b", "a b", "B", "--"], &[text]).hits(text);
        let plain: Vec<_> = hits.iter().map(|hit| (hit.start, hit.end, hit.term)).collect();
        assert_eq!(plain, [(0, 3, 1), (2, 3, 0), (2, 3, 2), (4, 5, 0), (4, 5, 2)]);
        assert!(Matcher::is_empty_term("\"--\"") && !Matcher::is_empty_term("c#"));
    }

    #[test]
    fn a_hostile_text_takes_linear_time() {
        let deep = "a ".repeat(20_000);
        let humped = "aA".repeat(200_000);
        let text = "a ".repeat(400_000);
        let matcher = Matcher::new(&[&deep, "a a", "b", &humped], &[&text, &humped]);
        let hits = matcher.hits(&text);
        assert!(!hits.is_empty() && hits.len() <= 2 * MAX_HITS as usize);
        assert_eq!(matcher.hits(&humped).len(), 1);
    }

    proptest! {
        #[test]
        fn a_hit_is_found_again_in_its_own_text(
            terms in prop::collection::vec("\"?[aAbB1éß安ガ+#_ .\u{301}-]{1,6}\"?", 1..6),
            text in "[aAbB1éß安ガﬁ+#_ .,\n\u{301}\u{ad}-]{0,60}",
        ) {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let matcher = Matcher::new(&terms, &[&text]);
            let hits = matcher.hits(&text);
            let long = "x ".repeat(LONG_TEXTS);
            prop_assert_eq!(&hits, &Matcher::new(&terms, &[&text, &long]).hits(&text), "with all terms");
            for hit in hits {
                let own = text.get(hit.start..hit.end).expect("a hit lies on char boundaries");
                let again = matcher.hits(own);
                let whole = PatternHit { term: hit.term, start: 0, end: own.len() };
                prop_assert!(again.contains(&whole), "{own:?}");
            }
        }

        #[test]
        fn any_text_will_do(term in ".*", text in ".*") {
            for hit in Matcher::new(&[&term], &[&text]).hits(&text) {
                prop_assert!(text.get(hit.start..hit.end).is_some_and(|own| !own.is_empty()));
            }
        }
    }
}
