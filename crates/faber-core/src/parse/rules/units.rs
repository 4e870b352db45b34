//! The sentences of a paragraph or item.

use std::ops::Range;

use super::sentence::is_target;
use super::words::{is_condition, is_order};
use crate::parse::prose::{Inline, Token, TokenKind, tokens};

/// The ranges of the sentences of `inline`: they end with a full stop, and with a line after which
/// another directive begins.
pub(super) fn units(inline: &Inline) -> Vec<Range<usize>> {
    let text = inline.text();
    let tokens = tokens(inline, &inline.all());
    let mut found = Vec::new();
    let Some(first) = tokens.first() else { return found };
    let (mut start, mut named) = (first.outer.start, false);
    for pair in tokens.windows(2) {
        let [token, next] = pair else { continue };
        named |= is_target(token);
        let gap = &text[token.outer.end.min(next.outer.start)..next.outer.start];
        let ends = if gap.contains('\n') {
            ends_line(token, next, named)
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

/// Whether a sentence ends with the line of which `token` is the last word.
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

/// Whether `token` can begin a sentence.
fn is_capital(token: &Token<'_>) -> bool {
    match token.kind {
        TokenKind::Word => !token.text.starts_with(char::is_lowercase),
        TokenKind::Quoted | TokenKind::Code | TokenKind::Link => true,
        TokenKind::Mark | TokenKind::Arrow => false,
    }
}
