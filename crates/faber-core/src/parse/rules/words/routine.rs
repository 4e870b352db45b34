//! Purposes and habits, which are not conditions.

use super::{is_article, is_reader};
use crate::parse::prose::Token;
use crate::word_list::words;

vocabulary! {
    /// "if *needed*"
    is_discretion:
        "applicable, appropriate, as, asked, can, could, demand, desired, doubt, helpful, helps",
        "in, it, like, must, needed, necessary, possible, not, relevant, required, sure, unsure",
        "useful, want, wish, you";
    is_purpose:
        "background, context, detail, detailed, details, examples, explanation, guidance, help",
        "how, information, instructions, more, reference, what, why";
    /// "before *you answer*"
    is_routine:
        "all, and, answers, any, anything, conversation, each, else, every, first, message, new",
        "on, or, question, questions, request, requests, response, session, task, tasks, this, to",
        "user, with, work, your" | is_article | is_reader | is_routine_verb;
    is_routine_verb:
        "act, acting, answer, answering, begin, beginning, begins, do, doing, proceed, proceeding",
        "replying, reply, respond, responding, start, starting, starts, working";
}
