//! Reads from a role's prompt when to load which context. Start at `reader`.

mod cache;
mod condition;
mod emit;
mod lead;
mod reader;
mod sentence;
mod table;
mod terms;
mod types;
mod units;
mod unread;
pub(crate) mod words;

pub use cache::PromptCache;
pub use emit::emitted;
pub use reader::read;
pub(crate) use table::is_rule_table;
pub use types::{
    DirectiveTarget, Need, PromptDirective, PromptLoad, PromptRules, RuleKind, SelectionRule,
};

use crate::diagnostic::Diagnostic;
use crate::rules::unread_rule;
use crate::source::Spanned;

pub(crate) fn unread(target: &Spanned<String>) -> Diagnostic {
    let message =
        format!("no rule for `{}` was recognized, so this line never loads it", target.value);
    unread_rule::RULE.at(target.span, message)
        .help("write `\"keyword\" | \"keyword\" → Load FILE`, or a row of a table with keywords and files")
}

pub(crate) fn misspelled(target: &Spanned<String>, close: &str) -> Diagnostic {
    let message = format!("`{}` is not a reference to a context", target.value);
    unread_rule::RULE.at(target.span, message).help(format!("did you mean `{close}`?"))
}

pub(crate) fn unmatchable(term: &Spanned<String>) -> Option<Diagnostic> {
    let is_several = || term.value.contains(' ') && term.value.split(' ').any(terms::is_slash_list);
    let mut odd = [" / ", "e.g.", "i.e."].into_iter().filter(|odd| term.value.contains(odd));
    let message = match odd.next() {
        Some(odd) => format!("no request matches `{}`: it contains `{}`", term.value, odd.trim()),
        None if is_several() => format!("`{}` matches only requests with the slash", term.value),
        None => return None,
    };
    let found = unread_rule::RULE.at(term.span, message);
    Some(found.help("write each keyword on its own, between commas"))
}

#[cfg(test)]
mod proptests;
#[cfg(test)]
mod tests;
