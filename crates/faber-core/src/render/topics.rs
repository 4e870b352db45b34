//! The topics of many contexts.

use std::borrow::Cow;
use std::cmp::Reverse;

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

/// Most frequent first.
#[derive(Clone, Debug, Default)]
pub struct RankedTopics<'a>(Vec<(Cow<'a, str>, Topic<'a>)>);

#[derive(Clone, Copy, Debug)]
struct Topic<'a> {
    text: &'a str,
    count: usize,
    last: usize,
}

impl<'a> Topics<'a> {
    pub fn add(&mut self, name: &'a str, words: impl Iterator<Item = &'a str>) {
        self.contexts += 1;
        let mut has_topic = false;
        for word in words {
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

    pub fn ranked(self) -> RankedTopics<'a> {
        let mut all: Vec<(Cow<'a, str>, Topic<'a>)> = self.counts.into_iter().collect();
        all.sort_unstable_by(|(a, m), (b, n)| n.count.cmp(&m.count).then_with(|| a.cmp(b)));
        RankedTopics(all)
    }
}

impl RankedTopics<'_> {
    pub fn best(&self, without: &Topics<'_>) -> Vec<String> {
        let (mut found, mut unchanged) = (Vec::new(), 0);
        for (key, topic) in &self.0 {
            let lost = without.counts.get(key).map_or(0, |topic| topic.count);
            if topic.count > lost {
                found.push((Reverse(topic.count - lost), key, topic.text));
            }
            unchanged += usize::from(lost == 0);
            if unchanged == MAX_TOPICS {
                break;
            }
        }
        found.sort_unstable();
        found.into_iter().take(MAX_TOPICS).map(|(.., text)| text.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topics<'a>(contexts: &[(&'a str, &[&'a str])]) -> Topics<'a> {
        let mut topics = Topics::default();
        for (name, words) in contexts {
            topics.add(name, words.iter().copied());
        }
        topics
    }

    fn best(contexts: &[(&str, &[&str])]) -> Vec<String> {
        topics(contexts).ranked().best(&Topics::default())
    }

    #[test]
    fn common_topics_come_first() {
        let contexts: [(&str, &[&str]); 3] = [
            ("a", &["Queue", "lock", "queue"]),
            ("b", &["queue", "Zebra"]),
            ("c", &["zebra", "\"CI\""]),
        ];
        assert_eq!(best(&contexts), ["Queue", "Zebra", "CI", "lock"]);
        let all = topics(&contexts).ranked();
        assert_eq!(all.best(&topics(&contexts[..1])), ["Zebra", "CI", "Queue"]);
        assert_eq!(all.best(&topics(&contexts[1..])), ["lock", "Queue"]);
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
