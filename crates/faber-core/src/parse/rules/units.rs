//! Splits a paragraph or item into sentences.

use std::ops::Range;

use super::sentence::is_target;
use super::words::{is_condition, is_opening, is_order, is_verb};
use crate::parse::prose::{Inline, Token, TokenKind};

/// They end with a full stop, or before a line with another directive.
pub(super) fn units(inline: &Inline) -> Vec<Range<usize>> {
    let text = inline.text();
    let tokens = inline.tokens();
    let mut found = Vec::new();
    let Some(first) = tokens.first() else { return found };
    let (mut start, mut named) = (first.outer.start, false);
    let arrows = arrows(text, &tokens);
    for (at, pair) in tokens.windows(2).enumerate() {
        let [token, next] = pair else { continue };
        named |= is_target(token);
        let gap = &text[token.outer.end.min(next.outer.start)..next.outer.start];
        let ends = if is_abbreviation(tokens[..=at].last_chunk()) || asks(token, next) {
            false
        } else if gap.contains('\n') {
            ends_line(token, next, named) || (named && arrows[at] && arrows[at + 1])
        } else {
            token.is_mark(".!?") && !gap.is_empty() && is_capital(next)
        };
        if ends {
            found.push(start..token.outer.end);
            (start, named) = (next.outer.start, false);
        }
    }
    let end = tokens.last().map_or(start, |token| token.outer.end);
    found.push(start..end.max(start));
    found
}

fn arrows(text: &str, tokens: &[Token<'_>]) -> Vec<bool> {
    let breaks = |pair: &[&Token<'_>]| {
        text[pair[0].outer.end.min(pair[1].outer.start)..pair[1].outer.start].contains('\n')
    };
    let lines = tokens.chunk_by(|token, next| !breaks(&[token, next]));
    let has = |line: &[Token<'_>]| line.iter().any(|token| token.kind == TokenKind::Arrow);
    lines.flat_map(|line| std::iter::repeat_n(has(line), line.len())).collect()
}

fn is_abbreviation(last: Option<&[Token<'_>; 2]>) -> bool {
    last.is_some_and(|[word, stop]| {
        stop.is_mark(".") && word.is_any(&["approx", "cf", "e.g", "eg", "i.e", "ie", "incl", "vs"])
    })
}

fn asks(token: &Token<'_>, next: &Token<'_>) -> bool {
    token.is_mark("?") && (is_verb(next) || is_opening(next))
}

fn ends_line(token: &Token<'_>, next: &Token<'_>, named: bool) -> bool {
    if token.is_mark(".:!?") {
        return true;
    }
    let goes_on = token.is_mark(",(|") || token.kind == TokenKind::Arrow || !is_capital(next);
    let begins = is_order(next)
        || is_condition(next)
        || next.kind == TokenKind::Quoted
        || next.is_any(&["keyword", "keywords", "triggers"]);
    !goes_on && (named || begins)
}

fn is_capital(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Word => !token.text.starts_with(char::is_lowercase),
        TokenKind::Quoted | TokenKind::Code | TokenKind::Link => true,
        TokenKind::Mark | TokenKind::Arrow => false,
    }
}
