//! The keywords and errors that load contexts, from front matter and prompts.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::HashMap;

use crate::context_id::ContextId;
use crate::parse::fields::Fields;
use crate::parse::frontmatter::FrontMatter;
use crate::parse::rules::{RuleKind, SelectionRule};
use crate::resolve::catalog::ContextSet;
use crate::resolve::include::Expander;
use crate::select::targets::resolve_target;
use crate::terms::matcher::Matcher;
use crate::terms::words;

/// In bytes.
const ERRORS: usize = 240;
/// Lower, because the reader knows the request but not future errors.
const KEYWORDS: usize = 100;

// Only looked up, never iterated.
#[derive(Clone, Debug, Default)]
pub struct RequestTriggers(HashMap<ContextId, ContextTriggers>);

#[derive(Clone, Debug, Default)]
struct ContextTriggers {
    front: Option<Arc<FrontMatter>>,
    /// True for errors.
    terms: Vec<(bool, String)>,
    files: Vec<String>,
}

impl RequestTriggers {
    pub(crate) const NONE: u8 = 2;

    /// From front matter, then from prompts.
    pub fn new(catalog: &ContextSet, rules: &[SelectionRule], expander: &Expander<'_>) -> Self {
        let mut triggers = Self::default();
        for (id, context) in &catalog.contexts {
            let fields = &context.front.fields;
            if !fields.keywords.is_empty() || !fields.errors.is_empty() {
                let front = Some(Arc::clone(&context.front));
                triggers.0.insert(id.clone(), ContextTriggers { front, ..Default::default() });
            }
        }
        for rule in rules.iter().filter(|rule| rule.kind != RuleKind::Platform) {
            let terms = || rule.terms.iter().map(|term| term.value.clone());
            for context in resolve_target(catalog, expander, &rule.target).contexts() {
                let own = triggers.0.entry(context.id.clone()).or_default();
                match rule.kind {
                    RuleKind::Files => own.files.extend(terms()),
                    kind => own.terms.extend(terms().map(|term| (kind == RuleKind::Error, term))),
                }
            }
        }
        triggers
    }

    /// Sort key: errors, keywords, none.
    pub fn rank(&self, id: &ContextId) -> u8 {
        let Some(own) = self.0.get(id) else { return Self::NONE };
        if own.all().any(|(is_error, term)| is_error && !Matcher::is_empty_term(term)) {
            0
        } else if !own.files.is_empty() || own.all().any(|(_, term)| !Matcher::is_empty_term(term))
        {
            1
        } else {
            Self::NONE
        }
    }

    /// Such as `on: AuthenticationError; for: security, audit`.
    pub fn line(&self, id: &ContextId) -> Option<String> {
        let own = self.0.get(id)?;
        let part = |what: &str, words: &[&str], most| {
            (!words.is_empty()).then(|| format!("{what}: {}", shortened(words, most)))
        };
        let files: Vec<&str> = own.files.iter().map(String::as_str).collect();
        let parts = [
            part("on", &own.words(true), ERRORS),
            part("for", &own.words(false), KEYWORDS),
            part("files", &files, KEYWORDS),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl ContextTriggers {
    fn all(&self) -> impl Iterator<Item = (bool, &str)> {
        let declared = self.front.iter().flat_map(|front| {
            let Fields { keywords, errors, .. } = &*front.fields;
            let keywords = keywords.iter().map(|term| (false, term.value.as_str()));
            keywords.chain(errors.iter().map(|term| (true, term.value.as_str())))
        });
        declared.chain(self.terms.iter().map(|(is_error, term)| (*is_error, term.as_str())))
    }

    fn words(&self, errors: bool) -> Vec<&str> {
        let mut known = BTreeSet::new();
        let own = self.all().filter(|(is_error, _)| *is_error == errors);
        let mut is_new = |term: &str| {
            let stems = words::stems(term);
            !stems.is_empty() && known.insert(stems)
        };
        own.filter(|(_, term)| is_new(term)).map(|(_, term)| term.trim_matches('"')).collect()
    }
}

fn shortened(words: &[&str], max_bytes: usize) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() && text.len() + word.len() > max_bytes {
            return text + ", …";
        }
        let comma = if text.is_empty() { "" } else { ", " };
        text.push_str(comma);
        text.push_str(word);
    }
    text
}
