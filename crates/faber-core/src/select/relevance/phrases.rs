//! What the name and text of a context say, word by word.

use crate::resolve::catalog::Context;
use crate::source::{SourceMap, char_boundary};
use crate::terms::pieces::{is_stop, pieces, stem_of};
use crate::terms::tokenizer::TermHash;
use crate::terms::words::Normalizer;

/// In bytes, of a phrase in a text.
const LONG: usize = 96;

/// Of name and keywords.
pub(super) fn called(context: &Context) -> impl Iterator<Item = TermHash> {
    let normalizer = Normalizer::default();
    let keywords = context.front.fields.keywords.iter().map(|keyword| keyword.value.as_str());
    let texts = std::iter::once(&*context.id.name).chain(keywords);
    texts.flat_map(words).map(move |word| TermHash::new(&stem_of(word, &normalizer)))
}

/// Whether name, description or text have these stems next to each other.
pub(super) fn has(context: &Context, sources: &SourceMap, stems: &[String]) -> bool {
    let description = context.front.fields.description.iter().map(|it| it.value.as_str());
    let normalizer = Normalizer::default();
    let mut names = std::iter::once(&*context.id.name).chain(description);
    names.any(|text| has_in(text, stems, &normalizer))
        || has_in(&context.body.text(sources), stems, &normalizer)
}

fn has_in(text: &str, stems: &[String], normalizer: &Normalizer<'_>) -> bool {
    let Some(first) = stems.first() else { return false };
    let lower = text.to_ascii_lowercase();
    let begins_word = |at: usize| {
        let is_letter = |c: char| c.is_alphabetic();
        !text[..at].ends_with(is_letter) || text[at..].starts_with(char::is_uppercase)
    };
    // Inflected forms begin alike.
    let places = lower.match_indices(&first[..char_boundary(first, 3)]).map(|(at, _)| at);
    places.filter(|&at| begins_word(at)).any(|at| {
        let part = &text[at..];
        let mut words = words(&part[..char_boundary(part, LONG)]).filter(|word| !is_stop(word));
        stems.iter().all(|stem| words.next().is_some_and(|it| stem_of(it, normalizer) == *stem))
    })
}

/// Without joined ones.
fn words(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter(|piece| !piece.joined).map(|piece| &text[piece.bytes])
}
