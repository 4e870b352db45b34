//! Candidates for keywords and errors.

use super::term::{TermKind, TermSource};
use faber_core::terms::words::stems;

#[derive(Debug, PartialEq)]
pub(super) struct KeywordCandidate {
    pub kind: TermKind,
    pub source: TermSource,
    pub text: String,
    pub stems: Vec<String>,
    /// A rare word or a name.
    pub is_name: bool,
}

impl KeywordCandidate {
    pub(super) fn new(kind: TermKind, source: TermSource, text: &str) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let stems = stems(&text);
        (!stems.is_empty()).then_some(Self { kind, source, text, stems, is_name: false })
    }
}
