//! The vocabulary of directives.

/// `name: "a, b" | other;` makes a function for tokens that are `a`, `b` or `other`.
macro_rules! vocabulary {
    ($($(#[$doc:meta])* $name:ident: $($words:literal),+ $(| $other:ident)*;)+) => {
        $($(#[$doc])* pub(crate) fn $name(token: &Token<'_>) -> bool {
            token.is_any(words!($($words),+)) $(|| $other(token))*
        })+
    };
}

mod errors;
mod routine;
mod titles;

pub(crate) use errors::is_status;
pub(super) use errors::{ends_as_error, is_error_type, names_error};
pub(super) use routine::{is_discretion, is_purpose, is_routine, is_routine_verb};
pub(super) use titles::is_title;

use crate::parse::prose::{Token, TokenKind};
use crate::word_list::words;

vocabulary! {
    is_load: "load, loads, loading";
    is_verb: "read, see, use, consult" | is_load | is_verb_of_instruction;
    is_verb_of_instruction: "apply, check, fetch, follow, open, refer, study";
    is_order: "read, see" | is_load;
    is_filler:
        "all, always, also, and, any, base, company, context, contexts, default, each, file, files",
        "first, from, guide, it, its, organization, overlay, overlays, pattern, patterns, platform",
        "playbook, please, reference, references, role, specialist, specialists, standard",
        "standards, team, the, then, troubleshooting, use, user" | is_load;
    is_opening: "critical, important, mandatory, note, only, remember, required, to" | is_leading;
    is_condition:
        "after, before, during, for, if, on, once, unless, until, upon, when, whenever, while";
    is_negation: "except, excluding, never, no, unless, without" | is_not;
    is_exception: "except, excluding";
    is_article: "a, an, any, the, some, their, our, your";
    is_talk: "discussion, discussions, mention, mentions, question, questions";
    is_subject:
        "anything, api, everything, call, change, client, command, conversation, customer, error",
        "it, issue, message, platform, diff, file, prompt, question, questions, request, requests",
        "response, server, somebody, someone, subject, system, task, text, there, they, ticket",
        "tool, topic, tracker, user, users, user's, user’s, we, work, you";
    is_relative: "both, that, which, who, whose";
    is_reader: "i, we, you, you're, you’re";
    is_modal: "can, could, may, might, must, should, will, would";
    is_predicate:
        "about, are, concerning, covers, regarding, related, ask, asked, asks, concern, concerns",
        "contain, contains, deals, discuss, discusses, encounter, encounters, get, gets, has, have",
        "hit, hits, include, includes, involve, involves, is, matches, mention, mentioned",
        "mentions, need, needs, raises, refers, relates, report, reports, requests, requires",
        "returns, say, says, see, sees, talks, throws, touch, touches, uses, want, wants, work",
        "works";
    is_incomplete:
        "about, asks, concerns, contains, covers, includes, involves, involving, is, mentions",
        "mentioning, needs, regarding, requires, says, touches, wants";
    is_report:
        "contains, encounter, encounters, get, gets, hit, hits, mentions, raises, report, reports",
        "returns, say, says, see, sees, throws";
    is_forward: "below, following, listed, these, those";
    begins_forward_reference:
        "all, any, appear, appears, applies, apply, areas, at, cases, conditions, happen, happens",
        "hold, holds, is, are, in, keywords, least, met, occur, occurs, of, one, or, phrases",
        "situations, subjects, terms, things, topics, triggers, true, words, come, comes, up";
    is_bare_predicate: "asks, concerns, contains, involves, mentions, says";
    is_activity:
        "answering, asked, asking, changing, dealing, debugging, discussing, doing, editing",
        "handling, helping, investigating, modifying, planning, preparing, reviewing, talking",
        "touching, working, writing";
    is_link:
        "about, either, for, from, help, into, keyword, keywords, like, matters, of, on, one",
        "related, something, stuff, term, terms, things, to, topics, with, word, words"
            | is_article;
    is_closing:
        "appear, appears, are, come, comes, discussed, exceeded, happen, happens, hit, inquiries",
        "involved, is, issues, matters, mentioned, needed, occur, occurred, occurs, queries",
        "question, questions, raised, reached, related, reported, request, requested, requests",
        "required, returned, tasks, thrown, topic, topics, up, work";
    is_kind:
        "context, contexts, document, file, files, guide, path, pattern, playbook, reference",
        "skill, specialist, standard";
    is_and_so_on: "etc, etc., …, ..., more, others, similar, so, on";
    is_abbreviation: "e.g, e.g., eg, i.e, i.e., ie";
    is_for_example:
        "aka, also, e.g, e.g., eg, example, for, i.e, i.e., including, like, or, such, as";
    is_dash: "—, –, -, --";
    /// The target's role in the text, not its topic.
    is_head:
        "also, author, background, context, contexts, critical, default, details, docs",
        "documentation, example, examples, first, format, history, important, input, link, links",
        "more, note, output, owner, related, source, sources, status, step, template, version"
            | is_kind;
}

pub(super) fn is_leading(token: &Token<'_>) -> bool {
    const LEADING: &[&str] =
        &["always", "also", "first", "must", "now", "please", "should", "then", "you"];
    token.is_any(LEADING) || token.is_mark(":,.()")
}

/// Before the object, these mean that it is no order.
pub(super) fn is_prose(token: &Token<'_>) -> bool {
    const PROSE: &[&str] = &[
        "are", "as", "at", "by", "can", "has", "have", "if", "in", "is", "of", "on", "or", "to",
        "was", "were", "when", "which", "with",
    ];
    token.is_any(PROSE) || matches!(token.kind, TokenKind::Arrow | TokenKind::Quoted)
}

pub(super) fn is_tail(token: &Token<'_>) -> bool {
    const TAIL: &[&str] = words!(
        "always, available, context, contexts, exist, exists, first, if, it, optional, overlay",
        "present, required, they",
    );
    token.kind == TokenKind::Mark || token.is_any(TAIL)
}

pub(super) fn is_not(token: &Token<'_>) -> bool {
    let word = || token.text.to_lowercase();
    token.is_any(&["cannot", "not"])
        || (token.kind == TokenKind::Word && ["n't", "n’t"].iter().any(|it| word().ends_with(it)))
}

pub(super) fn is_party(token: &Token<'_>) -> bool {
    const THINGS: &[&str] = &[
        "api", "call", "change", "client", "command", "diff", "error", "file", "issue", "response",
        "server", "system", "tool", "tracker",
    ];
    is_subject(token) && !token.is_any(THINGS)
}

pub(crate) fn is_copula(word: &str) -> bool {
    ["are", "be", "been", "being", "gets", "has", "have", "is", "was", "were"]
        .iter()
        .any(|copula| word.eq_ignore_ascii_case(copula))
}
