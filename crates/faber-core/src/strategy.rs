//! How an overlay works on its base, as front matter says it.

use crate::source::Spanned;

/// How a whole overlay document works on its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The overlay replaces the base.
    Override,
    /// The overlay adds, and replaces what has the same key.
    Merge,
    /// The overlay only adds.
    Append,
}

/// How an overlay works on one section of its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionAction {
    /// Combine it by this strategy.
    Apply(Strategy),
    /// Drop the base's section.
    Remove,
}

/// One entry of the `sections` map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionRule {
    /// The heading, as the front matter writes it; `Parent/Child` names a nested one.
    pub heading: Spanned<String>,
    /// What to do with the section under it.
    pub action: SectionAction,
}

impl Strategy {
    /// Every value with the word that names it in front matter.
    pub const ALL: [(&'static str, Self); 3] =
        [("override", Self::Override), ("merge", Self::Merge), ("append", Self::Append)];

    /// The word that names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Merge => "merge",
            Self::Append => "append",
        }
    }
}
