//! On what condition something is to be loaded.

use std::ops::Range;

use super::terms::{Mode, phrases};
use super::words::{
    ends_as_error, is_discretion, is_exception, is_negation, is_purpose, names_error,
};
use crate::parse::prose::{Token, TokenKind};

/// The most words of a phrase in a list.
pub(super) const MAX_WORDS: usize = 5;
/// The same after "when", where many words are a sentence and no phrase.
const MAX_WORDS_OF_CONDITION: usize = 3;

/// What has to hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// Nothing.
    Always,
    /// That what is named exists.
    Present,
    /// That a term is met.
    Terms(Terms),
    /// Something that is not for faber to decide.
    Unclear,
}

/// Phrases to be met.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) wanted: Vec<Range<usize>>,
    /// Phrases that must not be met.
    pub(super) except: Vec<Range<usize>>,
    pub(super) is_error: bool,
}

/// How a condition begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// With "on" or "in case of": what follows may be an error.
    Event,
    /// With "if", "when" or "for".
    Case,
}

/// The number of tokens that open a condition.
fn opening(tokens: &[Token<'_>]) -> Option<(Opening, usize)> {
    let [first, rest @ ..] = tokens else { return None };
    if first.is_any(&["on", "upon"]) {
        return Some((Opening::Event, 1));
    }
    if first.is_any(&["for", "if", "when", "whenever", "while"]) {
        return Some((Opening::Case, 1));
    }
    let is_case =
        first.is_word("in") && rest.iter().take(2).any(|it| it.is_any(&["case", "event"]));
    let of = rest.iter().take(3).position(|token| token.is_word("of"))?;
    is_case.then_some((Opening::Event, of + 2))
}

/// Whether `tokens` begin as a condition does that can be read.
pub(super) fn opens(tokens: &[Token<'_>]) -> bool {
    opening(tokens).is_some()
}

/// Reads the condition that `tokens` are, its "when" included.
pub(super) fn read(text: &str, tokens: &[Token<'_>]) -> Condition {
    let Some((opening, length)) = opening(tokens) else { return Condition::Unclear };
    let mut rest = &tokens[length..];
    while let [more @ .., last] = rest
        && (last.kind == TokenKind::Mark && !last.is_mark(")")
            || last.is_any(&["then", "always", "please", "only", "first"]))
    {
        rest = more;
    }
    let words = || rest.iter().filter(|token| token.kind != TokenKind::Mark);
    let presence = [
        "available",
        "configured",
        "exist",
        "exists",
        "file",
        "is",
        "it",
        "present",
        "the",
        "there",
        "they",
        "are",
    ];
    if words().all(|token| token.is_any(&presence))
        && words().any(|token| token.is_any(&["available", "exist", "exists", "present"]))
    {
        return Condition::Present;
    }
    let every = [
        "all",
        "any",
        "conversation",
        "each",
        "every",
        "new",
        "request",
        "requests",
        "session",
        "task",
        "tasks",
    ];
    if words().next().is_some_and(|token| token.is_any(&["all", "any", "each", "every"]))
        && words().all(|token| token.is_any(&every))
    {
        return Condition::Always;
    }
    if words().all(is_discretion) || words().next().is_some_and(is_purpose) {
        return Condition::Unclear;
    }
    let most = match opening {
        Opening::Event => MAX_WORDS,
        Opening::Case => MAX_WORDS_OF_CONDITION,
    };
    let Some(mut terms) = read_terms(text, rest, Mode::Condition, most) else {
        return Condition::Unclear;
    };
    let quoted = rest.iter().any(|token| token.kind == TokenKind::Quoted);
    terms.is_error |= terms.wanted.iter().any(|term| {
        let term = &text[term.clone()];
        let by_end = !quoted && ends_as_error(term);
        by_end || (opening == Opening::Event && names_error(term))
    });
    Condition::Terms(terms)
}

/// The phrases of `tokens`, and those behind "not for".
pub(super) fn read_terms(
    text: &str,
    tokens: &[Token<'_>],
    mode: Mode,
    most: usize,
) -> Option<Terms> {
    let (wanted, except) = match exception(text, tokens) {
        Some((at, except)) => (&tokens[..at], except),
        None => (tokens, Vec::new()),
    };
    if wanted.iter().any(is_negation) {
        return None;
    }
    let quoted = wanted.iter().any(|token| token.kind == TokenKind::Quoted);
    let wanted = phrases(text, wanted, mode, most)?;
    let is_error = !quoted && wanted.iter().any(|term| ends_as_error(&text[term.clone()]));
    Some(Terms { wanted, except, is_error })
}

/// The phrases that "not for", "but not" or "except" leaves out, and where that begins.
pub(super) fn exception(text: &str, tokens: &[Token<'_>]) -> Option<(usize, Vec<Range<usize>>)> {
    let at = tokens.iter().position(is_exception)?;
    let mut from = at + 1;
    while tokens
        .get(from)
        .is_some_and(|token| token.is_any(&["about", "for", "if", "in", "on", "when", "to"]))
    {
        from += 1;
    }
    let except = phrases(text, tokens.get(from..)?, Mode::Condition, MAX_WORDS)?;
    let before = tokens[..at].iter().rev();
    let joint = before.take_while(|token| token.is_mark(",;(") || token.is_any(&["but", "and"]));
    Some((at - joint.count(), except))
}
