//! The level of detail of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::level::Level;

/// How detailed an answer is to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Abstraction {
    /// Everything in full.
    Detailed,
    /// Summaries.
    Summary,
    /// One sentence per passage.
    Essence,
    /// As detailed as the budget allows, by usefulness.
    #[default]
    Adaptive,
}

impl Abstraction {
    pub const ALL: [(&'static str, Self); 4] = [
        ("detailed", Self::Detailed),
        ("summary", Self::Summary),
        ("essence", Self::Essence),
        ("adaptive", Self::Adaptive),
    ];

    /// The allowed levels, the most detailed first.
    pub fn levels(self) -> &'static [Level] {
        match self {
            Self::Detailed => &[Level::Detailed],
            Self::Summary => &[Level::Summary],
            Self::Essence => &[Level::Essence],
            Self::Adaptive => &[Level::Detailed, Level::Summary, Level::Essence],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_agree_with_the_levels() {
        for (at, (name, abstraction)) in Abstraction::ALL.into_iter().enumerate() {
            assert_eq!(abstraction as usize, at, "{name}");
            if let [only] = abstraction.levels() {
                assert_eq!(only.name(), name);
            }
        }
        assert!(Abstraction::Adaptive.levels().is_sorted());
    }
}
