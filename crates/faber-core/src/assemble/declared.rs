//! The keywords, errors and loads of a role's prompts, resolved to contexts.

use std::collections::BTreeMap;

use crate::assemble::resolved::ResolvedPack;
use crate::context_id::ContextId;
use crate::parse::rules::{PromptLoad, RuleKind, SelectionRule};
use crate::prompt::Prompt;
use crate::select::targets::{TargetResolution, resolve_target};
use crate::source::{SourceMap, Span, Spanned};

#[derive(Clone, Debug)]
pub struct Declared {
    pub id: ContextId,
    pub kind: RuleKind,
    pub term: Spanned<String>,
}

/// Declarations of prompts. `terms` and `loads` need [`Job::weigh`](super::Job::weigh).
#[derive(Clone, Debug, Default)]
pub struct PromptDeclarations {
    pub terms: Vec<Declared>,
    /// With the place of each declaration.
    pub loads: Vec<(ContextId, Span)>,
    /// Contexts that an exception keeps from loading, with its place.
    pub withheld: BTreeMap<ContextId, String>,
}

impl ResolvedPack {
    /// The rules of a prompt by context.
    pub fn rules<'p>(
        &self,
        sources: &SourceMap,
        prompt: &'p Prompt,
    ) -> BTreeMap<ContextId, Vec<&'p SelectionRule>> {
        self.with_expander(sources, |expander| {
            let mut rules: BTreeMap<ContextId, Vec<&SelectionRule>> = BTreeMap::new();
            for rule in &prompt.rules {
                if let TargetResolution::Contexts(contexts) =
                    resolve_target(&self.catalog, expander, &rule.target)
                {
                    for context in contexts {
                        rules.entry(context.id.clone()).or_default().push(rule);
                    }
                }
            }
            rules
        })
    }

    /// Contexts with the places that name them; empty unless `wanted`.
    pub fn loads(
        &self,
        sources: &SourceMap,
        loads: &[PromptLoad],
        wanted: bool,
    ) -> Vec<(ContextId, Span)> {
        self.with_expander(sources, |expander| {
            let mut found = Vec::new();
            for PromptLoad { target, .. } in loads.iter().filter(|_| wanted) {
                if let TargetResolution::Contexts(contexts) =
                    resolve_target(&self.catalog, expander, target)
                {
                    found.extend(contexts.into_iter().map(|it| (it.id.clone(), target.span)));
                }
            }
            found
        })
    }

    /// Terms with their contexts; empty unless `wanted`.
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
                let TargetResolution::Contexts(contexts) =
                    resolve_target(&self.catalog, expander, &rule.target)
                else {
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
