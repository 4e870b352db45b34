//! The level of detail of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::level::Level;

crate::named_enum! {
    /// How detailed an answer is to be.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Abstraction {
        /// Everything in full.
        Detailed = "detailed",
        /// Summaries.
        Summary = "summary",
        /// One sentence per passage.
        Essence = "essence",
        /// As detailed as the budget allows, by usefulness.
        #[default]
        Adaptive = "adaptive",
    }
}

impl Abstraction {
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
            assert_eq!((abstraction.name(), abstraction as usize), (name, at));
            assert_eq!(Abstraction::from_name(name), Some(abstraction));
            if let [only] = abstraction.levels() {
                assert_eq!(only.name(), name);
            }
        }
        assert_eq!(Abstraction::from_name("full"), None);
        assert!(Abstraction::Adaptive.levels().is_sorted());
    }
}
