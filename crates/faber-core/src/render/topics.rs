//! The topics of many contexts.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::terms::pieces::is_stop;

/// Per scope.
const MAX_TOPICS: usize = 6;
/// In characters.
const MAX_TOPIC_CHARS: usize = 32;
const MIN_WORD_BYTES: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct Topics<'a> {
    counts: HashMap<Cow<'a, str>, Topic<'a>>,
    contexts: usize,
}

#[derive(Clone, Copy, Debug)]
struct Topic<'a> {
    text: &'a str,
    count: usize,
    /// Of the last context, to count each once.
    last: usize,
}

impl<'a> Topics<'a> {
    /// `words`: keywords and tags, or else words of its name.
    pub fn add(&mut self, name: &'a str, words: impl Iterator<Item = &'a str>) {
        self.contexts += 1;
        let mut has_topic = false;
        for word in words {
            // Quotes mean an exact match.
            has_topic |= self.count(word.trim().trim_matches('"'));
        }
        if !has_topic {
            let words = name.split(['-', '_', '.', '/']);
            for word in words.filter(|word| word.len() >= MIN_WORD_BYTES && !is_stop(word)) {
                self.count(word);
            }
        }
    }

    fn count(&mut self, word: &'a str) -> bool {
        let is_suitable = if word.is_ascii() {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./+#".contains(&byte);
            word.len() <= MAX_TOPIC_CHARS
                && word.bytes().all(is_plain)
                && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        } else {
            let is_plain = |c: char| c.is_alphanumeric() || " -_./+#".contains(c);
            word.len() <= 4 * MAX_TOPIC_CHARS
                && word.chars().count() <= MAX_TOPIC_CHARS
                && word.chars().all(is_plain)
                && word.contains(char::is_alphabetic)
        };
        if !is_suitable {
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

    /// By frequency, in their first spelling.
    pub fn best(self) -> Vec<String> {
        let mut all: Vec<(Cow<'_, str>, Topic<'_>)> = self.counts.into_iter().collect();
        all.sort_unstable_by(|(a, m), (b, n)| n.count.cmp(&m.count).then_with(|| a.cmp(b)));
        all.into_iter().take(MAX_TOPICS).map(|(_, topic)| topic.text.to_owned()).collect()
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
    fn common_topics_come_first() {
        let contexts: [(&str, &[&str]); 3] = [
            ("a", &["Queue", "lock", "queue"]),
            ("b", &["queue", "Zebra"]),
            ("c", &["zebra", "\"CI\""]),
        ];
        assert_eq!(best(&contexts), ["Queue", "Zebra", "CI", "lock"]);
    }

    #[test]
    fn names_replace_missing_topics() {
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
