//! The conditions of directives.

use std::ops::Range;

use super::terms::{Mode, phrases};
use super::words::{
    begins_forward_reference, ends_as_error, is_activity, is_article, is_copula, is_dash,
    is_discretion, is_forward, is_incomplete, is_link, is_not, is_predicate, is_purpose,
    is_routine, is_routine_verb, is_subject, names_error,
};
use crate::parse::prose::{Token, TokenKind};
use crate::word_list::words;

pub(super) const MAX_WORDS: usize = 5;
const MAX_WORDS_OF_CONDITION: usize = 3;

const CHANGES: [&str; 7] = ["changes", "code", "edits", "make", "making", "write", "writing"];

#[derive(Debug, PartialEq, Eq)]
pub(super) enum RuleCondition {
    Always,
    Present,
    Terms(Terms),
    Listed,
    Unclear,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) wanted: Vec<Range<usize>>,
    pub(super) except: Vec<Range<usize>>,
    pub(super) is_error: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// "On" or "in case of": the rest may be an error.
    Event,
    Case,
    Question,
}

fn opening(tokens: &[Token<'_>]) -> Option<(Opening, usize)> {
    let [first, rest @ ..] = tokens else { return None };
    if first.is_any(&["on", "upon"]) {
        return Some((Opening::Event, 1));
    }
    if first.is_any(&["for", "if", "when", "whenever", "while"]) {
        return Some((Opening::Case, 1 + repeated(rest)));
    }
    if first.is_word("should") && rest.first().is_some_and(|it| is_article(it) || is_subject(it)) {
        return Some((Opening::Case, 1));
    }
    let is_case =
        first.is_word("in") && rest.iter().take(2).any(|it| it.is_any(&["case", "event"]));
    let of = rest.iter().take(3).position(|token| token.is_word("of"))?;
    is_case.then_some((Opening::Event, of + 2))
}

fn repeated(tokens: &[Token<'_>]) -> usize {
    let is_part = |token: &&Token<'_>| {
        token.is_any(&["and", "if", "only", "when", "whenever"]) || token.is_mark("(,)")
    };
    let count = tokens.iter().take_while(is_part).count();
    let says = |words: &[&str]| tokens[..count].iter().any(|token| token.is_any(words));
    if says(&["only"]) && says(&["if", "when", "whenever"]) { count } else { 0 }
}

pub(super) fn opens(tokens: &[Token<'_>]) -> bool {
    opening(tokens).is_some()
}

pub(super) fn read(text: &str, tokens: &[Token<'_>]) -> RuleCondition {
    let Some((opening, length)) = opening(tokens) else {
        let routine = tokens
            .split_first()
            .is_some_and(|(first, rest)| first.is_word("before") && is_always(rest, &CHANGES));
        return if routine { RuleCondition::Always } else { RuleCondition::Unclear };
    };
    let is_last = tokens.last().is_some_and(|token| token.is_mark(":："));
    read_opened(text, opening, &tokens[length..], is_last)
}

pub(super) fn read_case(text: &str, tokens: &[Token<'_>]) -> RuleCondition {
    read_opened(text, Opening::Case, tokens, false)
}

pub(super) fn read_question(text: &str, tokens: &[Token<'_>]) -> RuleCondition {
    read_opened(text, Opening::Question, tokens, false)
}

fn is_always(tokens: &[Token<'_>], more: &[&str]) -> bool {
    let words = || tokens.iter().filter(|token| token.kind != TokenKind::Mark);
    let begins = ["anything", "everything", "any", "each", "every", "all"];
    words().all(|token| is_routine(token) || token.is_any(more))
        && (words().any(|token| is_routine_verb(token) || token.is_any(more))
            || words().next().is_some_and(|it| it.is_any(&begins)))
}

fn is_listed(tokens: &[Token<'_>], is_last: bool) -> bool {
    let words = || tokens.iter().filter(|token| token.kind != TokenKind::Mark);
    let framed = |token: &Token<'_>| {
        is_subject(token)
            || is_predicate(token)
            || is_incomplete(token)
            || is_link(token)
            || begins_forward_reference(token)
            || is_forward(token)
            || is_activity(token)
    };
    if !words().all(framed) {
        return false;
    }
    let content_words = || words().filter(|token| !is_article(token) && !is_link(token));
    let of_words = ["keywords", "phrases", "terms", "topics", "words"];
    let several = words().next().is_some_and(|it| it.is_any(&["all", "any", "one"]))
        && words().any(|it| it.is_any(&of_words));
    let Some(last) = words().next_back() else { return is_last };
    words().any(is_forward)
        || several
        || (!is_article(last) && content_words().next_back().is_some_and(is_incomplete))
        || (is_last && is_link(last) && content_words().any(is_predicate))
        || (is_last && content_words().next_back().is_some_and(is_activity))
}

fn listed(text: &str, tokens: &[Token<'_>], is_last: bool) -> Option<RuleCondition> {
    if is_listed(tokens, is_last) {
        return Some(RuleCondition::Listed);
    }
    let colon = tokens.iter().position(|token| token.is_mark(":"))?;
    is_listed(&tokens[..colon], true).then(|| {
        let terms = read_terms(text, &tokens[colon + 1..], Mode::List, MAX_WORDS);
        terms.map_or(RuleCondition::Unclear, RuleCondition::Terms)
    })
}

const PRESENCE: &[&str] =
    words!("available, configured, exist, exists, file, is, it, present, the, there, they, are");
const EVERY_REQUEST: &[&str] =
    words!("all, any, conversation, each, every, new, request, requests, session, task, tasks");

fn read_opened(text: &str, opening: Opening, tokens: &[Token<'_>], is_last: bool) -> RuleCondition {
    let mut rest = tokens;
    while let [more @ .., last] = rest
        && (last.kind == TokenKind::Mark && !last.is_mark(")")
            || last.is_any(&["then", "always", "please", "only", "first"]))
    {
        rest = more;
    }
    if let Some(condition) = listed(text, rest, is_last) {
        return condition;
    }
    let words = || rest.iter().filter(|token| token.kind != TokenKind::Mark);
    if words().all(|token| token.is_any(PRESENCE))
        && words().any(|token| token.is_any(&["available", "exist", "exists", "present"]))
    {
        return RuleCondition::Present;
    }
    let excepted = exception(text, rest, Mode::Condition);
    let wanted = &rest[..excepted.as_ref().map_or(rest.len(), |(at, _)| *at)];
    let wanted_words = || wanted.iter().filter(|token| token.kind != TokenKind::Mark);
    if wanted_words().next().is_some_and(|token| token.is_any(&["all", "any", "each", "every"]))
        && wanted_words().all(|token| token.is_any(EVERY_REQUEST))
        || is_always(wanted, &[])
    {
        return if excepted.is_some() { RuleCondition::Unclear } else { RuleCondition::Always };
    }
    if words().all(is_discretion) || words().next().is_some_and(is_purpose) {
        return RuleCondition::Unclear;
    }
    let most = match opening {
        Opening::Event => MAX_WORDS,
        Opening::Case | Opening::Question => MAX_WORDS_OF_CONDITION,
    };
    let mode = if opening == Opening::Question { Mode::Question } else { Mode::Condition };
    let quoted = rest.iter().any(|token| token.kind == TokenKind::Quoted);
    if opening != Opening::Event && !quoted && is_denial(wanted) {
        return RuleCondition::Unclear;
    }
    let Some(mut terms) = read_terms(text, rest, mode, most) else {
        return RuleCondition::Unclear;
    };
    terms.is_error |= wanted.iter().any(is_not);
    terms.is_error |= terms.wanted.iter().any(|term| {
        let term = &text[term.clone()];
        let by_end = !quoted && ends_as_error(term);
        let is_state = term.split(' ').any(is_copula) && names_error(term);
        by_end || is_state || (opening == Opening::Event && names_error(term))
    });
    RuleCondition::Terms(terms)
}

fn is_denial(tokens: &[Token<'_>]) -> bool {
    let never = |token: &Token<'_>| token.is_any(&["never", "no", "nothing", "unless", "without"]);
    tokens.iter().enumerate().any(|(at, token)| {
        let next = tokens.get(at + 1);
        let vague = |next: &Token<'_>| {
            next.is_any(&["asked", "asking", "configured", "detected", "discussing", "talking"])
                || next.is_any(PRESENCE)
                || is_predicate(next)
                || is_link(next)
                || is_discretion(next)
                || is_incomplete(next)
        };
        never(token) || (is_not(token) && next.is_none_or(vague))
    })
}

pub(super) fn read_terms(
    text: &str,
    tokens: &[Token<'_>],
    mode: Mode,
    max_words: usize,
) -> Option<Terms> {
    let (wanted, except) = match exception(text, tokens, mode) {
        Some((0, _)) if !is_failure(tokens) => {
            let end = tokens.iter().position(|token| token.is_mark(",;|"))?;
            let (_, except) = exception(text, &tokens[..end], mode)?;
            let mut rest = read_terms(text, &tokens[end + 1..], mode, max_words)?;
            rest.except.splice(0..0, except);
            return Some(rest);
        }
        Some((at, except)) if at > 0 => (&tokens[..at], except),
        _ => (tokens, Vec::new()),
    };
    if wanted.iter().any(|token| token.is_word("unless")) {
        return None;
    }
    let quoted = wanted.iter().any(|token| token.kind == TokenKind::Quoted);
    let wanted = phrases(text, wanted, mode, max_words)?;
    let is_error = !quoted && wanted.iter().any(|term| ends_as_error(&text[term.clone()]));
    Some(Terms { wanted, except, is_error })
}

fn is_failure(tokens: &[Token<'_>]) -> bool {
    let [not, state, ..] = tokens else { return false };
    let word = state.text.to_lowercase();
    let states = ["available", "enough", "found", "possible", "present", "ready", "set", "valid"];
    not.is_word("not")
        && (states.contains(&&*word) || word.ends_with("ed") || word.ends_with("ing"))
}

pub(super) fn only_exceptions(text: &str, tokens: &[Token<'_>]) -> Option<Terms> {
    let (at, except) = exception(text, tokens, Mode::Condition)?;
    let found = Terms { except, ..Terms::default() };
    (at == 0 && !is_failure(tokens)).then_some(found)
}

/// The "not" of "module not found" belongs to the phrase.
pub(super) fn exception(
    text: &str,
    tokens: &[Token<'_>],
    mode: Mode,
) -> Option<(usize, Vec<Range<usize>>)> {
    let leads = |token: &Token<'_>| token.is_any(&["about", "for", "if", "in", "on", "when", "to"]);
    let excepts = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let apart = before.is_none_or(|it| it.is_mark(",;(|") || is_dash(it));
        let joined = before.is_some_and(|it| it.is_any(&["and", "but"]));
        let after = tokens.get(at + 1);
        let led = after.is_some_and(leads);
        let aimed = after.is_some_and(|it| it.is_any(&["for", "when"]));
        match &tokens[at] {
            token if token.is_any(&["except", "excluding"]) => true,
            token if token.is_word("never") => led && (apart || joined),
            token if token.is_word("not") => {
                joined || aimed || (apart && (led || mode != Mode::Error))
            }
            _ => false,
        }
    };
    let at = (0..tokens.len()).find(|&at| excepts(at))?;
    let from = at + 1 + tokens[at + 1..].iter().take_while(|token| leads(token)).count();
    let except = phrases(text, tokens.get(from..)?, Mode::Condition, MAX_WORDS)?;
    let before = tokens[..at].iter().rev();
    let joint = before.take_while(|token| token.is_mark(",;(") || token.is_any(&["but", "and"]));
    Some((at - joint.count(), except))
}
