//! How an overlay changes its base.

use crate::source::Spanned;

/// How an overlay changes its base.
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

/// How an overlay changes one section of its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionAction {
    Apply(Strategy),
    Remove,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionRule {
    /// As written; `Parent/Child` names a nested one.
    pub heading: Spanned<String>,
    pub action: SectionAction,
}

impl Strategy {
    pub const ALL: [(&'static str, Self); 3] =
        [("override", Self::Override), ("merge", Self::Merge), ("append", Self::Append)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Merge => "merge",
            Self::Append => "append",
        }
    }
}
