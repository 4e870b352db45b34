//! The terms of a question.

use std::collections::HashMap;

use super::pieces::{WordPiece, is_stop, pieces, stem_of};
use super::words::Normalizer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// Its first form in the question.
    pub(crate) text: &'a str,
    pub stem: String,
    /// Whether it is an identifier whose parts are terms too. If no text has it in one word, that
    /// is no evidence, unlike for a word.
    pub joined: bool,
    /// Its frequency in the question.
    pub often: u32,
}

/// The distinct terms of `question`, in order of first occurrence.
pub fn terms(question: &str) -> Vec<Term<'_>> {
    let normalizer = Normalizer::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut terms: Vec<Term<'_>> = Vec::new();
    for WordPiece { bytes, joined } in pieces(question) {
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
