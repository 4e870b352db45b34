//! How an overlay changes its base.

use crate::source::Spanned;

crate::named_enum! {
    /// How an overlay changes its base.
    pub enum Strategy {
        /// The overlay replaces the base.
        Override = "override",
        /// The overlay adds, and replaces what has the same key.
        Merge = "merge",
        /// The overlay only adds.
        Append = "append",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionAction {
    Apply(Strategy),
    Remove,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionRule {
    /// May be a path such as `Parent/Child`.
    pub heading: Spanned<String>,
    pub action: SectionAction,
}
