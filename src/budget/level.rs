//! Levels of detail and sections of a bundle.

use schemars::JsonSchema;
use serde::Serialize;

/// How much of a context is in the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// All of it.
    Detailed,
    /// Its beginning, cut at a block boundary.
    Truncated,
    /// Its summary.
    Summary,
    /// One sentence.
    Essence,
    /// Its line in the catalog.
    Catalog,
    /// Nothing.
    Dropped,
}

impl Level {
    /// The name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detailed => "detailed",
            Self::Truncated => "truncated",
            Self::Summary => "summary",
            Self::Essence => "essence",
            Self::Catalog => "catalog",
            Self::Dropped => "dropped",
        }
    }

    /// What a context is worth at this level, in tenths of what all of it is worth.
    pub fn tenths(self) -> u64 {
        match self {
            Self::Detailed => 10,
            Self::Truncated | Self::Summary => 6,
            Self::Essence => 3,
            Self::Catalog => 1,
            Self::Dropped => 0,
        }
    }
}

/// The parts that a budget is divided into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// The role prompt, the task or flow.
    System,
    /// What the user overlay adds.
    Profile,
    /// Platform, standards, specialists, custom contexts and the like.
    Location,
    /// What is related to those.
    Related,
    /// The catalog of what is not loaded.
    Catalog,
    /// Past messages.
    History,
    /// The request and its input.
    Message,
}

impl Section {
    /// How many sections there are.
    pub const COUNT: usize = 7;

    /// The name in data.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Profile => "profile",
            Self::Location => "location",
            Self::Related => "related",
            Self::Catalog => "catalog",
            Self::History => "history",
            Self::Message => "message",
        }
    }
}
