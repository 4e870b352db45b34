//! The keywords and errors that make contexts load, from front matter and prompts.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::ContextId;
use crate::parse::rules::{RuleKind, SelectionRule};
use crate::resolve::catalog::Catalog;
use crate::resolve::include::Expander;
use crate::select::targets::{Named, named};
use crate::source::Spanned;
use crate::terms::words;

/// Maximum length of a context's errors in the catalog, in characters.
const ERRORS: usize = 240;
/// The same for keywords, which matter less: the reader knows the request, but not the errors to
/// come.
const KEYWORDS: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct RequestTriggers(BTreeMap<ContextId, Words>);

#[derive(Clone, Debug, Default)]
struct Words {
    errors: Vec<String>,
    keywords: Vec<String>,
    /// File patterns from prompts.
    files: Vec<String>,
    known: BTreeSet<(bool, Vec<String>)>,
}

impl RequestTriggers {
    /// The rank of contexts without triggers.
    pub(crate) const NONE: u8 = 2;

    /// The triggers of all contexts: from front matter, then from the rules of prompts.
    pub fn new(catalog: &Catalog, rules: &[SelectionRule], expander: &Expander<'_>) -> Self {
        let mut triggers = Self::default();
        for context in catalog.contexts.values() {
            triggers.add(&context.id, false, &context.front.fields.keywords);
            triggers.add(&context.id, true, &context.front.fields.errors);
        }
        for rule in rules.iter().filter(|rule| rule.kind != RuleKind::Platform) {
            if let Named::Contexts(contexts) = named(catalog, expander, &rule.target) {
                for context in contexts {
                    if rule.kind == RuleKind::Files {
                        let words = triggers.0.entry(context.id.clone()).or_default();
                        words.files.extend(rule.terms.iter().map(|term| term.value.clone()));
                    } else {
                        triggers.add(&context.id, rule.kind == RuleKind::Error, &rule.terms);
                    }
                }
            }
        }
        triggers
    }

    fn add(&mut self, id: &ContextId, is_error: bool, terms: &[Spanned<String>]) {
        for term in terms {
            let stems = words::stems(&term.value);
            let words = self.0.entry(id.clone()).or_default();
            if !stems.is_empty() && words.known.insert((is_error, stems)) {
                let list = if is_error { &mut words.errors } else { &mut words.keywords };
                list.push(term.value.trim_matches('"').to_owned());
            }
        }
    }

    /// Sort key of the catalog: errors before keywords before none.
    pub fn rank(&self, id: &ContextId) -> u8 {
        match self.0.get(id) {
            Some(words) if !words.errors.is_empty() => 0,
            Some(words) if !words.keywords.is_empty() || !words.files.is_empty() => 1,
            _ => Self::NONE,
        }
    }

    /// The triggers in a catalog line: `on: AuthenticationError; for: security, audit`.
    pub fn line(&self, id: &ContextId) -> Option<String> {
        let words = self.0.get(id)?;
        let part = |what: &str, words: &[String], most| {
            (!words.is_empty()).then(|| format!("{what}: {}", shortened(words, most)))
        };
        let parts = [
            part("on", &words.errors, ERRORS),
            part("for", &words.keywords, KEYWORDS),
            part("files", &words.files, KEYWORDS),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Comma-separated words, at most `most` bytes.
fn shortened(words: &[String], most: usize) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() && text.len() + word.len() > most {
            return text + ", …";
        }
        let comma = if text.is_empty() { "" } else { ", " };
        text.push_str(comma);
        text.push_str(word);
    }
    text
}
