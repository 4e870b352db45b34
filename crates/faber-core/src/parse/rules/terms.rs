//! Phrases that a request is searched for, taken out of a list of alternatives or of a condition.

use std::ops::Range;

use super::words::{
    is_activity, is_and_so_on, is_article, is_bare_predicate, is_closing, is_for_example, is_link,
    is_predicate, is_subject,
};
use crate::parse::prose::{Token, TokenKind};
use crate::parse::references::is_context;
use crate::terms::matcher::Matcher;

/// The most words next to quoted phrases that leave it clear what is meant.
const MAX_WORDS_BESIDE: usize = 6;

/// A word with a slash in it is several when each part has as many letters; `CI/CD` is one.
const MIN_PART: usize = 4;

/// How a stretch of tokens is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As a list of keywords: a cell, a label, what stands before an arrow.
    List,
    /// As what follows "when" and the like.
    Condition,
}

/// The phrases in `tokens`, each of at most `most` words; none when some part of it is no phrase.
pub(super) fn phrases(
    text: &str,
    tokens: &[Token<'_>],
    mode: Mode,
    most: usize,
) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let quoted = tokens.iter().any(is_quoted);
    if quoted {
        let beside = tokens.iter().filter(|token| token.kind == TokenKind::Word).count();
        let marked = |token: &Token<'_>| token.is_mark(",;|");
        if beside > MAX_WORDS_BESIDE && !tokens.iter().any(marked) {
            return None;
        }
    }
    let several = quoted || tokens.iter().any(separates);
    for group in groups(tokens, several) {
        if group.tokens.iter().any(is_quoted) {
            let quoted = group.tokens.iter().filter(|token| is_quoted(token));
            found.extend(quoted.map(|token| token.range.clone()));
            continue;
        }
        let Some(phrase) = reduced(group.tokens, mode) else { continue };
        if phrase.is_empty() {
            continue;
        }
        let words = phrase.iter().all(|token| token.kind == TokenKind::Word);
        if phrase.len() > most || !words {
            // What stands in parentheses may be a remark.
            if group.aside {
                continue;
            }
            return None;
        }
        found.extend(parts(text, phrase));
    }
    found.retain(|term| !Matcher::is_empty_term(&text[term.clone()]));
    let is_path = |term: &Range<usize>| is_path(&text[term.clone()]);
    (!found.is_empty() && !found.iter().any(is_path)).then_some(found)
}

fn is_quoted(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Quoted | TokenKind::Code)
}

/// Whether `text` is a path, and so no phrase of a request.
fn is_path(text: &str) -> bool {
    text.contains('/') && (text.starts_with(['/', '.']) || is_context(text))
        || is_context(text) && text.contains('.')
}

/// Whether `token` stands between alternatives.
fn separates(token: &Token<'_>) -> bool {
    token.is_mark(",;|，、；") || token.is_any(&["or", "and/or", "/", "•", "·", "*"])
}

/// One alternative of a list.
struct Group<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// Whether it stands in parentheses.
    aside: bool,
}

/// Splits `tokens` into alternatives. Where there are `several`, "and" leads to the last of them.
fn groups<'t, 'a>(tokens: &'t [Token<'a>], several: bool) -> Vec<Group<'t, 'a>> {
    let mut groups = Vec::new();
    let (mut from, mut aside) = (0, false);
    for (at, token) in tokens.iter().enumerate() {
        let (opens, closes) = (token.is_mark("(["), token.is_mark(")]"));
        if opens || closes || separates(token) || (several && token.is_word("and")) {
            groups.push(Group { tokens: &tokens[from..at], aside });
            from = at + 1;
            aside = opens || (aside && !closes);
        }
    }
    groups.push(Group { tokens: &tokens[from..], aside });
    groups
}

/// A group without articles, without the words around what a condition is about, and without signs at
/// its ends; none when it only says that there is more.
fn reduced<'t, 'a>(group: &'t [Token<'a>], mode: Mode) -> Option<&'t [Token<'a>]> {
    let is_sign = |token: &&Token<'_>| token.kind == TokenKind::Mark;
    let mut rest = trimmed(group, is_sign);
    // "e.g. a", "such as a".
    while rest.len() > 1 && (is_for_example(&rest[0]) || rest[0].kind == TokenKind::Mark) {
        rest = &rest[1..];
    }
    if rest.iter().all(|token| is_and_so_on(token) || token.kind == TokenKind::Mark) {
        return None;
    }
    rest = after_frame(rest, mode);
    while rest.len() > 1 && is_article(&rest[0]) {
        rest = &rest[1..];
    }
    // A list of keywords may end in "security etc."; "and more" is a group of its own.
    while rest.len() > 1 && rest[rest.len() - 1].is_any(&["etc", "…", "..."]) {
        rest = trimmed(&rest[..rest.len() - 1], is_sign);
    }
    if mode == Mode::Condition {
        while rest.len() > 1 && is_closing(&rest[rest.len() - 1]) {
            rest = &rest[..rest.len() - 1];
        }
    }
    Some(trimmed(rest, is_sign))
}

fn trimmed<'t, 'a>(tokens: &'t [Token<'a>], drop: impl Fn(&&Token<'a>) -> bool) -> &'t [Token<'a>] {
    let from = tokens.iter().take_while(&drop).count();
    let to = tokens.len() - tokens[from..].iter().rev().take_while(&drop).count();
    &tokens[from..to]
}

/// What follows "the user asks about" and the like.
fn after_frame<'t, 'a>(tokens: &'t [Token<'a>], mode: Mode) -> &'t [Token<'a>] {
    let articles = tokens.iter().take_while(|token| is_article(token)).count();
    let subjects = tokens[articles..].iter().take(2).take_while(|token| is_subject(token)).count();
    let at = articles + subjects;
    let Some(next) = tokens.get(at) else { return tokens };
    let framed = (subjects > 0 && is_predicate(next))
        || is_bare_predicate(next)
        || (mode == Mode::Condition && is_activity(next));
    let about = subjects == 0 && articles == 0 && next.is_any(&["about", "regarding"]);
    if !framed && !about {
        return tokens;
    }
    let mut rest = &tokens[at + 1..];
    while rest.len() > 1 && (is_link(&rest[0]) || is_activity(&rest[0]) || rest[0].is_mark(":")) {
        rest = &rest[1..];
    }
    // "When planning" is about planning.
    if rest.is_empty() { tokens } else { rest }
}

/// The ranges of a phrase: one, or several when it is one word with slashes.
fn parts(text: &str, phrase: &[Token<'_>]) -> Vec<Range<usize>> {
    let (first, last) = (&phrase[0], &phrase[phrase.len() - 1]);
    let mut whole = first.outer.start..last.outer.end;
    for suffix in ["-related", "-specific"] {
        if text[whole.clone()].len() > suffix.len() && text[whole.clone()].ends_with(suffix) {
            whole.end -= suffix.len();
        }
    }
    let word = &text[whole.clone()];
    let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_PART;
    if phrase.len() > 1 || !word.contains('/') || !word.split('/').all(letters) {
        return vec![whole];
    }
    let mut at = whole.start;
    let part = |part: &str| {
        let range = at..at + part.len();
        at = range.end + 1;
        range
    };
    word.split('/').map(part).collect()
}
