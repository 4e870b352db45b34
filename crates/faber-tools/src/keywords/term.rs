use schemars::JsonSchema;
use serde::Serialize;

use faber_core::terms::words::stems;

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

#[derive(Debug, PartialEq)]
pub(super) struct KeywordCandidate {
    pub kind: TermKind,
    pub source: TermSource,
    pub text: String,
    pub stems: Vec<String>,
    pub is_name: bool,
}

impl KeywordCandidate {
    pub(super) fn new(kind: TermKind, source: TermSource, text: &str) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let stems = stems(&text);
        (!stems.is_empty()).then_some(Self { kind, source, text, stems, is_name: false })
    }
}
