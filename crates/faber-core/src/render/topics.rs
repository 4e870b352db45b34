//! What many contexts are about, in a few words.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::terms::pieces::is_stop;

/// The most topics of a scope.
const MOST: usize = 6;
/// The most characters of a topic; what is longer is no word that would tell something at a glance.
const LONGEST: usize = 32;
/// A word of a name with fewer letters says little.
const SHORTEST: usize = 3;

/// Counts how many contexts have each topic.
#[derive(Clone, Debug, Default)]
pub struct Topics<'a> {
    /// By the topic in small letters.
    counts: HashMap<Cow<'a, str>, Topic<'a>>,
    /// How many contexts were added.
    contexts: usize,
}

/// How often a topic was seen.
#[derive(Clone, Copy, Debug)]
struct Topic<'a> {
    /// As it was written the first time.
    text: &'a str,
    /// How many contexts have it.
    count: usize,
    /// The number of the last context that has it, so that none counts twice.
    last: usize,
}

impl<'a> Topics<'a> {
    /// Adds a context: its keywords and tags are topics; if it has none, the words of its name are.
    pub fn add(&mut self, name: &'a str, words: impl Iterator<Item = &'a str>) {
        self.contexts += 1;
        let mut said = false;
        for word in words {
            // Quotes make a keyword match exactly, and say nothing here.
            said |= self.count(word.trim().trim_matches('"'));
        }
        if !said {
            let words = name.split(['-', '_', '.', '/']);
            for word in words.filter(|word| word.len() >= SHORTEST && !is_stop(word)) {
                self.count(word);
            }
        }
    }

    /// Counts a topic once for each context, if it is fit to be one.
    fn count(&mut self, word: &'a str) -> bool {
        let plain = |c: char| c.is_alphanumeric() || " -_./+#".contains(c);
        if word.len() > 4 * LONGEST
            || word.chars().count() > LONGEST
            || !word.contains(char::is_alphabetic)
            || !word.chars().all(plain)
        {
            return false;
        }
        let key = if word.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_uppercase()) {
            Cow::Owned(word.to_lowercase())
        } else {
            Cow::Borrowed(word)
        };
        let topic = self.counts.entry(key).or_insert(Topic { text: word, count: 0, last: 0 });
        if topic.last != self.contexts {
            topic.count += 1;
            topic.last = self.contexts;
        }
        true
    }

    /// The most frequent topics, at most six, of equals the first in the alphabet; each as it was
    /// written the first time.
    pub fn best(self) -> Vec<String> {
        let mut all: Vec<(Cow<'_, str>, Topic<'_>)> = self.counts.into_iter().collect();
        all.sort_unstable_by(|(a, m), (b, n)| n.count.cmp(&m.count).then_with(|| a.cmp(b)));
        all.into_iter().take(MOST).map(|(_, topic)| topic.text.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(contexts: &[(&str, &[&str])]) -> Vec<String> {
        let mut topics = Topics::default();
        for (name, words) in contexts {
            topics.add(name, words.iter().copied());
        }
        topics.best()
    }

    #[test]
    fn what_most_contexts_have_comes_first() {
        let contexts: [(&str, &[&str]); 3] = [
            ("a", &["Queue", "lock", "queue"]),
            ("b", &["queue", "Zebra"]),
            ("c", &["zebra", "\"CI\""]),
        ];
        assert_eq!(best(&contexts), ["Queue", "Zebra", "CI", "lock"]);
    }

    #[test]
    fn names_stand_in_for_what_says_nothing_of_itself() {
        assert_eq!(
            best(&[("rotate-the-keys", &[]), ("rotate-v2", &["**", "1"])]),
            ["rotate", "keys"]
        );
    }

    #[test]
    fn there_are_few_and_short_ones() {
        let long = "word ".repeat(10);
        let words = ["a", "b", "c", "d", "e", "f", "g", "new\nline", "`x`", &long];
        assert_eq!(best(&[("x", &words)]), ["a", "b", "c", "d", "e", "f"]);
        assert!(best(&[]).is_empty());
    }
}
