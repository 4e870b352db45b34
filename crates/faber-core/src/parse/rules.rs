//! What a role's prompt says about when to load which context.
//!
//! People write it as tables, as lists with arrows, as sentences, and as headings or labels over a list.
//! `reader.rs` walks the blocks of a prompt, `lead.rs` has what a block says of the next; `sentence.rs` reads one sentence, `condition.rs` the condition
//! in it, `terms.rs` the phrases of that, and `table.rs` a table. What is clearly a directive becomes a
//! [`Rule`], a [`Load`] or nothing but a [`Directive`]; everything else stays text. `emit.rs` writes the
//! prompt without the directives that are carried out.

mod condition;
mod emit;
mod lead;
mod reader;
mod sentence;
mod table;
mod terms;
mod units;
pub(crate) mod words;

use std::ops::Range;

pub use emit::emitted;
pub use reader::read;
pub(crate) use table::is_rule_table;

use crate::diagnostic::Diagnostic;
use crate::rules::unread_rule;
use crate::source::Spanned;

/// What faber read out of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptRules {
    /// What is loaded on a condition, in order.
    pub rules: Vec<Rule>,
    /// What is loaded with every request, in order.
    pub loads: Vec<Load>,
    /// What can be left out of the prompt once it is carried out.
    pub directives: Vec<Directive>,
    /// The first lines of the items of each numbered list.
    pub lists: Vec<Vec<usize>>,
    /// References that are to be loaded on a condition that was not understood.
    pub unread: Vec<Spanned<String>>,
}

/// One rule: any of its terms selects its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the terms are matched against.
    pub kind: RuleKind,
    /// The terms as they are written, without quotation marks and mark-up.
    pub terms: Vec<Spanned<String>>,
    /// The terms that must not be met.
    pub except: Vec<Spanned<String>>,
    /// The reference to a context, or a pattern for several.
    pub target: Spanned<String>,
    /// Whether that need not exist.
    pub optional: bool,
}

/// What the terms of a [`Rule`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Keywords, for the request.
    Keyword,
    /// Errors, for the error text and the request.
    Error,
    /// Patterns for the files at hand.
    Files,
    /// Names of platforms. Detection decides about these; the rule selects nothing.
    Platform,
}

impl Rule {
    /// This rule, with the keywords that are patterns for files in a rule of their own.
    fn by_kind(mut self) -> impl Iterator<Item = Self> {
        let is_glob = |term: &Spanned<String>| terms::is_glob(&term.value);
        let of_files = match self.kind {
            RuleKind::Keyword => self.terms.extract_if(.., |term| is_glob(term)).collect(),
            _ => Vec::new(),
        };
        let files = Self { kind: RuleKind::Files, terms: of_files, ..self.clone() };
        [self, files].into_iter().filter(|rule| !rule.terms.is_empty())
    }
}

/// Something to be loaded with every request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The reference to a context, or a pattern for several.
    pub target: Spanned<String>,
    /// Whether it need not exist.
    pub optional: bool,
}

/// Lines that ask for something, to be left out once that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The lines of the prompt, from 0.
    pub lines: Range<usize>,
    /// Lines that belong to them: while one of these stays, so do they.
    pub below: Range<usize>,
    /// What they ask for.
    pub asks: Vec<Ask>,
}

/// What a [`Directive`] asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The reference to a context, or a pattern for several.
    pub target: Spanned<String>,
    /// What carries it out.
    pub need: Need,
    /// Whether the target need not exist.
    pub optional: bool,
}

/// What carries out an [`Ask`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Only the text in the bundle.
    Text,
    /// The text, or a catalog that says when to get it.
    Known,
}

/// The finding about a reference that is to be loaded on a condition that was not understood.
pub(crate) fn unread(target: &Spanned<String>) -> Diagnostic {
    let message =
        format!("no rule was recognized in this line, so it never loads `{}`", target.value);
    unread_rule::RULE.at(target.span, message)
        .help("write `\"keyword\" | \"keyword\" → Load FILE`, or a row of a table with keywords and files")
}

/// The finding about a word in a column of contexts that is no reference to one, but almost.
pub(crate) fn misspelled(target: &Spanned<String>, close: &str) -> Diagnostic {
    let message = format!("`{}` is not a reference to a context", target.value);
    unread_rule::RULE.at(target.span, message).help(format!("did you mean `{close}`?"))
}

/// The finding about a phrase that holds what few requests do, if it is one.
pub(crate) fn unmatchable(term: &Spanned<String>) -> Option<Diagnostic> {
    let is_several = || term.value.contains(' ') && term.value.split(' ').any(terms::is_slash_list);
    let mut odd = [" / ", "e.g.", "i.e."].into_iter().filter(|odd| term.value.contains(odd));
    let message = match odd.next() {
        Some(odd) => format!("no request matches `{}`: it contains `{}`", term.value, odd.trim()),
        None if is_several() => format!("`{}` only matches with the slash", term.value),
        None => return None,
    };
    let found = unread_rule::RULE.at(term.span, message);
    Some(found.help("write each keyword on its own, between commas"))
}

#[cfg(test)]
mod tests;
