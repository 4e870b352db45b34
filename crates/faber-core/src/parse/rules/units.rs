//! Splits a paragraph or item into sentences.

use std::ops::Range;

use super::condition;
use super::sentence::is_target;
use super::words::{is_condition, is_dash, is_opening, is_order, is_verb};
use crate::parse::prose::{Inline, Token, TokenKind};

/// These keep time linear.
const MAX_WORDS_OF_RULE: usize = 64;
const MAX_JOINTS: usize = 4;

pub(super) fn units(inline: &Inline) -> Vec<Range<usize>> {
    let text = inline.text();
    let tokens = inline.tokens();
    let mut found = Vec::new();
    let Some(first) = tokens.first() else { return found };
    let (mut start, mut named) = (first.outer.start, false);
    let mut form = RuleForm::default();
    let arrows = arrows(text, &tokens);
    for (at, pair) in tokens.windows(2).enumerate() {
        let [token, next] = pair else { continue };
        if token.outer.start < start {
            continue;
        }
        named |= is_target(token);
        form.add(token, named);
        if named && let Some(second) = form.next(token, &tokens[at + 1..]) {
            let end = if token.is_mark(",;") { token.outer.start } else { token.outer.end };
            found.push(start..end);
            (start, named, form) = (second, false, RuleForm::default());
            continue;
        }
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
            (start, named, form) = (next.outer.start, false, RuleForm::default());
        }
    }
    let end = tokens.last().map_or(start, |token| token.outer.end);
    found.push(start..end.max(start));
    found
}

#[derive(Default)]
struct RuleForm {
    has_condition: bool,
    has_arrow: bool,
    has_label: bool,
}

impl RuleForm {
    fn add(&mut self, token: &Token<'_>, named: bool) {
        self.has_condition |= is_condition(token);
        self.has_arrow |= !named && token.kind == TokenKind::Arrow;
        self.has_label |= !named && (token.is_mark(":") || is_dash(token));
    }

    /// The start of "when b, load y.md" after "when a, load x.md,".
    fn next(&self, token: &Token<'_>, rest: &[Token<'_>]) -> Option<usize> {
        let joins = ["also", "and", "but", "else", "or", "otherwise", "then"];
        let is_joint = |next: &&Token<'_>| next.is_any(&joins) || next.is_mark(",");
        let skipped = rest.iter().take(MAX_JOINTS).take_while(is_joint).count();
        if skipped == 0 && !token.is_mark(",;") {
            return None;
        }
        let rest = &rest[skipped..];
        let target = rest.iter().take(MAX_WORDS_OF_RULE).position(is_target)?;
        let before = &rest[..target];
        let arrow = before.iter().any(|token| token.kind == TokenKind::Arrow);
        let label = before.last().is_some_and(|last| last.is_mark(":") || is_dash(last));
        let presence = ["available", "exist", "exists", "present"];
        let condition = condition::opens(before)
            && (label || before.iter().any(is_verb))
            && !before.iter().any(|token| token.is_any(&presence));
        let follows = self.has_arrow && arrow
            || self.has_label && label && !before.iter().any(is_verb)
            || condition && (self.has_condition || self.has_arrow || token.is_mark(";"));
        follows.then(|| rest[0].outer.start)
    }
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
