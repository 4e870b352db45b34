//! What the prompts of a role declare for contexts, resolved to those.

use crate::assemble::Resolved;
use crate::document::ContextId;
use crate::parse::rules::RuleKind;
use crate::resolve::index::Resolution;
use crate::select::choose::PromptRule;
use crate::source::Spanned;
use crate::workspace::{Pack, Workspace};

/// A keyword or error that a prompt declares for a context.
#[derive(Clone, Debug)]
pub struct Declared {
    /// The context.
    pub id: ContextId,
    /// Keyword or error.
    pub kind: RuleKind,
    /// The term.
    pub term: Spanned<String>,
}

impl Resolved {
    /// The terms of `rules`, each with the context that it leads to; none unless they are `wanted`.
    pub(crate) fn declared(
        &self,
        workspace: &Workspace,
        pack: &Pack,
        rules: &[PromptRule],
        wanted: bool,
    ) -> Vec<Declared> {
        if !wanted {
            return Vec::new();
        }
        self.with_expander(&workspace.sources, pack, |expander| {
            let mut declared = Vec::new();
            for PromptRule { rule, .. } in rules {
                let target = &rule.target;
                let from = expander.from(expander.sources.path(target.span.file));
                let Resolution::Context(id) = self.catalog.index.resolve(&target.value, from)
                else {
                    continue;
                };
                let id = self.catalog.aliases.get(&id).unwrap_or(&id);
                let terms = rule.terms.iter().cloned();
                declared.extend(terms.map(|term| Declared {
                    id: id.clone(),
                    kind: rule.kind,
                    term,
                }));
            }
            declared
        })
    }
}
