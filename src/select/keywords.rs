//! Keywords and errors of all contexts, matched in one pass over the request.

use crate::document::ContextId;
use crate::select::matcher::Matcher;
use crate::select::reason::{Matched, Reason, ReasonKind};
use crate::source::{SourceMap, Spanned};

/// The declared keywords and errors of a run.
#[derive(Debug, Default)]
pub struct Keywords<'a> {
    terms: Vec<Term<'a>>,
}

#[derive(Debug)]
struct Term<'a> {
    kind: ReasonKind,
    declared: &'a Spanned<String>,
    context: &'a ContextId,
}

impl<'a> Keywords<'a> {
    /// Adds what one place declares for one context.
    pub fn extend(
        &mut self,
        kind: ReasonKind,
        declared: &'a [Spanned<String>],
        context: &'a ContextId,
    ) {
        self.terms.extend(declared.iter().map(|declared| Term { kind, declared, context }));
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
