//! The vocabulary of directives.

mod errors;
mod routine;
mod titles;

pub(crate) use errors::is_status;
pub(super) use errors::{ends_as_error, is_error_type, names_error};
pub(super) use routine::{is_discretion, is_purpose, is_routine, is_routine_verb};
pub(super) use titles::is_title;

use crate::parse::prose::{Token, TokenKind};
use crate::word_list::words;

pub(crate) fn is_load(token: &Token<'_>) -> bool {
    token.is_any(&["load", "loads", "loading"])
}

pub(super) fn is_verb(token: &Token<'_>) -> bool {
    is_load(token)
        || token.is_any(&["read", "see", "use", "consult"])
        || is_verb_of_instruction(token)
}

/// Only at the start of a clause.
pub(super) fn is_verb_of_instruction(token: &Token<'_>) -> bool {
    token.is_any(&["apply", "check", "fetch", "follow", "open", "refer", "study"])
}

pub(super) fn is_order(token: &Token<'_>) -> bool {
    is_load(token) || token.is_any(&["read", "see"])
}

/// Between "Load" and its target.
pub(crate) fn is_filler(token: &Token<'_>) -> bool {
    const FILLERS: &[&str] = words!(
        "all, always, also, and, any, base, company, context, contexts, default, each, file, files",
        "first, from, guide, it, its, organization, overlay, overlays, pattern, patterns, platform",
        "playbook, please, reference, references, role, specialist, specialists, standard",
        "standards, team, the, then, troubleshooting, use, user",
    );
    token.is_any(FILLERS) || is_load(token)
}

/// Before the verb of an order.
pub(super) fn is_opening(token: &Token<'_>) -> bool {
    const OPENING: &[&str] =
        &["critical", "important", "mandatory", "note", "only", "remember", "required", "to"];
    token.is_any(OPENING) || is_leading(token)
}

/// Between a condition and a verb.
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

pub(super) fn is_condition(token: &Token<'_>) -> bool {
    const CONDITIONS: &[&str] = &[
        "after", "before", "during", "for", "if", "on", "once", "unless", "until", "upon", "when",
        "whenever", "while",
    ];
    token.is_any(CONDITIONS)
}

pub(super) fn is_negation(token: &Token<'_>) -> bool {
    is_not(token) || token.is_any(&["except", "excluding", "never", "no", "unless", "without"])
}

pub(super) fn is_not(token: &Token<'_>) -> bool {
    let word = || token.text.to_lowercase();
    token.is_any(&["cannot", "not"])
        || (token.kind == TokenKind::Word && ["n't", "n’t"].iter().any(|it| word().ends_with(it)))
}

pub(super) fn is_exception(token: &Token<'_>) -> bool {
    token.is_any(&["except", "excluding"])
}

pub(super) fn is_article(token: &Token<'_>) -> bool {
    token.is_any(&["a", "an", "any", "the", "some", "their", "our", "your"])
}

pub(super) fn is_subject(token: &Token<'_>) -> bool {
    const SUBJECTS: &[&str] = words!(
        "anything, api, everything, call, change, client, command, conversation, customer, error",
        "it, issue, message, platform, diff, file, prompt, question, questions, request, requests",
        "response, server, somebody, someone, subject, system, task, text, there, they, ticket",
        "tool, topic, tracker, user, users, user's, user’s, we, work, you",
    );
    token.is_any(SUBJECTS)
}

/// With "of" or "on", before the topic.
pub(super) fn is_talk(token: &Token<'_>) -> bool {
    const TALK: &[&str] = words!("discussion, discussions, mention, mentions, question, questions");
    token.is_any(TALK)
}

pub(super) fn is_party(token: &Token<'_>) -> bool {
    const THINGS: &[&str] = &[
        "api", "call", "change", "client", "command", "diff", "error", "file", "issue", "response",
        "server", "system", "tool", "tracker",
    ];
    is_subject(token) && !token.is_any(THINGS)
}

pub(super) fn is_relative(token: &Token<'_>) -> bool {
    token.is_any(&["both", "that", "which", "who", "whose"])
}

pub(super) fn is_reader(token: &Token<'_>) -> bool {
    token.is_any(&["i", "we", "you", "you're", "you’re"])
}

pub(super) fn is_modal(token: &Token<'_>) -> bool {
    token.is_any(&["can", "could", "may", "might", "must", "should", "will", "would"])
}

pub(super) fn is_predicate(token: &Token<'_>) -> bool {
    const PREDICATES: &[&str] = words!(
        "about, are, concerning, covers, regarding, related, ask, asked, asks, concern, concerns",
        "contain, contains, deals, discuss, discusses, encounter, encounters, get, gets, has, have",
        "hit, hits, include, includes, involve, involves, is, matches, mention, mentioned",
        "mentions, need, needs, raises, refers, relates, report, reports, requests, requires",
        "returns, say, says, see, sees, talks, throws, touch, touches, uses, want, wants, work",
        "works",
    );
    token.is_any(PREDICATES)
}

/// Need an object: "the request mentions".
pub(super) fn is_incomplete(token: &Token<'_>) -> bool {
    const INCOMPLETE: &[&str] = words!(
        "about, asks, concerns, contains, covers, includes, involves, involving, is, mentions",
        "mentioning, needs, regarding, requires, says, touches, wants",
    );
    token.is_any(INCOMPLETE)
}

pub(super) fn is_report(token: &Token<'_>) -> bool {
    const REPORTS: &[&str] = words!(
        "contains, encounter, encounters, get, gets, hit, hits, mentions, raises, report, reports",
        "returns, say, says, see, sees, throws",
    );
    token.is_any(REPORTS)
}

pub(super) fn is_forward(token: &Token<'_>) -> bool {
    token.is_any(&["below", "following", "listed", "these", "those"])
}

/// "*any of* these"
pub(super) fn begins_forward_reference(token: &Token<'_>) -> bool {
    const NEXT: &[&str] = words!(
        "all, any, appear, appears, applies, apply, areas, at, cases, conditions, happen, happens",
        "hold, holds, is, are, in, keywords, least, met, occur, occurs, of, one, or, phrases",
        "situations, subjects, terms, things, topics, triggers, true, words, come, comes, up",
    );
    token.is_any(NEXT)
}

/// Needs no subject.
pub(super) fn is_bare_predicate(token: &Token<'_>) -> bool {
    token.is_any(&["asks", "concerns", "contains", "involves", "mentions", "says"])
}

/// Have a topic, after "when".
pub(super) fn is_activity(token: &Token<'_>) -> bool {
    const ACTIVITIES: &[&str] = words!(
        "answering, asked, asking, changing, dealing, debugging, discussing, doing, editing",
        "handling, helping, investigating, modifying, planning, preparing, reviewing, talking",
        "touching, working, writing",
    );
    token.is_any(ACTIVITIES)
}

/// Between a predicate and its topic.
pub(super) fn is_link(token: &Token<'_>) -> bool {
    const LINKS: &[&str] = words!(
        "about, either, for, from, help, into, keyword, keywords, like, matters, of, on, one",
        "related, something, stuff, term, terms, things, to, topics, with, word, words",
    );
    token.is_any(LINKS) || is_article(token)
}

/// "security requests", "an error occurs"
pub(super) fn is_closing(token: &Token<'_>) -> bool {
    const CLOSING: &[&str] = words!(
        "appear, appears, are, come, comes, discussed, exceeded, happen, happens, hit, inquiries",
        "involved, is, issues, matters, mentioned, needed, occur, occurred, occurs, queries",
        "question, questions, raised, reached, related, reported, request, requested, requests",
        "required, returned, tasks, thrown, topic, topics, up, work",
    );
    token.is_any(CLOSING)
}

/// "permission *is* denied"
pub(crate) fn is_copula(word: &str) -> bool {
    ["are", "be", "been", "being", "gets", "has", "have", "is", "was", "were"]
        .iter()
        .any(|copula| word.eq_ignore_ascii_case(copula))
}

/// "File: x.md"
pub(super) fn is_kind(token: &Token<'_>) -> bool {
    const KINDS: &[&str] = words!(
        "context, contexts, document, file, files, guide, path, pattern, playbook, reference",
        "skill, specialist, standard",
    );
    token.is_any(KINDS)
}

pub(super) fn is_and_so_on(token: &Token<'_>) -> bool {
    token.is_any(&["etc", "etc.", "…", "...", "more", "others", "similar", "so", "on"])
}

pub(super) fn is_abbreviation(token: &Token<'_>) -> bool {
    token.is_any(&["e.g", "e.g.", "eg", "i.e", "i.e.", "ie"])
}

pub(super) fn is_for_example(token: &Token<'_>) -> bool {
    const LEADS: &[&str] =
        words!("aka, also, e.g, e.g., eg, example, for, i.e, i.e., including, like, or, such, as");
    token.is_any(LEADS)
}

pub(super) fn is_dash(token: &Token<'_>) -> bool {
    token.is_any(&["—", "–", "-", "--"])
}

/// The target's role in the text, not its topic.
pub(super) fn is_head(token: &Token<'_>) -> bool {
    const HEADS: &[&str] = words!(
        "also, author, background, context, contexts, critical, default, details, docs",
        "documentation, example, examples, first, format, history, important, input, link, links",
        "more, note, output, owner, related, source, sources, status, step, template, version",
    );
    token.is_any(HEADS) || is_kind(token)
}
