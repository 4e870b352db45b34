//! Suggested terms.

use schemars::JsonSchema;
use serde::Serialize;

faber_core::named_enum! {
    /// The part of a context that a term is taken from.
    pub enum TermSource {
        Name = "name",
        Title = "title",
        Description = "description",
        Heading = "heading",
        Text = "text",
    }
}

/// What a term is matched against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TermKind {
    /// The request.
    Keyword,
    /// The error text and the request.
    Error,
}

/// A suggested keyword or error, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SuggestedTerm {
    /// The keyword or error.
    pub text: String,
    /// The part of the context that contains it.
    pub found_in: TermSource,
    /// The number of occurrences in the context.
    pub often: usize,
    /// How many contexts of the role have it, this one included.
    pub contexts: usize,
}
