//! What a conversation with an agent was given, so that nothing is given twice.
//!
//! [`Conversation`] is a value; [`HookStore`](crate::discover::hook_store::HookStore) keeps it in the
//! user's own state folder.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What every file says that it is.
pub const SCHEMA: &str = "faber.conversation/1";
/// Maximum number of contexts that are remembered; a pack has fewer.
const MOST_GIVEN: usize = 20_000;

/// What one conversation was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    schema: String,
    /// Seconds since 1970.
    updated: i64,
    /// Whether it began with an event that was answered, so that it has what always loads.
    pub has_started: bool,
    /// What it was given, by id.
    #[serde(default)]
    pub given: BTreeMap<String, Given>,
    /// Content hashes of the files that the client said it loaded, by path from the workspace root.
    #[serde(default)]
    pub loaded: BTreeMap<String, String>,
    /// Tokens of all answers.
    #[serde(default)]
    pub tokens: usize,
}

/// A text that a conversation was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The content hash of the whole text.
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
    /// Reads a file of it; anything else is a conversation that was given nothing.
    pub fn parse(bytes: &[u8]) -> Self {
        let read: Option<Self> = serde_json::from_slice(bytes).ok();
        read.filter(|it| it.schema == SCHEMA).unwrap_or_default()
    }

    /// The text of its file.
    ///
    /// # Panics
    ///
    /// Never: the keys of JSON are text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("the keys of JSON are text")
    }

    /// Adds what it was given now.
    pub fn give(&mut self, id: &str, given: Given, now: Timestamp) {
        self.updated = now.as_second();
        self.tokens = self.tokens.saturating_add(given.tokens);
        if self.given.len() < MOST_GIVEN {
            self.given.insert(id.to_owned(), given);
        }
    }

    /// Forgets what it was given: a compaction leaves nothing of it for certain.
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
        let given = Given { hash: "blake3:0".to_owned(), tokens: 7 };
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
