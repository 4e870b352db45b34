//! Keywords and errors of all contexts, matched in one pass over the request.

use std::collections::BTreeSet;

use crate::document::ContextId;
use crate::select::reason::{Matched, Reason, ReasonKind};
use crate::source::{SourceMap, Spanned};
use crate::terms::matcher::Matcher;
use crate::terms::words;

/// The declared keywords and errors of a run.
#[derive(Debug, Default)]
pub struct Keywords<'a> {
    terms: Vec<Term<'a>>,
    known: BTreeSet<(ReasonKind, &'a ContextId, Vec<String>)>,
}

/// What makes two terms the same: their stems, or the text of one that matches verbatim.
pub(crate) fn normalized(term: &str) -> Vec<String> {
    if term.starts_with('"') { vec![term.to_owned()] } else { words::stems(term) }
}

#[derive(Debug)]
struct Term<'a> {
    kind: ReasonKind,
    declared: &'a Spanned<String>,
    context: &'a ContextId,
}

impl<'a> Keywords<'a> {
    /// Adds what one place declares for one context. A term that the context has in other words
    /// already (`test` and `tests`) counts once.
    pub fn extend(
        &mut self,
        kind: ReasonKind,
        declared: &'a [Spanned<String>],
        context: &'a ContextId,
    ) {
        for declared in declared {
            if self.known.insert((kind, context, normalized(&declared.value))) {
                self.terms.push(Term { kind, declared, context });
            }
        }
    }

    /// Every match: keywords in the request, errors in the error text and in the request.
    pub fn hits(
        &self,
        request: &str,
        error: &str,
        sources: &SourceMap,
    ) -> Vec<(&'a ContextId, Reason)> {
        if self.terms.is_empty() || (request.is_empty() && error.is_empty()) {
            return Vec::new();
        }
        let words: Vec<&str> = self.terms.iter().map(|term| term.declared.value.as_str()).collect();
        let matcher = Matcher::new(&words);
        let mut hits = Vec::new();
        for (text, name, errors_only) in [(request, "request", false), (error, "error text", true)]
        {
            for hit in matcher.hits(text) {
                let term = &self.terms[hit.term];
                if errors_only && term.kind != ReasonKind::Error {
                    continue;
                }
                let found_term = Matched {
                    keyword: term.declared.value.clone(),
                    start: hit.start,
                    end: hit.end,
                    declared_at: sources.place(term.declared.span),
                };
                let detail = format!("`{}` in the {name}", &text[hit.start..hit.end]);
                let reason =
                    Reason { kind: term.kind, detail, stable: false, matched: Some(found_term) };
                hits.push((term.context, reason));
            }
        }
        hits
    }
}
