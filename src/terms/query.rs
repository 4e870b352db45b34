//! The terms of a question.

use std::collections::HashSet;

use super::pieces::{Piece, is_stop, pieces, stem_of};
use super::words::Normalizer;

/// A term of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// As it stands there.
    pub(crate) text: &'a str,
    /// What it is compared by.
    pub(crate) stem: String,
    /// Whether it is an identifier whose parts are terms too. That nobody writes one in one word is
    /// no sign that a text is about something else; that nobody uses a word is.
    pub(crate) joined: bool,
}

/// The terms of `question`, each stem once, in the order in which they stand there.
pub(crate) fn terms(question: &str) -> Vec<Term<'_>> {
    let normalizer = Normalizer::new();
    let mut seen = HashSet::new();
    let mut terms = Vec::new();
    for Piece { bytes, joined } in pieces(question) {
        let text = &question[bytes];
        let stem = stem_of(text, &normalizer);
        if !is_stop(text) && !stem.is_empty() && seen.insert(stem.clone()) {
            terms.push(Term { text, stem, joined });
        }
    }
    terms
}
