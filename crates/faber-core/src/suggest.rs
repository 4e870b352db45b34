//! "Did you mean …?"

use std::fmt::Display;

/// Comparing words takes quadratic time.
#[derive(Debug)]
pub struct SuggestionBudget(usize);

impl Default for SuggestionBudget {
    fn default() -> Self {
        Self(100)
    }
}

impl SuggestionBudget {
    pub fn take(&mut self) -> bool {
        let is_left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        is_left
    }
}

/// Ignoring case, within one edit in three characters after the last slash. The first in byte order
/// wins.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = Typed::new(word);
    let known = known.into_iter().filter(|known| word.is_as_long(known.chars().count()));
    word.closest(known.map(KnownWord::new).collect::<Vec<_>>().iter())
}

pub(crate) struct Dictionary<'a>(Vec<KnownWord<'a>>);

impl<'a> Dictionary<'a> {
    pub(crate) fn new(known: impl IntoIterator<Item = &'a str>) -> Self {
        Self(known.into_iter().map(KnownWord::new).collect())
    }

    pub(crate) fn closest(&self, word: &str) -> Option<&'a str> {
        Typed::new(word).closest(self.0.iter())
    }
}

struct KnownWord<'a> {
    text: &'a str,
    length: usize,
    letters: Option<Letters>,
}

impl<'a> KnownWord<'a> {
    fn new(text: &'a str) -> Self {
        let folded = || text.chars().map(|c| c.to_ascii_lowercase());
        let letters = text.is_ascii().then(|| Letters::of(folded()));
        Self { text, length: text.chars().count(), letters }
    }
}

pub fn candidates<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const MAX_SUGGESTIONS: usize = 3;
    let typed = Typed::new(word);
    let rank = |known: &'a str| {
        let last = known.rsplit_once('/').map_or(known, |(_, last)| last);
        let edits =
            [known, last].into_iter().filter_map(|name| typed.edits(&KnownWord::new(name))).min();
        edits.map(|edits| (0, edits)).or_else(|| typed.part(known)).map(|rank| (rank, known))
    };
    let mut found: Vec<_> = known.into_iter().filter_map(rank).collect();
    found.sort_unstable();
    found.dedup();
    if let Some(&(best @ (0, _), _)) = found.first() {
        found.retain(|(rank, _)| *rank == best);
    }
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

struct Typed {
    folded: String,
    length: usize,
    allowed: usize,
    letters: Letters,
}

impl Typed {
    fn new(word: &str) -> Self {
        let folded = word.to_lowercase();
        let name = folded.rsplit('/').next().unwrap_or(&folded).chars().count();
        Self {
            length: folded.chars().count(),
            allowed: (name / 3).max(1),
            letters: Letters::of(folded.chars()),
            folded,
        }
    }

    fn closest<'a: 'k, 'k>(
        &self,
        known: impl Iterator<Item = &'k KnownWord<'a>>,
    ) -> Option<&'a str> {
        let candidates = known.filter_map(|known| Some((self.edits(known)?, known.text)));
        candidates.min().map(|(_, candidate)| candidate)
    }

    fn is_as_long(&self, length: usize) -> bool {
        length.abs_diff(self.length) <= self.allowed
    }

    fn edits(&self, known: &KnownWord<'_>) -> Option<usize> {
        let is_far = |theirs: &Letters| self.letters.need_more_edits(theirs, self.allowed);
        if !self.is_as_long(known.length) || known.letters.as_ref().is_some_and(is_far) {
            return None;
        }
        let edits = strsim::osa_distance(&self.folded, &known.text.to_lowercase());
        (edits <= self.allowed && edits < self.length).then_some(edits)
    }

    /// 1 for a prefix, 2 for a part or another ending; the difference in length.
    fn part(&self, known: &str) -> Option<(usize, usize)> {
        const MIN_CHARS: usize = 3;
        const MIN_STEM: usize = 4;
        const MAX_ENDING: usize = 3;
        let known = known.to_lowercase();
        let (folder, name) = split(&self.folded);
        let (known_folder, known) = split(&known);
        let [length, known_length] = [name, known].map(|name| name.chars().count());
        if length.min(known_length) < MIN_CHARS || !(folder.is_empty() || folder == known_folder) {
            return None;
        }
        let more = known_length.abs_diff(length);
        if known.starts_with(name) || name.starts_with(known) {
            return Some((1, more));
        }
        let stem = name.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
        let is_stem = stem >= MIN_STEM && length.max(known_length) - stem <= MAX_ENDING;
        (is_stem || known.contains(name)).then_some((2, more))
    }
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

pub fn help(close: Option<impl Display>, otherwise: impl Into<String>) -> String {
    close.map_or_else(|| otherwise.into(), |close| format!("did you mean `{close}`?"))
}

struct Letters {
    counts: [u8; 32],
    distinct: u32,
}

impl Letters {
    fn of(word: impl Iterator<Item = char>) -> Self {
        let mut letters = Self { counts: [0; 32], distinct: 0 };
        for c in word {
            let place = c as usize % 32;
            letters.counts[place] = letters.counts[place].saturating_add(1);
            letters.distinct |= 1 << place;
        }
        letters
    }

    /// Bag distance: Bartolini, Ciaccia and Patella, "String Matching with Metric Trees Using an
    /// Approximate Distance", 2002.
    fn need_more_edits(&self, other: &Self, allowed: usize) -> bool {
        let is_over = |distance: u32| distance as usize > allowed;
        let only = |one: &Self, than: &Self| (one.distinct & !than.distinct).count_ones();
        let more = |one: &Self, than: &Self| -> u32 {
            one.counts.iter().zip(than.counts).map(|(&a, b)| u32::from(a.saturating_sub(b))).sum()
        };
        is_over(only(self, other).max(only(other, self)))
            || is_over(more(self, other).max(more(other, self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_other_words_are_not() {
        let known = ["keywords", "description", "load"];
        assert_eq!(closest("keyword", known), Some("keywords"));
        assert_eq!(closest("descripton", known), Some("description"));
        assert_eq!(closest("Laod", known), Some("load"));
        assert_eq!(closest("license", known), None);
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("", known), None);
    }

    #[test]
    fn candidates_are_few_and_the_best_ones() {
        let known =
            ["specialist/planning", "specialist/review", "standard/answers", "playbook/plan-b"];
        assert_eq!(candidates("reviewr", known), ["specialist/review"]);
        assert_eq!(candidates("Review", known), ["specialist/review"]);
        assert_eq!(candidates("plan", known), ["playbook/plan-b", "specialist/planning"]);
        assert_eq!(candidates("standard/answrs", known), ["standard/answers"]);
        assert_eq!(candidates("letters", known), [""; 0]);
        assert_eq!(candidates("standard/nope", ["standard/docs", "standard/nodes"]), [""; 0]);
        assert_eq!(
            candidates("ans", ["pl", "x/transient", "x/answers"]),
            ["x/answers", "x/transient"]
        );
        assert_eq!(candidates("ruls", ["rule", "rules", "tulips"]), ["rule", "rules"]);
        assert_eq!(candidates("name", ["a/names", "b/names", "c/names", "d/names"]).len(), 3);
        assert_eq!(candidates("", known), [""; 0]);
        let known = ["playbook/releasing", "standard/release", "playbook/relaying"];
        assert_eq!(candidates("playbook/release", known), ["playbook/releasing"]);
        assert_eq!(candidates("playbook/rel", known), ["playbook/relaying", "playbook/releasing"]);
    }

    #[test]
    fn letters_that_differ_rule_out_no_slip() {
        let edits = |word: &str, known: &str| strsim::osa_distance(word, &known.to_lowercase());
        for word in ["abc", "abcdef", "bacdfe", "xbcdef", "xycdef", "abcdefx", "éabc", "aab", "AB1"]
        {
            for known in ["abcdef", "ABCDEF", "abc", "aabb", "fedcba", "éabd", "ab2"] {
                let folded = word.to_lowercase();
                let (length, edits) = (folded.chars().count(), edits(&folded, known));
                let near = edits <= (length / 3).max(1) && edits < length;
                assert_eq!(closest(word, [known]).is_some(), near, "{word} {known}");
            }
        }
    }

    #[test]
    fn ties_do_not_depend_on_the_order() {
        assert_eq!(closest("tax", ["tay", "tag"]), Some("tag"));
        assert_eq!(closest("tax", ["tag", "tay"]), Some("tag"));
    }
}
