//! The rules in a role's prompt: when to load which context.
//!
//! They are tables, lists with arrows, sentences, and headings or labels over a list. `reader.rs`
//! walks the blocks of a prompt, `lead.rs` has what a block says of the next; `sentence.rs` reads
//! one sentence, `condition.rs` its condition, `terms.rs` the phrases of that, and `table.rs` a
//! table. A clear directive becomes a [`SelectionRule`], a [`PromptLoad`] or only a [`PromptDirective`]; everything else
//! is text. `emit.rs` writes the prompt without the directives that are carried out.

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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptRules {
    /// Conditional loads, in order.
    pub rules: Vec<SelectionRule>,
    /// Unconditional loads, in order.
    pub loads: Vec<PromptLoad>,
    /// Lines to leave out of the prompt once they are carried out.
    pub directives: Vec<PromptDirective>,
    /// The first lines of the items of each numbered list.
    pub lists: Vec<Vec<usize>>,
    /// References with a condition that was not understood.
    pub unread: Vec<Spanned<String>>,
}

/// One rule: any of its terms selects its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectionRule {
    pub kind: RuleKind,
    /// Without quotation marks and markup.
    pub terms: Vec<Spanned<String>>,
    /// The terms that keep the rule from firing.
    pub except: Vec<Spanned<String>>,
    /// The reference to a context, or a pattern for several.
    pub target: Spanned<String>,
    /// Whether it may be missing.
    pub optional: bool,
}

/// The kind of terms of a [`SelectionRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Keywords, for the request.
    Keyword,
    /// Errors, for the error text and the request.
    Error,
    /// Patterns for the files at hand.
    Files,
    /// Names of platforms, which are for detection; the rule selects nothing.
    Platform,
}

impl SelectionRule {
    /// Splits off the keywords that are file patterns into a rule of their own.
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

/// A load with every request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptLoad {
    /// The reference to a context, or a pattern for several.
    pub target: Spanned<String>,
    /// Whether it may be missing.
    pub optional: bool,
}

/// Lines to leave out of the prompt once they are carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptDirective {
    /// The lines of the prompt, from 0.
    pub lines: Range<usize>,
    /// Lines below that must go for these to go.
    pub below: Range<usize>,
    pub asks: Vec<DirectiveTarget>,
}

/// A reference in a [`PromptDirective`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveTarget {
    /// The reference to a context, or a pattern for several.
    pub target: Spanned<String>,
    pub need: Need,
    /// Whether it may be missing.
    pub optional: bool,
}

/// What carries out an [`DirectiveTarget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Only the text in the bundle.
    Text,
    /// The text, or a catalog that says when to get it.
    Known,
}

/// The finding about a reference with a condition that was not understood.
pub(crate) fn unread(target: &Spanned<String>) -> Diagnostic {
    let message =
        format!("no rule was recognized in this line, so it never loads `{}`", target.value);
    unread_rule::RULE.at(target.span, message)
        .help("write `\"keyword\" | \"keyword\" → Load FILE`, or a row of a table with keywords and files")
}

/// The finding about a misspelled reference in a column of contexts.
pub(crate) fn misspelled(target: &Spanned<String>, close: &str) -> Diagnostic {
    let message = format!("`{}` is not a reference to a context", target.value);
    unread_rule::RULE.at(target.span, message).help(format!("did you mean `{close}`?"))
}

/// The finding about a phrase that few requests contain, if it is one.
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
