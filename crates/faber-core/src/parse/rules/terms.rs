//! Search phrases in lists and conditions.

use std::ops::Range;

use super::words::{
    is_abbreviation, is_activity, is_and_so_on, is_article, is_bare_predicate, is_closing,
    is_copula, is_dash, is_for_example, is_forward, is_link, is_modal, is_not, is_party,
    is_predicate, is_reader, is_relative, is_report, is_subject, is_talk, names_error,
};
use crate::parse::prose::{Token, TokenKind};
use crate::parse::references::is_context;
use crate::terms::matcher::Matcher;

const MAX_UNQUOTED_WORDS: usize = 6;

const MAX_WORDS_JOINED: usize = 3;

/// Of a part of `CI/CD`, in letters.
const MAX_ACRONYM: usize = 3;
const ROOTS: [&str; 8] = ["bin", "cmd", "etc", "lib", "pkg", "src", "usr", "var"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    List,
    Condition,
    Question,
    Error,
}

impl Mode {
    fn is_condition(self) -> bool {
        matches!(self, Self::Condition | Self::Question)
    }
}

pub(super) fn phrases(
    text: &str,
    tokens: &[Token<'_>],
    mode: Mode,
    max_words: usize,
) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let quoted = tokens.iter().any(is_quoted);
    if quoted {
        let unquoted_words = tokens.iter().filter(|token| token.kind == TokenKind::Word).count();
        let marked = |token: &Token<'_>| token.is_mark(",;|");
        if unquoted_words > MAX_UNQUOTED_WORDS && !tokens.iter().any(marked) {
            return None;
        }
    }
    let is_bulleted = tokens.first().is_some_and(is_dash);
    let ends = |at: usize| separates(&tokens[at], mode) || is_bulleted && is_dash(&tokens[at]);
    let several = quoted || (0..tokens.len()).any(ends);
    // "And" precedes the last of several phrases, or joins two long ones.
    let joined = !several
        && mode.is_condition()
        && reduced(tokens, mode).is_some_and(|phrase| count(phrase, mode) > max_words);
    let most = if joined { max_words.min(MAX_WORDS_JOINED) } else { max_words };
    let several = several || joined;
    for group in groups(tokens, |at| ends(at) || several && is_and(tokens, at)) {
        if group.tokens.iter().any(is_quoted) {
            let quoted = group.tokens.iter().filter(|token| is_quoted(token));
            found.extend(quoted.map(|token| token.range.clone()));
            continue;
        }
        let Some(phrase) = reduced(group.tokens, mode) else { continue };
        if phrase.is_empty() {
            continue;
        }
        let is_part = |token: &Token<'_>| {
            token.kind == TokenKind::Word
                || token.is_mark("&")
                || (mode == Mode::Error && token.is_mark(":"))
        };
        let is_clause =
            mode.is_condition() && phrase.iter().any(|it| is_relative(it) || is_forward(it));
        if count(phrase, mode) > most || is_clause || !phrase.iter().all(is_part) {
            if group.in_parentheses {
                continue;
            }
            return None;
        }
        if mode == Mode::Error {
            found.extend(alternatives(text, phrase));
        } else {
            found.extend(parts(text, phrase));
        }
    }
    found.retain(|term| !Matcher::is_empty_term(&text[term.clone()]));
    let is_path = |term: &Range<usize>| is_path(&text[term.clone()]);
    (!found.is_empty() && !found.iter().any(is_path)).then_some(found)
}

fn is_and(tokens: &[Token<'_>], at: usize) -> bool {
    let is_letter = |at: usize| tokens.get(at).is_some_and(|token| token.text.len() == 1);
    let is_name = || at > 0 && is_letter(at - 1) && is_letter(at + 1);
    tokens[at].is_word("and") || (tokens[at].is_mark("&") && !is_name())
}

fn count(phrase: &[Token<'_>], mode: Mode) -> usize {
    let says = |token: &&Token<'_>| {
        let small = is_copula(token.text) || is_article(token) || is_not(token);
        token.kind == TokenKind::Word && !(mode.is_condition() && small)
    };
    phrase.iter().filter(says).count()
}

/// Splits at "or", but not in "No such file or directory".
fn alternatives(text: &str, phrase: &[Token<'_>]) -> Vec<Range<usize>> {
    let clear = |part: &[Token<'_>]| {
        let [word] = part else { return !part.is_empty() };
        names_error(word.text) || word.text.contains(|c: char| c.is_uppercase() || c.is_numeric())
    };
    let all: Vec<_> = phrase.split(|token| token.is_word("or")).collect();
    let (strong, weak): (Vec<_>, Vec<_>) = all.iter().copied().partition(|part| clear(part));
    let whole = (!strong.is_empty() && !weak.is_empty()).then_some(phrase);
    let taken = if strong.is_empty() { weak } else { strong };
    let taken = whole.into_iter().chain(taken).filter(|part| !part.is_empty());
    taken.flat_map(|part| parts(text, part)).collect()
}

fn is_quoted(token: &Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Quoted | TokenKind::Code)
}

fn is_path(text: &str) -> bool {
    let is_command = text.strip_prefix('/').is_some_and(|rest| !rest.contains(['/', '.']));
    text.contains('/') && !is_command && (text.starts_with(['/', '.']) || is_context(text))
        || is_context(text) && text.contains('.')
}

pub(super) fn is_glob(term: &str) -> bool {
    let stars = ["*.", "/*", "**"].iter().any(|sign| term.contains(sign));
    let folder = term.len() > 1 && term.ends_with('/');
    (stars || folder) && !term.contains(char::is_whitespace)
}

fn separates(token: &Token<'_>, mode: Mode) -> bool {
    token.is_mark(",;|，、；")
        || token.is_any(&["and/or", "/", "•", "·", "*"])
        || (mode != Mode::Error && token.is_word("or"))
}

struct TermGroup<'t, 'a> {
    tokens: &'t [Token<'a>],
    in_parentheses: bool,
}

fn groups<'t, 'a>(tokens: &'t [Token<'a>], ends: impl Fn(usize) -> bool) -> Vec<TermGroup<'t, 'a>> {
    let mut groups = Vec::new();
    let (mut from, mut in_parentheses) = (0, false);
    for (at, token) in tokens.iter().enumerate() {
        let (opens, closes) = (token.is_mark("(["), token.is_mark(")]"));
        if opens || closes || ends(at) {
            groups.push(TermGroup { tokens: &tokens[from..at], in_parentheses });
            from = at + 1;
            in_parentheses = opens || (in_parentheses && !closes);
        }
    }
    groups.push(TermGroup { tokens: &tokens[from..], in_parentheses });
    groups
}

fn reduced<'t, 'a>(group: &'t [Token<'a>], mode: Mode) -> Option<&'t [Token<'a>]> {
    let mut rest = without_outer_marks(group);
    if let [label, colon, ..] = rest
        && label.is_any(&["keyword", "keywords", "trigger", "triggers"])
        && colon.is_mark(":")
    {
        rest = &rest[2..];
    }
    while rest.len() > 1 && (is_for_example(&rest[0]) || rest[0].kind == TokenKind::Mark) {
        rest = &rest[1..];
    }
    let is_empty = |token: &Token<'_>| is_and_so_on(token) || is_abbreviation(token);
    if rest.iter().all(|token| is_empty(token) || token.kind == TokenKind::Mark) {
        return None;
    }
    rest = after_frames(rest, mode);
    while rest.len() > 1 && is_article(&rest[0]) {
        rest = &rest[1..];
    }
    while rest.len() > 1 && rest[rest.len() - 1].is_any(&["etc", "…", "..."]) {
        rest = without_outer_marks(&rest[..rest.len() - 1]);
    }
    if mode == Mode::Condition {
        while rest.len() > 1 && is_closing(&rest[rest.len() - 1]) {
            rest = &rest[..rest.len() - 1];
        }
    }
    Some(without_outer_marks(rest))
}

fn without_outer_marks<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let is_mark = |token: &&Token<'_>| token.kind == TokenKind::Mark;
    let from = tokens.iter().take_while(is_mark).count();
    let to = tokens.len() - tokens[from..].iter().rev().take_while(is_mark).count();
    &tokens[from..to]
}

fn after_frames<'t, 'a>(mut tokens: &'t [Token<'a>], mode: Mode) -> &'t [Token<'a>] {
    loop {
        let rest = after_frame(tokens, mode);
        if rest.len() == tokens.len() {
            return tokens;
        }
        tokens = rest;
    }
}

fn after_frame<'t, 'a>(tokens: &'t [Token<'a>], mode: Mode) -> &'t [Token<'a>] {
    let articles = tokens.iter().take_while(|token| is_article(token)).count();
    if let [noun, link, rest @ ..] = &tokens[articles..]
        && mode != Mode::Error
        && is_talk(noun)
        && link.is_any(&["of", "on"])
        && !rest.is_empty()
    {
        return rest;
    }
    let mut subjects =
        tokens[articles..].iter().take(2).take_while(|token| is_subject(token)).count();
    if subjects == 2
        && is_predicate(&tokens[articles + 1])
        && !tokens.get(articles + 2).is_some_and(|next| is_predicate(next) || is_modal(next))
    {
        subjects = 1;
    }
    let subject = &tokens[articles..articles + subjects];
    let from = articles + subjects;
    let modals = tokens[from..].iter().take_while(|token| subjects > 0 && is_modal(token)).count();
    let at = from + modals;
    let Some(next) = tokens.get(at) else { return tokens };
    // "The server is down", but not "the request is a release".
    let says = |next: &Token<'_>| match tokens.get(at + 1) {
        _ if mode == Mode::Error => is_report(next),
        Some(after) if is_copula(next.text) && !next.is_any(&["has", "have"]) => {
            let is_error = subject.last().is_some_and(|it| it.is_any(&["error", "message"]));
            subject.last().is_some_and(is_party)
                || is_link(after)
                || is_activity(after)
                || is_error && names_error(after.text)
        }
        _ => true,
    };
    let framed = (subjects > 0 && is_predicate(next) && says(next))
        || (mode != Mode::Error && is_bare_predicate(next))
        || (mode.is_condition() && is_activity(next));
    let about = subjects == 0 && articles == 0 && next.is_any(&["about", "regarding"]);
    if !framed && !about {
        // "You deploy", but not "the user cannot log in".
        let is_denied = subject.iter().all(is_party) && is_not(next);
        let is_told = subject.iter().all(is_reader) && next.kind == TokenKind::Word;
        let drops = mode.is_condition() && subjects > 0 && (is_denied || is_told);
        return if drops { &tokens[at..] } else { tokens };
    }
    let mut rest = &tokens[at + 1..];
    while rest.len() > 1 && (is_link(&rest[0]) || is_activity(&rest[0]) || rest[0].is_mark(":")) {
        rest = &rest[1..];
    }
    if rest.is_empty() { tokens } else { rest }
}

fn parts(text: &str, phrase: &[Token<'_>]) -> Vec<Range<usize>> {
    let (first, last) = (&phrase[0], &phrase[phrase.len() - 1]);
    let mut whole = first.outer.start..last.outer.end;
    for suffix in ["-related", "-specific"] {
        if text[whole.clone()].len() > suffix.len() && text[whole.clone()].ends_with(suffix) {
            whole.end -= suffix.len();
        }
    }
    let word = &text[whole.clone()];
    if !is_slash_list(word) {
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

pub(super) fn is_slash_list(word: &str) -> bool {
    let letters = |part: &str| part.chars().filter(|c| c.is_alphanumeric()).count();
    let plain = |part: &str| {
        letters(part) > 1
            && part.contains(char::is_alphabetic)
            && !part.contains(['.', '*', '@', ':'])
    };
    word.contains('/')
        && !word.contains(char::is_whitespace)
        && word.split('/').all(plain)
        && word.split('/').any(|part| letters(part) > MAX_ACRONYM)
        && !word.split('/').next().is_some_and(|root| ROOTS.contains(&root))
}
