//! Suggests keywords and errors for contexts without any.

mod candidates;
mod errors;
mod rank;
mod term;
mod texts;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use faber_core::category::{Category, Load};
use faber_core::context_id::ContextId;
use faber_core::packs;
use faber_core::parse::rules::{RuleKind, SelectionRule};
use faber_core::resolve::catalog::{Context, ContextSet};
use faber_core::select::choose::load_of;
use faber_core::select::keywords::normalized;
use faber_core::source::{SourceMap, Spanned};
use rank::{Counts, Ranked};
use term::KeywordCandidate;
use texts::KeywordTexts;

pub(crate) use candidates::is_indicative;
pub use term::{SuggestedTerm, TermKind, TermSource};

const MAX_PER_KIND: usize = 6;

/// The suggestions for one context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KeywordSuggestion {
    #[schemars(with = "String")]
    pub id: ContextId,
    /// The file that the context begins in, from the workspace root.
    pub path: String,
    /// The best first; none if no phrase is distinctive.
    pub keywords: Vec<SuggestedTerm>,
    /// The best first.
    pub errors: Vec<SuggestedTerm>,
}

#[derive(Clone, Copy)]
pub struct KeywordInput<'a> {
    pub catalog: &'a ContextSet,
    pub rules: &'a BTreeMap<ContextId, Vec<&'a SelectionRule>>,
    pub sources: &'a SourceMap,
}

/// Equal terms of one category collide.
type TermKey = (TermKind, Category, Vec<String>);

pub fn suggest(input: KeywordInput<'_>) -> Vec<KeywordSuggestion> {
    let contexts = input.catalog.contexts.values().filter(|context| context.id.role.is_none());
    let contexts: Vec<&Context> = contexts.collect();
    let wanted: Vec<bool> = contexts.iter().map(|context| is_wanted(context, &input)).collect();
    let texts: Vec<KeywordTexts> =
        contexts.par_iter().map(|context| KeywordTexts::new(context, input.sources)).collect();
    let candidates = |at: usize| {
        if wanted[at] { candidates::of(&texts[at], contexts[at].id.category) } else { Vec::new() }
    };
    let found: Vec<Vec<KeywordCandidate>> =
        (0..contexts.len()).into_par_iter().map(candidates).collect();
    let counts = Counts::new(&found, &texts);
    let ranked = found.par_iter().enumerate().map(|(at, found)| counts.ranked(at, found));
    let ranked: Vec<Vec<Ranked<'_>>> = ranked.collect();
    let chosen = choose(&ranked, &contexts, taken(&contexts, &input));
    let suggestion = |(at, terms): (usize, Vec<&Ranked<'_>>)| {
        let of_kind = |kind| {
            terms.iter().filter(|term| term.kind == kind).map(|term| term.term.clone()).collect()
        };
        KeywordSuggestion {
            id: contexts[at].id.clone(),
            path: input.sources.path(contexts[at].sources[0].file).to_string(),
            keywords: of_kind(TermKind::Keyword),
            errors: of_kind(TermKind::Error),
        }
    };
    chosen.into_iter().enumerate().filter(|&(at, _)| wanted[at]).map(suggestion).collect()
}

fn choose<'r>(
    ranked: &'r [Vec<Ranked<'r>>],
    contexts: &[&Context],
    mut taken: BTreeSet<TermKey>,
) -> Vec<Vec<&'r Ranked<'r>>> {
    let of_context =
        |(at, ranked): (usize, &'r Vec<Ranked<'r>>)| ranked.iter().map(move |term| (at, term));
    let mut all: Vec<_> = ranked.iter().enumerate().flat_map(of_context).collect();
    all.sort_by_key(|(_, term)| Reverse(term.score));
    let mut chosen: Vec<Vec<&Ranked<'_>>> = vec![Vec::new(); ranked.len()];
    for (at, term) in all {
        let own = chosen[at].iter().filter(|other| other.kind == term.kind);
        let is_needed =
            own.clone().count() < MAX_PER_KIND && own.clone().all(|it| !it.overlaps(term));
        let category = contexts[at].id.category;
        if is_needed && taken.insert((term.kind, category, term.stems.to_vec())) {
            chosen[at].push(term);
        }
    }
    chosen
}

fn is_wanted(context: &Context, input: &KeywordInput<'_>) -> bool {
    let fields = &context.front.fields;
    let by_word = matches!(load_of(context), Load::Keyword | Load::Error | Load::OnDemand);
    let has_rule = |kind: RuleKind| matches!(kind, RuleKind::Keyword | RuleKind::Error);
    let rules = input.rules.get(&context.id);
    let path = input.sources.path(context.sources[0].file);
    by_word
        && !fields.required
        && context.id.category != Category::Platform
        && fields.keywords.is_empty()
        && fields.errors.is_empty()
        && !rules.into_iter().flatten().any(|rule| has_rule(rule.kind))
        && path.components().any(|part| part.as_str() == "contexts")
        && packs::of_path(path).is_none()
}

fn taken(contexts: &[&Context], input: &KeywordInput<'_>) -> BTreeSet<TermKey> {
    let mut taken = BTreeSet::new();
    for context in contexts {
        let mut add = |kind, terms: &[Spanned<String>]| {
            let claims = terms.iter().map(|term| normalized(&term.value));
            taken.extend(claims.map(|stems| (kind, context.id.category, stems)));
        };
        add(TermKind::Keyword, &context.front.fields.keywords);
        add(TermKind::Error, &context.front.fields.errors);
        for rule in input.rules.get(&context.id).into_iter().flatten() {
            match rule.kind {
                RuleKind::Keyword => add(TermKind::Keyword, &rule.terms),
                RuleKind::Error => add(TermKind::Error, &rule.terms),
                RuleKind::Files | RuleKind::Platform => {}
            }
        }
    }
    taken
}
