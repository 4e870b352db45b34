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
    /// The parts of it that match the request.
    Focused,
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
            Self::Focused => "focused",
            Self::Summary => "summary",
            Self::Essence => "essence",
            Self::Catalog => "catalog",
            Self::Dropped => "dropped",
        }
    }

    /// What a context is worth at this level, in thousandths of what all of it is worth. What the
    /// parts that match a request are worth depends on how much they hold of what it asks for; this is
    /// the least.
    pub fn value(self) -> u32 {
        match self {
            Self::Detailed | Self::Truncated => 1000,
            Self::Focused => 300,
            Self::Summary => 200,
            Self::Essence => 50,
            Self::Catalog => 20,
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
