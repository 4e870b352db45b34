//! Keywords and errors that load contexts.

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

const ERRORS: usize = 240;
/// Fewer than errors: the reader knows the request, but not future errors.
const KEYWORDS: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct RequestTriggers(HashMap<ContextId, ContextTriggers>);

#[derive(Clone, Debug, Default)]
struct ContextTriggers {
    front: Option<Arc<FrontMatter>>,
    terms: Vec<(bool, String)>,
    files: Vec<String>,
}

impl RequestTriggers {
    pub(crate) const NONE: u8 = 2;

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

    /// As in `on: AuthenticationError; for: security, audit`.
    pub fn line(&self, id: &ContextId) -> Option<String> {
        let own = self.0.get(id)?;
        let files = own.files.iter().map(String::as_str).collect();
        let parts = [
            ("on", own.words(true), ERRORS),
            ("for", own.words(false), KEYWORDS),
            ("files", (files, own.files.len()), KEYWORDS),
        ];
        let parts = parts.into_iter().filter(|(_, (words, _), _)| !words.is_empty());
        let parts = parts.map(|(what, (words, least), most)| {
            let shown = fitting(&words, most).max(least);
            let more = if shown < words.len() { ", …" } else { "" };
            format!("{what}: {}{more}", words[..shown].join(", "))
        });
        let parts: Vec<String> = parts.collect();
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
        let of_prompt = self.terms.iter().map(|(is_error, term)| (*is_error, term.as_str()));
        of_prompt.chain(declared)
    }

    /// Also returns how many are from the prompt.
    fn words(&self, errors: bool) -> (Vec<&str>, usize) {
        let mut known = BTreeSet::new();
        let (mut found, mut of_prompt) = (Vec::new(), 0);
        for (at, (is_error, term)) in self.all().enumerate() {
            let stems = words::stems(term);
            if is_error == errors && !stems.is_empty() && known.insert(stems) {
                found.push(term.trim_matches('"'));
                of_prompt += usize::from(at < self.terms.len());
            }
        }
        (found, of_prompt)
    }
}

fn fitting(words: &[&str], max_bytes: usize) -> usize {
    let mut bytes = 0;
    let fits = |word: &&&str| {
        let comma = if bytes == 0 { "" } else { ", " };
        let fits = bytes == 0 || bytes + word.len() <= max_bytes;
        bytes += comma.len() + word.len();
        fits
    };
    words.iter().take_while(fits).count()
}
