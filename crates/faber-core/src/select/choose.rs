//! Gives every context exactly one state.

mod resemblance;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::category::{Category, Load};
use crate::config::{self, Weights};
use crate::context_id::ContextId;
use crate::diagnostic::{Diagnostic, Reported};
use crate::error::Error;
use crate::layer::LayerKind;
use crate::parse::references::{self, Reference};
use crate::parse::rules::{self, PromptLoad, RuleKind, SelectionRule};
use crate::resolve::catalog::{Context, ContextSet, Excluded};
use crate::resolve::include::Expander;
use crate::resolve::index::{ReferenceOrigin, Resolution, naming_pack, unknown};
use crate::resolve::view::Why;
use crate::role::Platform;
use crate::rules::{
    dangling_reference, dangling_related, load_without_effect, unreachable_keyword,
};
use crate::select::globs;
use crate::select::keywords::Keywords;
use crate::select::reason::{Reason, ReasonKind};
use crate::select::relevance::{Question, Ranker};
use crate::select::request::Request;
use crate::select::selection::{Selected, Selection, emission_key, group};
use crate::select::targets::{self, TargetResolution};
use crate::source::Spanned;
use crate::suggest::{self, SuggestionBudget};
use crate::terms::matcher::Matcher;

#[derive(Clone, Copy)]
pub struct SelectionInput<'a> {
    pub catalog: &'a ContextSet,
    pub expander: &'a Expander<'a>,
    pub platform: Option<&'a Platform>,
    pub rules: &'a [SelectionRule],
    pub loads: &'a [PromptLoad],
    pub custom: &'a [(Spanned<String>, Option<ContextId>)],
    pub request: &'a Request,
    pub config: &'a config::SelectionConfig,
    pub weights: Weights,
    pub ranker: &'a Arc<Ranker>,
    /// Never in the bundle.
    pub barred: &'a BTreeSet<ContextId>,
}

/// # Errors
///
/// [`Error::Unknown`] and [`Error::Usage`] for invalid `--with` and `--without`.
pub fn select(inputs: SelectionInput<'_>) -> Result<Reported<Selection>, Error> {
    let mut chooser = Chooser {
        inputs,
        reasons: BTreeMap::new(),
        excepted: BTreeSet::new(),
        at_hand: BTreeSet::new(),
        withheld: BTreeMap::new(),
        selection: Selection::default(),
        guesses: SuggestionBudget::default(),
        found: Vec::new(),
    };
    let SelectionInput { catalog, expander, request, weights, ranker, .. } = inputs;
    let contexts: Vec<&Context> = catalog.contexts.values().collect();
    let Request { text, error, material, before, .. } = request;
    let question = Question { request: text, error, material, before };
    let (declared, scores) = rayon::join(
        || chooser.declared(),
        || ranker.score(question, &contexts, expander.sources, weights),
    );
    let without = declared?;
    let similar = chooser.semantic(scores, &without);
    chooser.related(&similar, true);
    Ok(chooser.finish(&without))
}

#[derive(Clone, Copy)]
struct DeclaredGlob<'a> {
    context: &'a Context,
    glob: &'a Spanned<String>,
    loads: bool,
}

struct Chooser<'a> {
    inputs: SelectionInput<'a>,
    reasons: BTreeMap<&'a ContextId, Vec<Reason>>,
    excepted: BTreeSet<&'a ContextId>,
    at_hand: BTreeSet<&'a ContextId>,
    withheld: BTreeMap<&'a ContextId, String>,
    selection: Selection,
    guesses: SuggestionBudget,
    found: Vec<Diagnostic>,
}

/// Contexts of another role load only by name.
pub fn load_of(context: &Context) -> Load {
    let fields = &context.front.fields;
    if context.id.role.is_some() {
        let never = fields.load.as_ref().is_some_and(|load| load.value == Load::Never);
        return if never { Load::Never } else { Load::OnDemand };
    }
    if let Some(load) = &fields.load {
        return load.value;
    }
    if fields.always_apply || fields.globs.iter().any(|glob| globs::matches_everything(&glob.value))
    {
        return Load::Always;
    }
    if !fields.globs.is_empty() {
        return Load::Files;
    }
    let is_of_organization = context.base == LayerKind::Organization
        || context.sources.iter().any(|source| source.layer == LayerKind::Organization);
    match context.id.category {
        Category::Reference if is_of_organization => Load::Always,
        category => category.row().load,
    }
}

impl<'a> Chooser<'a> {
    fn contexts(&self) -> impl Iterator<Item = &'a Context> + use<'a> {
        self.inputs.catalog.contexts.values()
    }

    fn add(&mut self, id: &'a ContextId, reason: Reason) {
        let reasons = self.reasons.entry(id).or_default();
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }

    fn load(&mut self, context: &'a Context, kind: ReasonKind, detail: String) {
        if load_of(context) != Load::Never {
            self.add(&context.id, Reason::new(kind, detail));
        }
    }

    fn is_foreign(&self, context: &Context) -> bool {
        let detected = self.inputs.platform.map(|platform| &platform.name);
        context.id.category == Category::Platform
            && context.id.role.is_none()
            && context.platform.as_ref() != detected
    }

    fn command_line(&self) -> ReferenceOrigin<'a> {
        ReferenceOrigin { path: "".into(), role_root: self.inputs.expander.role_root }
    }

    fn left_out(&self, name: &str) -> Option<&'a Excluded> {
        self.inputs.catalog.left_out(name, self.command_line())
    }

    fn look_up(&self, name: &str) -> Result<&'a Context, Error> {
        self.inputs.catalog.look_up(name, self.command_line(), |_| "")
    }

    fn declared(&mut self) -> Result<BTreeSet<&'a ContextId>, Error> {
        let without = self.without()?;
        self.pins(&without)?;
        self.loads();
        self.prompt();
        self.defaults();
        self.keywords();
        self.files();
        self.customs();
        self.required();
        let selected = self.reasons.keys().copied().filter(|id| !without.contains(*id));
        self.related(&selected.collect::<Vec<_>>(), false);
        Ok(without)
    }

    fn without(&self) -> Result<BTreeSet<&'a ContextId>, Error> {
        let mut without = BTreeSet::new();
        for name in &self.inputs.request.without {
            if self.left_out(name).is_some() {
                continue;
            }
            let context = self.look_up(name)?;
            if context.front.fields.required {
                return Err(Error::usage(
                    format!("`--without {name}`: this context is required"),
                    "a context with `required: true` is in every bundle",
                ));
            }
            without.insert(&context.id);
        }
        Ok(without)
    }

    fn pins(&mut self, without: &BTreeSet<&ContextId>) -> Result<(), Error> {
        for name in &self.inputs.request.with {
            let unmet = |why: &str| format!("`--with {name}` has no effect: {why}");
            if let Some(gone) = self.left_out(name) {
                self.selection.unmet.push(unmet(&gone.detail));
                continue;
            }
            let context = self.look_up(name)?;
            if without.contains(&context.id) {
                self.selection.unmet.push(unmet("`--without` wins"));
            }
            self.add(&context.id, Reason::new(ReasonKind::Pinned, format!("--with {name}")));
        }
        Ok(())
    }

    fn target(&mut self, reference: &Spanned<String>) -> Option<&'a Context> {
        let catalog = self.inputs.catalog;
        match self.resolution(reference) {
            Resolution::Context(id) => catalog.get(&id),
            Resolution::Missing => {
                self.report_dangling(reference);
                None
            }
            Resolution::Outside => {
                let outside = crate::resolve::include::outside(reference.span, &reference.value);
                self.found.push(outside);
                None
            }
            Resolution::Other => None,
        }
    }

    fn report_dangling(&mut self, reference: &Spanned<String>) {
        let SelectionInput { catalog, expander, .. } = self.inputs;
        let close = catalog.suggest(&reference.value, expander.sources, &mut self.guesses);
        let known = catalog.paths(expander.sources);
        self.found.push(naming_pack(unknown(reference, close), &reference.value, known));
    }

    fn resolution(&self, reference: &Spanned<String>) -> Resolution {
        let SelectionInput { catalog, expander, .. } = self.inputs;
        let from = expander.from(reference.span.file);
        catalog.index.resolve_field(&reference.value, from)
    }

    fn named(&mut self, reference: &Spanned<String>, optional: bool) -> Vec<&'a Context> {
        let SelectionInput { catalog, expander, .. } = self.inputs;
        self.found.extend(self.misspelled(reference));
        match targets::resolve_target(catalog, expander, reference) {
            TargetResolution::Contexts(contexts) => {
                let [context] = contexts[..] else { return contexts };
                if load_of(context) == Load::Never && !reference.value.contains('*') {
                    self.found.push(without_effect(reference, "has `load: never`"));
                }
                contexts
            }
            TargetResolution::Missing if let Some(why) = self.status_of(reference) => {
                self.found.push(without_effect(reference, &why));
                Vec::new()
            }
            TargetResolution::Missing if optional || reference.value.contains('*') => Vec::new(),
            TargetResolution::Missing | TargetResolution::Outside | TargetResolution::Other => {
                self.target(reference).into_iter().collect()
            }
        }
    }

    fn status_of(&self, reference: &Spanned<String>) -> Option<String> {
        let SelectionInput { catalog, expander, .. } = self.inputs;
        let from = expander.from(reference.span.file);
        let Resolution::Context(id) = catalog.index.resolve(&reference.value, from) else {
            return None;
        };
        let mut gone = catalog.excluded.iter().filter(|gone| gone.id == id);
        let by_status = gone.clone().all(|gone| gone.why == Why::Status);
        gone.next().filter(|_| by_status).map(|gone| format!("has {}", gone.detail))
    }

    fn misspelled(&self, reference: &Spanned<String>) -> Option<Diagnostic> {
        let name = &reference.value;
        if name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-')
            || !matches!(references::parse(name).0, Reference::Other)
        {
            return None;
        }
        let ids = || self.inputs.catalog.contexts.keys().filter(|id| id.role.is_none());
        let close = suggest::closest(name, ids().map(|id| &*id.name))?;
        let id = ids().find(|id| *id.name == *close)?;
        Some(rules::misspelled(reference, &id.to_string()))
    }

    fn prompt(&mut self) {
        for PromptLoad { target, optional } in self.inputs.loads {
            let detail = self.place(target);
            for context in self.named(target, *optional) {
                self.load(context, ReasonKind::Prompt, detail.clone());
            }
        }
    }

    fn place(&self, reference: &Spanned<String>) -> String {
        self.inputs.expander.sources.place(reference.span)
    }

    fn loads(&mut self) {
        for reference in &self.inputs.request.loads {
            let Some(context) = self.target(reference) else { continue };
            self.load(context, ReasonKind::Task, self.place(reference));
        }
    }

    fn defaults(&mut self) {
        for context in self.contexts() {
            match (load_of(context), self.inputs.platform) {
                (Load::Always, _) => {
                    self.load(context, ReasonKind::Always, why_always(context));
                }
                (Load::Platform, Some(platform))
                    if context.platform.as_ref() == Some(&platform.name) =>
                {
                    self.load(context, ReasonKind::Platform, platform.chosen_by.clone());
                }
                _ => {}
            }
        }
    }

    fn keywords(&mut self) {
        let mut keywords = Keywords::default();
        for context in self.contexts().filter(|context| context.id.role.is_none()) {
            if load_of(context) == Load::Never || self.is_foreign(context) {
                continue;
            }
            let fields = &context.front.fields;
            let declared = || fields.keywords.iter().chain(&fields.errors);
            let empty = declared().filter(|term| Matcher::is_empty_term(&term.value));
            self.found.extend(empty.map(unreachable_keyword));
            self.found.extend(declared().filter_map(rules::unmatchable));
            keywords.extend(ReasonKind::Keyword, &fields.keywords, &[], &context.id);
            keywords.extend(ReasonKind::Error, &fields.errors, &[], &context.id);
        }
        for rule in self.inputs.rules {
            let kind = match rule.kind {
                RuleKind::Keyword => ReasonKind::Keyword,
                RuleKind::Error => ReasonKind::Error,
                RuleKind::Files | RuleKind::Platform => continue,
            };
            for context in self.named(&rule.target, rule.optional) {
                if context.id.category != Category::Platform && load_of(context) != Load::Never {
                    keywords.extend(kind, &rule.terms, &rule.except, &context.id);
                }
            }
        }
        let request = self.inputs.request;
        let hits = keywords.hits(&request.text, &request.error, self.inputs.expander.sources);
        self.excepted = keywords.excepted(&request.text, &request.error).collect();
        self.withheld = hits.withheld;
        for (id, reason) in hits.reasons {
            self.add(id, reason);
        }
    }

    fn files(&mut self) {
        let mut declared = Vec::new();
        for context in self.contexts().filter(|context| !self.is_foreign(context)) {
            let loads = load_of(context) == Load::Files;
            let globs = context.front.fields.globs.iter();
            declared.extend(globs.map(|glob| DeclaredGlob { context, glob, loads }));
        }
        for rule in self.inputs.rules.iter().filter(|rule| rule.kind == RuleKind::Files) {
            for context in self.named(&rule.target, rule.optional) {
                if load_of(context) != Load::Never {
                    let globs = rule.terms.iter();
                    declared.extend(globs.map(|glob| DeclaredGlob { context, glob, loads: true }));
                }
            }
        }
        let files = &self.inputs.request.files;
        let (mut owners, mut parsed) = (Vec::new(), Vec::new());
        let read = |it: &DeclaredGlob<'_>| {
            !files.is_empty() || (it.loads && !globs::is_plain(&it.glob.value))
        };
        for declared in declared.into_iter().filter(read) {
            match globs::parse(declared.glob) {
                Ok(pattern) => {
                    owners.push(declared);
                    parsed.push(pattern);
                }
                Err(diagnostic) => self.found.extend(declared.loads.then_some(*diagnostic)),
            }
        }
        let first = globs::first_matches(&parsed, files);
        for (DeclaredGlob { context, glob, loads }, first) in owners.into_iter().zip(first) {
            match first {
                Ok(None) => {}
                Ok(Some(_)) if !loads => {
                    self.at_hand.insert(&context.id);
                }
                Ok(Some(file)) => {
                    let file = &files[file];
                    let input = self.inputs.request.inputs.get(file);
                    let from = input.map_or(String::new(), |name| format!(" (diff in {name})"));
                    let detail = format!("{file}{from} matches `{}`", glob.value.trim());
                    let named_parts = globs::named_parts(&glob.value);
                    let reason = Reason { named_parts, ..Reason::new(ReasonKind::Files, detail) };
                    self.add(&context.id, reason);
                }
                Err(why) => self.found.push(globs::invalid(glob, &why)),
            }
        }
    }

    fn customs(&mut self) {
        for (reference, id) in self.inputs.custom {
            let context = match id {
                Some(id) => self.inputs.catalog.get(id),
                None => self.target(reference),
            };
            let Some(context) = context else { continue };
            let detail = format!("custom_contexts in {}", self.place(reference));
            self.load(context, ReasonKind::Custom, detail);
        }
    }

    fn required(&mut self) {
        let own = |context: &&Context| context.id.role.is_none();
        for context in self.contexts().filter(own).filter(|it| it.front.fields.required) {
            if !self.reasons.contains_key(&context.id) {
                self.add(&context.id, Reason::new(ReasonKind::Always, "required: true"));
            }
        }
    }

    /// `is_guess`: the `selected` only resemble the request.
    fn related(&mut self, selected: &[&'a ContextId], is_guess: bool) {
        let mut additions: Vec<(&ContextId, Reason)> = Vec::new();
        for id in selected {
            let Some(context) = self.inputs.catalog.contexts.get(id) else { continue };
            if id.role.is_some() {
                continue;
            }
            let references = context.front.fields.related.iter();
            for reference in references.filter(|reference| !reference.value.is_empty()) {
                let before = self.found.len();
                let target = self.target(reference);
                if target.is_none() && self.resolution(reference) == Resolution::Other {
                    self.report_dangling(reference);
                }
                for found in &mut self.found[before..] {
                    if found.rule() == &dangling_reference::RULE {
                        *found = found.clone().of(&dangling_related::RULE);
                    }
                }
                let Some(target) = target else { continue };
                let foreign = self.is_foreign(target) && !self.reasons.contains_key(&target.id);
                if is_guess && self.excepted.contains(&target.id) {
                    continue;
                }
                if load_of(target) != Load::Never && !foreign && target.id != **id {
                    let required = context.front.fields.required;
                    let lasting = self.reasons[*id].iter().any(|reason| reason.stable);
                    let stable = (lasting || required) && !self.is_foreign(target);
                    let reason = Reason::new(ReasonKind::Related, format!("related to {id}"));
                    additions.push((&target.id, Reason { stable, is_guess, ..reason }));
                }
            }
        }
        for (id, reason) in additions {
            self.add(id, reason);
        }
    }

    fn finish(mut self, without: &BTreeSet<&ContextId>) -> Reported<Selection> {
        let mut selection = std::mem::take(&mut self.selection);
        selection.excluded.clone_from(&self.inputs.catalog.excluded);
        let withheld = std::mem::take(&mut self.withheld).into_iter();
        selection.withheld = withheld.map(|(id, by)| (id.clone(), by)).collect();
        for context in self.contexts() {
            let id = &context.id;
            let excluded = |why, detail: &str| {
                let (id, detail) = (id.clone(), detail.to_owned());
                Excluded { id, why, detail, path: None }
            };
            let reasons = self.reasons.remove(id);
            if without.contains(id) {
                selection.excluded.push(excluded(Why::Without, "--without"));
            } else if let Some(mut reasons) = reasons {
                reasons.sort_by_key(|reason| reason.kind);
                let group = group(context, &reasons);
                selection.selected.push(Selected { id: id.clone(), reasons, group });
            } else if load_of(context) == Load::Never {
                selection.excluded.push(excluded(Why::LoadNever, "load: never"));
            } else {
                selection.catalogued.push(id.clone());
            }
        }
        let contexts = &self.inputs.catalog.contexts;
        selection
            .selected
            .sort_by_cached_key(|selected| emission_key(selected, &contexts[&selected.id]));
        selection.excluded.sort();
        Reported { value: selection, diagnostics: self.found }
    }
}

fn without_effect(reference: &Spanned<String>, why: &str) -> Diagnostic {
    let message = format!("`{}` {why}, so a prompt cannot load it", reference.value);
    load_without_effect::RULE
        .at(reference.span, message)
        .help("change that field, or remove the reference from the prompt")
}

pub fn unreachable_keyword(term: &Spanned<String>) -> Diagnostic {
    let message = format!("`{}` has no letter or digit, so it matches nothing", term.value);
    unreachable_keyword::RULE.at(term.span, message).help("write a word that a request could have")
}

fn why_always(context: &Context) -> String {
    let fields = &context.front.fields;
    if fields.load.is_some() {
        "load: always".to_owned()
    } else if fields.always_apply {
        "alwaysApply: true".to_owned()
    } else if !fields.globs.is_empty() {
        "its globs match every file".to_owned()
    } else {
        let of_whom = match context.id.category {
            Category::Reference => " of the organization",
            _ => "",
        };
        format!("{}{of_whom} always load", context.id.category.row().directory)
    }
}
