//! What a conversation was given, so that nothing is repeated. Stored by
//! [`HookStore`](crate::discover::hook_store::HookStore).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "faber.conversation/1";
/// More than any pack has.
const MAX_GIVEN: usize = 20_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    schema: String,
    /// Seconds since 1970.
    updated: i64,
    /// Whether it has the contexts that are always loaded.
    pub has_started: bool,
    /// By context ID.
    #[serde(default)]
    pub given: BTreeMap<String, DeliveredText>,
    /// Hashes of files that the client loaded, by workspace path.
    #[serde(default)]
    pub loaded: BTreeMap<String, String>,
    #[serde(default)]
    pub tokens: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveredText {
    /// Of the full text.
    pub hash: String,
    pub tokens: usize,
}

impl Default for Conversation {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            updated: 0,
            has_started: false,
            given: BTreeMap::new(),
            loaded: BTreeMap::new(),
            tokens: 0,
        }
    }
}

impl Conversation {
    /// Empty if invalid.
    pub fn parse(bytes: &[u8]) -> Self {
        let read: Option<Self> = serde_json::from_slice(bytes).ok();
        read.filter(|it| it.schema == SCHEMA).unwrap_or_default()
    }

    /// # Panics
    ///
    /// Never: JSON keys are strings.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("the keys of JSON are text")
    }

    pub fn give(&mut self, id: &str, given: DeliveredText, now: Timestamp) {
        self.updated = now.as_second();
        self.tokens = self.tokens.saturating_add(given.tokens);
        if self.given.len() < MAX_GIVEN {
            self.given.insert(id.to_owned(), given);
        }
    }

    /// Called for a compaction, which may drop anything.
    pub fn forget(&mut self) {
        *self = Self { tokens: self.tokens, updated: self.updated, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_comes_back_and_anything_else_is_a_new_one() {
        let mut one = Conversation { has_started: true, ..Conversation::default() };
        let given = DeliveredText { hash: "blake3:0".to_owned(), tokens: 7 };
        one.give("standard/a", given.clone(), Timestamp::UNIX_EPOCH);
        assert_eq!(Conversation::parse(one.text().as_bytes()), one);
        for other in ["", "{", "null", "[]", "{\"schema\":\"faber.conversation/9\"}", "\u{0}"] {
            assert_eq!(Conversation::parse(other.as_bytes()), Conversation::default(), "{other}");
        }
        assert_eq!(Conversation::parse(b"\xff\xfe"), Conversation::default());
        one.forget();
        assert_eq!((one.given.len(), one.has_started, one.tokens), (0, false, 7));
    }
}
