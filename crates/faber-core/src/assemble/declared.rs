//! The keywords, errors and loads of a role's prompts, resolved to contexts.

use std::collections::BTreeMap;

use crate::assemble::resolved::ResolvedPack;
use crate::document::ContextId;
use crate::parse::rules::{PromptLoad, RuleKind, SelectionRule};
use crate::prompt::Prompt;
use crate::select::targets::{Named, named};
use crate::source::{SourceMap, Span, Spanned};

#[derive(Clone, Debug)]
pub struct Declared {
    pub id: ContextId,
    pub kind: RuleKind,
    pub term: Spanned<String>,
}

/// What prompts declare for the contexts of an assembly.
#[derive(Clone, Debug, Default)]
pub struct PromptDeclarations {
    /// Keywords and errors, with [`Job::weigh`](super::Job::weigh).
    pub terms: Vec<Declared>,
    /// What the prompt loads with every request, each with the place that says so, with
    /// [`Job::weigh`](super::Job::weigh).
    pub loads: Vec<(ContextId, Span)>,
    /// What a keyword or error asks for, and the exception that keeps it from loading, with its place.
    pub withheld: BTreeMap<ContextId, String>,
}

impl ResolvedPack {
    /// The rules of a prompt, by the contexts that they lead to.
    pub fn rules<'p>(
        &self,
        sources: &SourceMap,
        prompt: &'p Prompt,
    ) -> BTreeMap<ContextId, Vec<&'p SelectionRule>> {
        self.with_expander(sources, |expander| {
            let mut rules: BTreeMap<ContextId, Vec<&SelectionRule>> = BTreeMap::new();
            for rule in &prompt.rules {
                if let Named::Contexts(contexts) = named(&self.catalog, expander, &rule.target) {
                    for context in contexts {
                        rules.entry(context.id.clone()).or_default().push(rule);
                    }
                }
            }
            rules
        })
    }

    /// The contexts of `loads`, with the places that name them; empty unless `wanted`.
    pub fn loads(
        &self,
        sources: &SourceMap,
        loads: &[PromptLoad],
        wanted: bool,
    ) -> Vec<(ContextId, Span)> {
        self.with_expander(sources, |expander| {
            let mut found = Vec::new();
            for PromptLoad { target, .. } in loads.iter().filter(|_| wanted) {
                if let Named::Contexts(contexts) = named(&self.catalog, expander, target) {
                    found.extend(contexts.into_iter().map(|it| (it.id.clone(), target.span)));
                }
            }
            found
        })
    }

    /// The terms of `rules`, each with the context that it leads to; none unless they are `wanted`.
    pub fn declared(
        &self,
        sources: &SourceMap,
        rules: &[SelectionRule],
        wanted: bool,
    ) -> Vec<Declared> {
        if !wanted {
            return Vec::new();
        }
        self.with_expander(sources, |expander| {
            let mut declared = Vec::new();
            for rule in rules {
                let Named::Contexts(contexts) = named(&self.catalog, expander, &rule.target) else {
                    continue;
                };
                for context in contexts {
                    let terms = rule.terms.iter().cloned();
                    declared.extend(terms.map(|term| Declared {
                        id: context.id.clone(),
                        kind: rule.kind,
                        term,
                    }));
                }
            }
            declared
        })
    }
}
