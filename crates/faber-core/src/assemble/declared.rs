//! Keywords, errors and loads in a role's prompts.

use std::collections::BTreeMap;

use crate::assemble::resolved::ResolvedPack;
use crate::context_id::ContextId;
use crate::parse::rules::{PromptLoad, RuleKind, SelectionRule};
use crate::prompt::Prompt;
use crate::select::selection::Selection;
use crate::select::targets::resolve_target;
use crate::source::{SourceMap, Span, Spanned};

#[derive(Clone, Debug)]
pub struct Declared {
    pub id: ContextId,
    pub kind: RuleKind,
    pub term: Spanned<String>,
}

#[derive(Clone, Debug, Default)]
pub struct PromptDeclarations {
    pub terms: Vec<Declared>,
    pub loads: Vec<(ContextId, Span)>,
    pub withheld: BTreeMap<ContextId, String>,
    pub least_relevance: Option<f64>,
    /// For other files that the request asks for.
    pub elsewhere: Vec<ContextId>,
}

impl PromptDeclarations {
    pub(crate) fn of(selection: &Selection) -> Self {
        let Selection { withheld, least_relevance, elsewhere, .. } = selection;
        let (withheld, elsewhere) = (withheld.clone(), elsewhere.clone());
        let least_relevance = *least_relevance;
        Self { withheld, least_relevance, elsewhere, ..Self::default() }
    }
}

impl ResolvedPack {
    pub fn rules<'p>(
        &self,
        sources: &SourceMap,
        prompt: &'p Prompt,
    ) -> BTreeMap<ContextId, Vec<&'p SelectionRule>> {
        let mut rules: BTreeMap<ContextId, Vec<&SelectionRule>> = BTreeMap::new();
        self.for_each_rule(sources, prompt, |rule, id| {
            rules.entry(id.clone()).or_default().push(rule);
        });
        rules
    }

    fn for_each_rule<'p>(
        &self,
        sources: &SourceMap,
        prompt: &'p Prompt,
        mut add: impl FnMut(&'p SelectionRule, &ContextId),
    ) {
        self.with_expander(sources, |expander| {
            for rule in &prompt.rules {
                let target = resolve_target(&self.catalog, expander, &rule.target);
                target.contexts().into_iter().for_each(|context| add(rule, &context.id));
            }
        });
    }

    pub fn declared(&self, sources: &SourceMap, prompt: &Prompt) -> Vec<Declared> {
        let mut declared = Vec::new();
        self.for_each_rule(sources, prompt, |rule, id| {
            declared.extend(rule.terms.iter().cloned().map(|term| Declared {
                id: id.clone(),
                kind: rule.kind,
                term,
            }));
        });
        declared
    }

    pub(crate) fn declare(
        &self,
        sources: &SourceMap,
        prompt: &Prompt,
        declared: &mut PromptDeclarations,
    ) {
        declared.terms = self.declared(sources, prompt);
        declared.loads = self.with_expander(sources, |expander| {
            let mut found = Vec::new();
            for PromptLoad { target, .. } in &prompt.loads {
                let contexts = resolve_target(&self.catalog, expander, target).contexts();
                found.extend(contexts.into_iter().map(|it| (it.id.clone(), target.span)));
            }
            found
        });
    }
}
