//! What somebody asks for, and what counts for it.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::utility::Weights;

/// What the reader of the answer wants to do with it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Answer a question.
    #[default]
    Answer,
    /// Find out whether something is true.
    Verify,
    /// Get to know a field.
    Explore,
    /// Choose between possibilities.
    Decide,
    /// Make something new.
    Create,
}

impl Purpose {
    /// Every value with the word that names it.
    pub const ALL: [(&'static str, Self); 5] = [
        ("answer", Self::Answer),
        ("verify", Self::Verify),
        ("explore", Self::Explore),
        ("decide", Self::Decide),
        ("create", Self::Create),
    ];

    /// The word that names it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The purpose that `word` names.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, purpose)| *purpose)
    }

    /// How much each component counts.
    ///
    /// Who verifies or decides needs what can be relied on; who explores or creates needs what is
    /// not there yet.
    pub fn weights(self) -> Weights {
        let [relevance, confidence, trust, recency, density, novelty] = match self {
            Self::Answer => [30, 30, 20, 10, 5, 5],
            Self::Verify => [20, 40, 20, 10, 5, 5],
            Self::Explore => [20, 10, 10, 10, 10, 40],
            Self::Decide => [25, 25, 25, 15, 5, 5],
            Self::Create => [20, 10, 10, 5, 15, 40],
        };
        Weights { relevance, confidence, trust, recency, density, novelty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_and_names_lead_back() {
        for (at, (name, purpose)) in Purpose::ALL.into_iter().enumerate() {
            let Weights { relevance, confidence, trust, recency, density, novelty } =
                purpose.weights();
            let sum = relevance + confidence + trust + recency + density + novelty;
            assert_eq!((sum, purpose as usize), (100, at), "{name}");
            assert_eq!((purpose.name(), Purpose::named(name)), (name, Some(purpose)));
        }
        assert_eq!(Purpose::named("Answer"), None);
    }
}
