//! What the name and text of a context say, word by word.

use super::terms::called;
use crate::resolve::catalog::{Body, Context};
use crate::source::{SourceMap, char_boundary};
use crate::terms::pieces::{is_stop, pieces, stem_of};
use crate::terms::query::Term;
use crate::terms::words::Normalizer;

/// In bytes, of a phrase in a text.
const LONG: usize = 96;

pub(super) fn is_called(context: &Context, sources: &SourceMap, term: &Term<'_>) -> bool {
    let first = match &context.body {
        Body::Whole(span) => sources.text(*span).trim_start().lines().next(),
        Body::Titled { heading, .. } => Some(heading.text(sources)),
        Body::Lines(lines) => {
            let mut texts = lines.iter().map(|line| line.text(sources));
            texts.find(|text| !text.trim().is_empty())
        }
    };
    let title = first.filter(|line| line.starts_with('#'));
    let keywords = context.front.fields.keywords.iter().map(|keyword| keyword.value.as_str());
    let mut texts = std::iter::once(&*context.id.name).chain(keywords).chain(title);
    let normalizer = Normalizer::default();
    texts.any(|text| {
        term.stems().any(|stem| has_in(text, &[stem], &normalizer))
            || (term.is_ideographic() && text.contains(term.text))
    })
}

pub(super) fn has(context: &Context, sources: &SourceMap, stems: &[String]) -> bool {
    let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
    let normalizer = Normalizer::default();
    called(context).any(|(_, text)| has_in(text, &stems, &normalizer))
        || has_in(&context.body.text(sources), &stems, &normalizer)
}

fn has_in(text: &str, stems: &[&str], normalizer: &Normalizer<'_>) -> bool {
    let Some((first, rest)) = stems.split_first() else { return false };
    let lower = text.to_ascii_lowercase();
    let begins_word = |at: usize| {
        let is_letter = |c: char| c.is_alphabetic();
        !text[..at].ends_with(is_letter) || text[at..].starts_with(char::is_uppercase)
    };
    let beginning = |stem: &&str| stem[..char_boundary(stem, 3)].to_owned();
    let others: Vec<String> = rest.iter().map(beginning).collect();
    let beginning = beginning(first);
    let mut places = lower.match_indices(&beginning).map(|(at, _)| at);
    places.any(|at| {
        let end = at + char_boundary(&text[at..], LONG);
        if !begins_word(at) || !others.iter().all(|other| lower[at..end].contains(other)) {
            return false;
        }
        let mut words = words(&text[at..end]).filter(|word| !is_stop(word));
        stems.iter().all(|stem| words.next().is_some_and(|it| stem_of(it, normalizer) == *stem))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter(|piece| !piece.joined).map(|piece| &text[piece.bytes])
}
