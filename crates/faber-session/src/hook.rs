//! What a conversation was given.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::audit::entry::schema_of;

pub const SCHEMA: &str = "faber.conversation/1";
const MAX_GIVEN: usize = 20_000;
const MAX_ASKED: usize = 1000;
const MAX_FILES: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "schema", rename = "faber.conversation/1")]
pub struct Conversation {
    /// Seconds since 1970.
    updated: i64,
    pub has_started: bool,
    #[serde(default)]
    pub given: BTreeMap<String, DeliveredText>,
    #[serde(default)]
    pub loaded: BTreeMap<String, String>,
    #[serde(default)]
    pub tokens: usize,
    #[serde(default)]
    asked: BTreeSet<String>,
    #[serde(default)]
    pub listed: BTreeSet<String>,
    #[serde(default)]
    pub subject: ConversationSubject,
    #[serde(default)]
    pub lacks_subject: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveredText {
    pub hash: String,
    pub tokens: usize,
    /// `None` if given in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRanges>,
}

/// Sorted half-open ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRanges(Vec<(usize, usize)>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSubject {
    pub prompt: String,
    pub files: Vec<String>,
}

impl FromIterator<usize> for LineRanges {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for number in numbers.into_iter().collect::<BTreeSet<usize>>() {
            match ranges.last_mut() {
                Some((_, end)) if *end == number => *end += 1,
                _ => ranges.push((number, number + 1)),
            }
        }
        Self(ranges)
    }
}

impl LineRanges {
    pub fn has(&self, number: usize) -> bool {
        self.0.iter().any(|(start, end)| (*start..*end).contains(&number))
    }

    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flat_map(|(start, end)| *start..*end)
    }
}

impl Conversation {
    pub fn parse(bytes: &[u8]) -> Self {
        let is_known = schema_of(bytes).is_some_and(|schema| schema == SCHEMA);
        serde_json::from_slice(bytes).ok().filter(|_| is_known).unwrap_or_default()
    }

    /// # Panics
    ///
    /// Never: JSON keys are strings.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("the keys of JSON are text")
    }

    pub fn give(&mut self, id: &str, mut given: DeliveredText, now: Timestamp) {
        self.updated = now.as_second();
        self.tokens = self.tokens.saturating_add(given.tokens);
        let earlier = self.given.get(id).filter(|earlier| earlier.hash == given.hash);
        if let (Some(earlier), Some(lines)) = (earlier, &given.lines) {
            let union = |before: &LineRanges| before.numbers().chain(lines.numbers()).collect();
            given.lines = earlier.lines.as_ref().map(union);
        }
        if self.given.len() < MAX_GIVEN {
            self.given.insert(id.to_owned(), given);
        }
    }

    pub fn ask(&mut self, prompt_hash: String) {
        if self.asked.len() < MAX_ASKED {
            self.asked.insert(prompt_hash);
        }
    }

    pub fn has_asked(&self, prompt_hash: &str) -> bool {
        self.asked.contains(prompt_hash)
    }

    pub fn lost_subject(&self) -> Option<&ConversationSubject> {
        Some(&self.subject).filter(|_| self.lacks_subject)
    }

    pub fn forget(&mut self) {
        let subject = std::mem::take(&mut self.subject);
        let (tokens, updated) = (self.tokens, self.updated);
        *self = Self { tokens, updated, subject, lacks_subject: true, ..Self::default() };
    }
}

impl ConversationSubject {
    pub fn add_file(&mut self, file: &str) {
        self.files.retain(|known| known != file);
        let excess = (self.files.len() + 1).saturating_sub(MAX_FILES);
        self.files.drain(..excess);
        self.files.push(file.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_comes_back_and_anything_else_is_a_new_one() {
        let mut one = Conversation { has_started: true, ..Conversation::default() };
        let given = DeliveredText { hash: "blake3:0".to_owned(), tokens: 7, lines: None };
        one.give("standard/a", given.clone(), Timestamp::UNIX_EPOCH);
        assert_eq!(Conversation::parse(one.text().as_bytes()), one);
        for other in ["", "{", "null", "[]", "{\"schema\":\"faber.conversation/9\"}", "\u{0}"] {
            assert_eq!(Conversation::parse(other.as_bytes()), Conversation::default(), "{other}");
        }
        assert_eq!(Conversation::parse(b"\xff\xfe"), Conversation::default());
        one.ask("h".to_owned());
        (0..12).for_each(|at| one.subject.add_file(&format!("{at}.rs")));
        one.forget();
        assert_eq!((one.given.len(), one.has_started, one.tokens), (0, false, 7));
        assert!(!one.has_asked("h"));
        assert_eq!((one.subject.files.len(), &*one.subject.files[0]), (10, "2.rs"));
    }

    #[test]
    fn parts_of_a_text_add_up() {
        let mut one = Conversation::default();
        let mut give = |hash: &str, lines: Option<&[usize]>| {
            let lines = lines.map(|lines| lines.iter().copied().collect());
            let given = DeliveredText { hash: hash.to_owned(), tokens: 1, lines };
            one.give("standard/a", given, Timestamp::UNIX_EPOCH);
            one.given["standard/a"].lines.as_ref().map(|lines| lines.numbers().collect::<Vec<_>>())
        };
        assert_eq!(give("a", Some(&[1, 2, 7])), Some(vec![1, 2, 7]));
        assert_eq!(give("a", Some(&[3, 2, 9])), Some(vec![1, 2, 3, 7, 9]));
        assert_eq!(give("b", Some(&[4])), Some(vec![4]));
        assert_eq!(give("b", None), None);
        assert_eq!(give("b", Some(&[4])), None);
    }
}
