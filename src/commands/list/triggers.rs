//! `faber list triggers`: keywords and errors of front matter and prompts.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::category::{Category, Load};
use faber_core::context_id::ContextId;
use faber_core::parse::rules::RuleKind;
use faber_core::select::choose;
use faber_core::source::Spanned;
use faber_session::session::{ResolvedView, read_prompt};

/// A phrase that loads a context, or keeps a rule from loading it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TriggerRow {
    /// The phrase as it is declared.
    pub phrase: String,
    /// What it is matched against.
    pub kind: TriggerKind,
    /// The context.
    #[schemars(with = "String")]
    pub context: ContextId,
    /// The file that declares it.
    pub path: String,
    /// The line.
    pub line: usize,
}

faber_core::named_enum! {
    /// What a phrase is matched against.
    pub(crate) enum TriggerKind {
        /// The request.
        Keyword = "keyword",
        /// The error text and the request.
        Error = "error",
        /// The files at hand, as a pattern.
        Files = "files",
        /// Request and error text; where it matches, the rule does not load the context.
        Exclusion = "exclusion",
    }
}

pub(super) fn rows(view: &mut ResolvedView) -> Vec<TriggerRow> {
    let read = read_prompt(&mut view.workspace, &view.resolved);
    let rules = view.resolved.rules(&view.workspace.sources, &read.prompt);
    let sources = &view.workspace.sources;
    let mut rows = Vec::new();
    for context in view.resolved.catalog.contexts.values() {
        if choose::load_of(context) == Load::Never {
            continue;
        }
        let mut add = |kind, terms: &[Spanned<String>]| {
            rows.extend(terms.iter().map(|term| {
                let at = sources.original(term.span);
                TriggerRow {
                    phrase: term.value.clone(),
                    kind,
                    context: context.id.clone(),
                    path: sources.path(at.file).to_string(),
                    line: sources.get(at.file).line(at.start),
                }
            }));
        };
        add(TriggerKind::Keyword, &context.front.fields.keywords);
        add(TriggerKind::Error, &context.front.fields.errors);
        // Platform contexts load by detection.
        if context.id.category == Category::Platform {
            continue;
        }
        for rule in rules.get(&context.id).into_iter().flatten() {
            let kind = match rule.kind {
                RuleKind::Keyword => TriggerKind::Keyword,
                RuleKind::Error => TriggerKind::Error,
                RuleKind::Files => TriggerKind::Files,
                RuleKind::Platform => continue,
            };
            add(kind, &rule.terms);
            add(TriggerKind::Exclusion, &rule.except);
        }
    }
    rows
}

pub(super) fn cells(row: &TriggerRow) -> Vec<String> {
    vec![
        row.phrase.clone(),
        row.kind.name().to_owned(),
        row.context.to_string(),
        format!("{}:{}", row.path, row.line),
    ]
}
