//! The purpose of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the reader of the answer wants to do with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Answer a question.
    #[default]
    Answer,
    /// Check whether something is true.
    Verify,
    /// Get an overview.
    Explore,
    /// Choose between options.
    Decide,
    /// Make something new.
    Create,
}

impl Purpose {
    pub const ALL: [(&'static str, Self); 5] = [
        ("answer", Self::Answer),
        ("verify", Self::Verify),
        ("explore", Self::Explore),
        ("decide", Self::Decide),
        ("create", Self::Create),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        for (at, (name, purpose)) in Purpose::ALL.into_iter().enumerate() {
            assert_eq!(purpose as usize, at, "{name}");
        }
    }
}
