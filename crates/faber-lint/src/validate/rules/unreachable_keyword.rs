use std::collections::BTreeMap;

use crate::validate::check::ViewInput;
use faber_core::context_id::ContextId;
use faber_core::diagnostic::Diagnostic;
use faber_core::rules::unreachable_keyword::RULE;
use faber_core::select::choose;
use faber_core::select::reason::ReasonKind;
use faber_core::source::{FileId, Spanned};
use faber_core::terms::matcher::Matcher;

pub(crate) fn check(input: &ViewInput<'_>, found: &mut Vec<Diagnostic>) {
    type KeywordKey<'a> = (FileId, ReasonKind, &'a ContextId, &'a [String]);
    let mut known: BTreeMap<KeywordKey<'_>, &Spanned<String>> = BTreeMap::new();
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
                format!("duplicate `{}`", word.value)
            } else {
                format!("`{}` matches nothing more than `{}`", word.value, first.value)
            };
            let finding = RULE.at(word.span, message).help("remove one of the two");
            found.push(finding.related(first.span, "matches the same"));
        }
    }
}
