//! The terms of a question.

use std::collections::HashMap;

use super::pieces::{Piece, is_stop, pieces, stem_of};
use super::words::Normalizer;

/// A term of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// As the question first has it.
    pub(crate) text: &'a str,
    /// What it is compared by.
    pub stem: String,
    /// Whether it is an identifier whose parts are terms too. That no text has one in one word is
    /// no sign that it is about something else; that no text uses a word is.
    pub joined: bool,
    /// How often the question has it.
    pub often: u32,
}

/// The terms of `question`, each stem once, in the order of their first places.
pub fn terms(question: &str) -> Vec<Term<'_>> {
    let normalizer = Normalizer::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut terms: Vec<Term<'_>> = Vec::new();
    for Piece { bytes, joined } in pieces(question) {
        let text = &question[bytes];
        let stem = stem_of(text, &normalizer);
        if is_stop(text) || stem.is_empty() {
            continue;
        }
        if let Some(&at) = places.get(&stem) {
            terms[at].often += 1;
        } else {
            places.insert(stem.clone(), terms.len());
            terms.push(Term { text, stem, joined, often: 1 });
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_is_one_term_however_often_it_is_said() {
        let found = terms("Rotate the API keys: how are keys rotated?");
        let plain: Vec<_> = found.iter().map(|term| (&*term.stem, term.often)).collect();
        assert_eq!(plain, [("rotat", 2), ("api", 1), ("key", 2)]);
    }
}
