//! The layers of a run and their selection.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::Utf8PathBuf;

use crate::assemble::job::InstructionKind;
use crate::assemble::listing::RequestTriggers;
use crate::config::Config;
use crate::context_id::ContextId;
use crate::diagnostic::{Diagnostic, Reported};
use crate::document::{Document, Layer};
use crate::error::Error;
use crate::parse::rules::{PromptCache, PromptLoad, RuleKind, SelectionRule};
use crate::prompt::{self, Instruction, Prompt};
use crate::resolve::catalog::{self, ContextSet};
use crate::resolve::include::{Expander, Inclusion};
use crate::resolve::index::ReferenceOrigin;
use crate::resolve::view::View;
use crate::role::{Lineage, Platform};
use crate::select::choose::{self, SelectionInput};
use crate::select::relevance::Ranker;
use crate::select::request::Request;
use crate::select::selection::Selection;
use crate::select::targets::resolve_target;
use crate::source::{FileId, SourceMap, Span, Spanned};

pub struct Read {
    pub prompt: Prompt,
    pub instruction: Option<Instruction>,
    pub triggers: RequestTriggers,
}

#[derive(Clone, Copy)]
pub struct SelectInputs<'a> {
    pub sources: &'a SourceMap,
    pub config: &'a Config,
    pub prompt: &'a Prompt,
    pub request: &'a Request,
    pub ranker: &'a Arc<Ranker>,
    pub barred: &'a BTreeSet<ContextId>,
}

#[derive(Clone, Debug)]
pub struct InstructionFile {
    pub kind: InstructionKind,
    pub name: String,
    pub file: FileId,
}

#[derive(Debug)]
pub struct ResolvedPack {
    pub pack: Pack,
    pub catalog: ContextSet,
    role_roots: Vec<Utf8PathBuf>,
    role_homes: Vec<Utf8PathBuf>,
    inclusions: BTreeMap<FileId, Inclusion>,
}

impl ResolvedPack {
    pub fn new(
        sources: &SourceMap,
        role_homes: Vec<Utf8PathBuf>,
        pack: Pack,
        found: &mut Vec<Diagnostic>,
    ) -> Self {
        let role_roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let inclusion = |it: &Document| (it.file, Inclusion::of(&pack.view, &it.front.fields));
        let inclusions = pack.documents.iter().map(inclusion).collect();
        let catalog = ContextSet::default();
        let mut resolved = Self { pack, catalog, role_roots, role_homes, inclusions };
        let catalog = resolved.with_expander(sources, |expander| {
            let pack = &resolved.pack;
            let documents: Vec<_> = pack.documents.iter().collect();
            catalog::resolve(&documents, &pack.layers, &pack.view, expander)
        });
        resolved.catalog = catalog.drain_into(found);
        resolved
    }

    /// Names with a pack mean its contexts, even replaced ones.
    pub(crate) fn use_pack_versions(&mut self, sources: &SourceMap, names: &[String]) {
        let role_root = self.role_roots.first().map(Utf8PathBuf::as_path);
        let from = ReferenceOrigin { path: "".into(), role_root };
        for name in names {
            self.catalog.use_pack_version(name, from, sources);
        }
    }

    fn with_expander<T>(&self, sources: &SourceMap, run: impl FnOnce(&Expander<'_>) -> T) -> T {
        let inclusion = |file: FileId| match self.inclusions.get(&file) {
            Some(inclusion) => inclusion.clone(),
            None => Inclusion::of_file(&self.pack.view, sources, file),
        };
        let role_root = self.role_roots.first().map(Utf8PathBuf::as_path);
        run(&Expander { sources, role_root, role_homes: &self.role_homes, inclusion: &inclusion })
    }

    pub fn read(
        &self,
        sources: &SourceMap,
        instruction: Option<InstructionFile>,
        keep_directives: bool,
        known: Option<&PromptCache>,
    ) -> Reported<Read> {
        let mut found = Vec::new();
        let value = self.with_expander(sources, |expander| {
            let platform = self.pack.platform.as_ref();
            let lineage = self.pack.lineage.as_ref();
            let read = lineage
                .map(|lineage| prompt::read(lineage, platform, keep_directives, expander, known));
            let mut prompt = read.map(|read| read.drain_into(&mut found)).unwrap_or_default();
            let path = instruction.as_ref().map(|it| sources.path(it.file));
            prompt.resolve(&self.catalog, expander, path);
            let instruction = instruction.map(|InstructionFile { kind, name, file }| {
                prompt::instruction(kind.name(), &name, file, expander, &mut found)
            });
            let triggers = RequestTriggers::new(&self.catalog, &prompt.rules, expander);
            Read { prompt, instruction, triggers }
        });
        Reported { value, diagnostics: found }
    }

    /// # Errors
    ///
    /// See [`choose::select`].
    pub fn select(&self, inputs: &SelectInputs<'_>) -> Result<Reported<Selection>, Error> {
        let SelectInputs { sources, config, prompt, request, ranker, barred } = *inputs;
        let custom = self.customs(sources);
        self.with_expander(sources, |expander| {
            choose::select(SelectionInput {
                catalog: &self.catalog,
                expander,
                platform: self.pack.platform.as_ref(),
                rules: &prompt.rules,
                loads: &prompt.loads,
                custom: &custom,
                request,
                config: &config.selection,
                weights: config.search.weights,
                ranker,
                barred,
            })
        })
    }

    fn customs(&self, sources: &SourceMap) -> Vec<(Spanned<String>, Option<ContextId>)> {
        let of_file = |file: FileId| self.catalog.index.of_path(sources.path(file)).cloned();
        let named = |reference: &Spanned<String>, file: Option<FileId>| match file {
            Some(file) => Some((reference.clone(), Some(of_file(file)?))),
            None => is_name(&reference.value).then(|| (reference.clone(), None)),
        };
        self.pack.custom.iter().filter_map(|(reference, file)| named(reference, *file)).collect()
    }
}

fn is_name(text: &str) -> bool {
    use crate::parse::references::{Reference, parse_field};
    matches!(parse_field(text).0, Reference::Name { .. } | Reference::Id { .. })
}

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
        for (rule, id) in self.targets(sources, prompt) {
            rules.entry(id).or_default().push(rule);
        }
        rules
    }

    fn targets<'p>(
        &self,
        sources: &SourceMap,
        prompt: &'p Prompt,
    ) -> Vec<(&'p SelectionRule, ContextId)> {
        self.with_expander(sources, |expander| {
            let targets = prompt.rules.iter().flat_map(|rule| {
                let contexts = resolve_target(&self.catalog, expander, &rule.target).contexts();
                contexts.into_iter().map(move |context| (rule, context.id.clone()))
            });
            targets.collect()
        })
    }

    pub fn declared(&self, sources: &SourceMap, prompt: &Prompt) -> Vec<Declared> {
        let targets = self.targets(sources, prompt).into_iter();
        let declared = targets.flat_map(|(rule, id)| {
            let declared = move |term| Declared { id: id.clone(), kind: rule.kind, term };
            rule.terms.iter().cloned().map(declared)
        });
        declared.collect()
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

#[derive(Debug)]
pub struct Pack {
    pub lineage: Option<Lineage>,
    pub platform: Option<Platform>,
    pub layers: Vec<Layer>,
    pub documents: Vec<Document>,
    pub custom: Vec<(Spanned<String>, Option<FileId>)>,
    pub view: View,
}
