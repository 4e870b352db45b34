//! "Did you mean …?"

use std::fmt::Display;

/// How many more unknown words are compared with all known ones, where a workspace decides how many there
/// are of both: every comparison of all with all takes quadratic time.
#[derive(Debug)]
pub struct Guesses(usize);

impl Default for Guesses {
    fn default() -> Self {
        Self(100)
    }
}

impl Guesses {
    /// Takes one, if any is left.
    pub fn take(&mut self) -> bool {
        let is_left = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        is_left
    }
}

/// The most similar of `known`, if it is similar enough.
///
/// Ignores case. Allows one edit in three characters, and at least one; of equally similar words
/// the first in byte order, so that the order of `known` does not matter.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    let length = folded.chars().count();
    let allowed = (length / 3).max(1);
    let own = letters(folded.chars());
    let candidates = known.into_iter().filter_map(|candidate| {
        // The distance is at least the difference of the lengths, so very long words are not
        // compared.
        let is_ascii = candidate.is_ascii();
        let theirs = if is_ascii { candidate.len() } else { candidate.chars().count() };
        if theirs.abs_diff(length) > allowed {
            return None;
        }
        // A letter in only one of them takes an edit, which excludes most words quickly. Only in
        // ASCII is a letter's lower case the same in every word.
        if is_ascii {
            let theirs =
                letters(candidate.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
            let more = (own & !theirs).count_ones().max((theirs & !own).count_ones());
            if more as usize > allowed {
                return None;
            }
        }
        let distance = strsim::osa_distance(&folded, &candidate.to_lowercase());
        (distance <= allowed && distance < length).then_some((distance, candidate))
    });
    candidates.min().map(|(_, candidate)| candidate)
}

/// The help of a finding about an unknown word: the `close` one if there is any, else `otherwise`.
pub fn help(close: Option<impl Display>, otherwise: impl Into<String>) -> String {
    close.map_or_else(|| otherwise.into(), |close| format!("did you mean `{close}`?"))
}

/// A bit for each letter; some letters share one.
fn letters(word: impl Iterator<Item = char>) -> u64 {
    word.fold(0, |all, c| all | 1 << (u32::from(c) % 64))
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
