//! Purposes and habits, which are not conditions.

use super::{is_article, is_reader};
use crate::parse::prose::Token;
use crate::word_list::words;

/// "if needed", "when relevant"
pub(crate) fn is_discretion(token: &Token<'_>) -> bool {
    const DISCRETION: &[&str] = words!(
        "applicable, appropriate, as, asked, can, could, demand, desired, doubt, helpful, helps",
        "in, it, like, must, needed, necessary, possible, not, relevant, required, sure, unsure",
        "useful, want, wish, you",
    );
    token.is_any(DISCRETION)
}

pub(crate) fn is_purpose(token: &Token<'_>) -> bool {
    const PURPOSES: &[&str] = words!(
        "background, context, detail, detailed, details, examples, explanation, guidance, help",
        "how, information, instructions, more, reference, what, why",
    );
    token.is_any(PURPOSES)
}

/// "before you answer", "starting a task"
pub(crate) fn is_routine(token: &Token<'_>) -> bool {
    const ROUTINE: &[&str] = words!(
        "all, and, answers, any, anything, conversation, each, else, every, first, message, new",
        "on, or, question, questions, request, requests, response, session, task, tasks, this, to",
        "user, with, work, your",
    );
    is_article(token) || is_reader(token) || is_routine_verb(token) || token.is_any(ROUTINE)
}

pub(crate) fn is_routine_verb(token: &Token<'_>) -> bool {
    const VERBS: &[&str] = words!(
        "act, acting, answer, answering, begin, beginning, begins, do, doing, proceed, proceeding",
        "replying, reply, respond, responding, start, starting, starts, working",
    );
    token.is_any(VERBS)
}
