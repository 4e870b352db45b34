//! ## What it finds
//!
//! A keyword or error without any letter or digit, and one that the same file has already, in other
//! words or the same: words are compared by their stems, so `audit` matches "audits" and "audited"
//! too.
//!
//! ## Why it matters
//!
//! The first matches nothing, for words are compared and there is none. Of the second only one can
//! ever match, and a reader takes it for something that the other does not catch.
//!
//! ## Example
//!
//! ```yaml
//! keywords: ["???", audit, audits]
//! ```
//!
//! Better:
//!
//! ```yaml
//! keywords: ["question", audit]
//! ```
//!
//! ## How to fix it
//!
//! Write a word that a request could have and no other keyword catches, or remove it.

use std::collections::BTreeMap;

use crate::validate::check::ViewInput;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::document::ContextId;
use faber_core::rule::{Fix, Group, Rule};
use faber_core::select::choose;
use faber_core::select::reason::ReasonKind;
use faber_core::source::{FileId, Spanned};
use faber_core::terms::matcher::Matcher;

pub(crate) const RULE: Rule = Rule {
    code: "unreachable-keyword",
    severity: Severity::Warning,
    group: Group::Selection,
    fix: Fix::None,
    summary: "a keyword that matches nothing, or nothing more than another",
    source: include_str!("unreachable_keyword.rs"),
};

/// Looks at the words of one view.
pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    type Key<'a> = (FileId, ReasonKind, &'a ContextId, &'a [String]);
    let mut known: BTreeMap<Key<'_>, &Spanned<String>> = BTreeMap::new();
    for term in input.terms {
        let word = term.word;
        if Matcher::is_empty_term(&word.value) {
            found.push(choose::unreachable_keyword(word));
            continue;
        }
        let key = (word.span.file, term.kind, &term.context.id, &*term.stems);
        let first = *known.entry(key).or_insert(word);
        if first.span != word.span {
            let message = if first.value == word.value {
                format!("`{}` is here twice", word.value)
            } else {
                format!("`{}` matches what `{}` matches already", word.value, first.value)
            };
            let finding = RULE.at(word.span, message).help("remove one of the two");
            found.push(finding.related(first.span, "catches all of it"));
        }
    }
}
