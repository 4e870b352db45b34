//! Levels of detail and sections of a bundle.

use schemars::JsonSchema;
use serde::Serialize;

/// How much of a context is in the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Its full text.
    Detailed,
    /// Its beginning, cut at a block boundary.
    Truncated,
    /// The parts that match the request.
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

    /// The value of this level in thousandths of the full text; for focused forms the minimum.
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
    /// The user overlay.
    Profile,
    /// Platform, standards, specialists, custom contexts and the like.
    Location,
    /// Related contexts.
    Related,
    /// The catalog.
    Catalog,
    /// Past messages.
    History,
    /// The request and its input.
    Message,
}

impl Section {
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
