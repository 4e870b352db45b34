//! Folds the documents of all layers into contexts.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use foldhash::HashSet;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context_id::ContextId;
use crate::diagnostic::{Diagnostic, Reported};
use crate::document::{Document, Layer};
use crate::error::Error;
use crate::file_text::{Digest, digest_of};
use crate::layer::LayerKind;
use crate::line::{self, Line};
use crate::packs;
use crate::parse::frontmatter::FrontMatter;
use crate::resolve::bases::{Bases, lowest_layers, unclear_overlay, without_base};
use crate::resolve::cycles::{Paths, in_a_circle};
use crate::resolve::fold::{self, Folded};
use crate::resolve::include::{self, Expander};
use crate::resolve::index::{
    ReferenceIndex, ReferenceOrigin, Resolution, missing, naming_pack, similar, unknown,
};
use crate::resolve::view::{View, Why};
use crate::rules::{duplicate_context, strategy_without_base, superseded_loop};
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::strategy::Strategy;
use crate::suggest::SuggestionBudget;

const AT_ONCE: usize = 64;

#[derive(Clone, Debug)]
pub struct Context {
    pub id: ContextId,
    pub body: Body,
    pub front: Arc<FrontMatter>,
    pub sources: Vec<SourceRef>,
    /// Even if overridden.
    pub base: LayerKind,
    pub base_layer: usize,
    pub top: LayerKind,
    pub platform: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRef {
    pub file: FileId,
    pub layer: LayerKind,
    pub strategy: Option<Strategy>,
}

#[derive(Clone, Debug)]
pub enum Body {
    Whole(Span),
    Titled { heading: Box<Line>, text: Span },
    Lines(Vec<Line>),
}

impl Body {
    pub fn all_lines(&self, sources: &SourceMap) -> Vec<Line> {
        match self {
            Self::Whole(span) => line::lines_of(sources, span.file, span.range()),
            Self::Titled { heading, text } => {
                let lines = line::lines_of(sources, text.file, text.range());
                line::below(Line::clone(heading), lines, sources)
            }
            Self::Lines(lines) => lines.clone(),
        }
    }

    pub fn lines(&self, sources: &SourceMap) -> Vec<Line> {
        line::trimmed(sources, &self.all_lines(sources)).to_vec()
    }

    pub fn text(&self, sources: &SourceMap) -> String {
        line::join(sources, &self.lines(sources))
    }

    pub(crate) fn digest(&self, sources: &SourceMap) -> Digest {
        match self {
            Self::Whole(span) => span_digest(*span, sources),
            Self::Titled { heading, text } => digest_of([
                heading.text(sources).as_bytes(),
                span_digest(*text, sources).as_slice(),
            ]),
            Self::Lines(lines) => digest_of(lines.iter().map(|line| line.text(sources).as_bytes())),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Whole(span) => span.range().len(),
            Self::Titled { heading, text } => heading.origin.range().len() + text.range().len(),
            Self::Lines(lines) => lines.iter().map(|line| line.origin.range().len() + 1).sum(),
        }
    }
}

fn span_digest(span: Span, sources: &SourceMap) -> Digest {
    let text = sources.get(span.file).text.digest();
    digest_of([text.as_slice(), &span.start.to_le_bytes(), &span.end.to_le_bytes()])
}

pub fn content_hash(text: &str) -> String {
    format!("blake3:{}", blake3::hash(text.as_bytes()).to_hex())
}

impl Context {
    pub fn layers(&self) -> Vec<LayerKind> {
        let mut layers: Vec<_> = self.sources.iter().map(|source| source.layer).collect();
        layers.dedup();
        layers
    }

    pub fn content_hash(&self, sources: &SourceMap) -> String {
        content_hash(&self.body.text(sources))
    }
}

/// A context, or one document of it, that is not used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Excluded {
    /// `category/name`.
    #[schemars(with = "String")]
    pub id: ContextId,
    /// Why.
    #[serde(rename = "reason")]
    pub why: Why,
    /// The details.
    pub detail: String,
    /// The document, when only this one was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub path: Option<Utf8PathBuf>,
}

#[derive(Debug, Default)]
pub struct ContextSet {
    pub contexts: BTreeMap<ContextId, Context>,
    pub aliases: BTreeMap<ContextId, ContextId>,
    pub chains: BTreeMap<ContextId, Vec<FileId>>,
    pub excluded: Vec<Excluded>,
    replaced: BTreeMap<(ContextId, String), Context>,
    pub index: ReferenceIndex,
}

impl ContextSet {
    pub fn named(&self, name: &str, from: ReferenceOrigin<'_>) -> Option<ContextId> {
        if let Resolution::Context(id) = self.index.resolve(name, from) {
            return Some(id);
        }
        let ids = self.contexts.keys().chain(self.aliases.keys());
        let mut called = ids.filter(|id| *id.name == *name);
        let first = called.next();
        let only = first.filter(|_| called.next().is_none());
        ContextId::parse(name).or_else(|| only.cloned())
    }

    /// # Errors
    ///
    /// [`Error::Unknown`] with similar names; [`Error::Usage`] with `help` for an excluded context.
    pub fn look_up(
        &self,
        name: &str,
        from: ReferenceOrigin<'_>,
        help: fn(Why) -> &'static str,
    ) -> Result<&Context, Error> {
        let id = self.named(name, from);
        if let Some(context) = id.as_ref().and_then(|id| self.get(id)) {
            if self.replaced(name, from).is_some() {
                let message = format!("`{name}` is not in use: `{}` replaces it", context.id);
                return Err(Error::usage(message, format!("`faber show {name}` prints it")));
            }
            return Ok(context);
        }
        if let Some(gone) = self.left_out(name, from) {
            let message = format!("`{name}` is left out: {}", gone.detail);
            return Err(Error::usage(message, help(gone.why)));
        }
        let known: Vec<String> = self.contexts.keys().map(ToString::to_string).collect();
        Err(Error::unknown("context", name, known.iter().map(String::as_str)))
    }

    pub fn left_out(&self, name: &str, from: ReferenceOrigin<'_>) -> Option<&Excluded> {
        let id = self.named(name, from).filter(|id| self.get(id).is_none())?;
        self.excluded.iter().find(|gone| gone.id == id)
    }

    pub fn replaced(&self, name: &str, from: ReferenceOrigin<'_>) -> Option<&Context> {
        self.replaced.get(&self.replaced_key(name, from)?)
    }

    fn replaced_key(&self, name: &str, from: ReferenceOrigin<'_>) -> Option<(ContextId, String)> {
        let (pack, _) = packs::names::qualified(name)?;
        let id = self.named(name, from)?;
        Some((self.aliases.get(&id).unwrap_or(&id).clone(), pack.to_owned()))
    }

    pub(crate) fn use_pack_version(
        &mut self,
        name: &str,
        from: ReferenceOrigin<'_>,
        sources: &SourceMap,
    ) {
        let Some(key) = self.replaced_key(name, from) else { return };
        let Some(preferred) = self.replaced.remove(&key) else { return };
        let used: BTreeSet<FileId> = preferred.sources.iter().map(|source| source.file).collect();
        let (id, _) = key;
        let used_paths: BTreeSet<&Utf8Path> = used.iter().map(|file| sources.path(*file)).collect();
        self.excluded.retain(|gone| {
            gone.id != id || !gone.path.as_deref().is_some_and(|path| used_paths.contains(path))
        });
        let Some(was) = self.contexts.insert(id.clone(), preferred) else { return };
        let left = was.sources.iter().filter(|source| !used.contains(&source.file));
        self.excluded.extend(left.map(|source| Excluded {
            id: id.clone(),
            why: Why::Overridden,
            detail: format!("by {name}"),
            path: Some(sources.path(source.file).to_owned()),
        }));
        self.excluded.sort();
    }

    pub fn suggest(
        &self,
        text: &str,
        sources: &SourceMap,
        guesses: &mut SuggestionBudget,
    ) -> Option<String> {
        if !guesses.take() {
            return None;
        }
        similar(text, &self.paths(sources).collect::<Vec<_>>())
    }

    pub(crate) fn paths<'a>(
        &'a self,
        sources: &'a SourceMap,
    ) -> impl Iterator<Item = (&'a ContextId, &'a Utf8Path)> {
        self.contexts.values().flat_map(|context| {
            context.sources.iter().map(|source| (&context.id, sources.path(source.file)))
        })
    }

    pub fn missing(
        &self,
        reference: &Spanned<String>,
        sources: &SourceMap,
        guesses: &mut SuggestionBudget,
        otherwise: impl FnOnce() -> Option<String>,
    ) -> Diagnostic {
        let close = self.suggest(&reference.value, sources, guesses).or_else(otherwise);
        naming_pack(missing(reference, close), &reference.value, self.paths(sources))
    }

    pub fn get(&self, id: &ContextId) -> Option<&Context> {
        self.contexts.get(self.aliases.get(id).unwrap_or(id))
    }
}

pub fn resolve(
    documents: &[&Document],
    layers: &[Layer],
    view: &View,
    expander: &Expander<'_>,
) -> Reported<ContextSet> {
    let mut found = Vec::new();
    let index = ReferenceIndex::new(expander.sources, documents, layers, expander.role_homes);
    let mut cascade = Cascade { documents, view, expander, index, excluded: Vec::new() };
    cascade.report_escapes(&mut found);
    let eligible = cascade.eligible(&mut found);
    let bases = cascade.bases(&eligible, &mut found);
    let mut chained: Vec<(&ContextId, &Document)> = Vec::with_capacity(eligible.len());
    for document in &eligible {
        let base = bases.of_document.get(&document.file).unwrap_or(&document.id);
        chained.push((base, document));
    }
    chained.sort_by_key(|(id, _)| *id);
    let chains = chained.chunk_by(|(a, _), (b, _)| a == b).map(|chain| {
        let documents: Vec<&Document> = chain.iter().map(|(_, document)| *document).collect();
        let mut found = Vec::new();
        let id = chain[0].0;
        (id, cascade.in_order(id, documents, &bases, &mut found), found)
    });
    let chains: Vec<_> = chains.collect();
    let several = chains.iter().filter(|(_, chain, _)| chain.len() > 1);
    let files = |chain: &[&Document]| chain.iter().map(|document| document.file).collect();
    let several = several.map(|(id, chain, _)| ((*id).clone(), files(chain))).collect();
    let lowest = OnceLock::new();
    let has_base = |document: &Document| {
        let lowest = lowest.get_or_init(|| lowest_layers(documents));
        lowest.get(&document.id).is_some_and(|layer| *layer < document.layer)
    };
    let fold = |(id, chain, mut found): (&ContextId, Vec<&Document>, Vec<Diagnostic>)| {
        if chain[0].front.fields.strategy.is_some() && !has_base(chain[0]) {
            fold::warn_without_base(chain[0], &mut found);
        }
        let folded = fold::fold(id, &chain, expander, &mut found);
        let replaced = fold::of_packs(id, &chain, &folded.overridden, expander);
        (id.clone(), folded, replaced, found)
    };
    let folded: Vec<_> = chains.into_par_iter().with_min_len(AT_ONCE).map(fold).collect();
    let mut contexts = Vec::with_capacity(folded.len());
    let mut replaced = BTreeMap::new();
    for (id, Folded { resolved, overridden }, of_packs, found_there) in folded {
        replaced.extend(of_packs.into_iter().map(|(pack, context)| ((id.clone(), pack), context)));
        for (base, by) in overridden {
            cascade.excluded.push(Excluded {
                id: id.clone(),
                why: Why::Overridden,
                detail: format!("by {}", expander.sources.path(by)),
                path: Some(expander.sources.path(base).to_owned()),
            });
        }
        found.extend(found_there);
        contexts.push((id, resolved));
    }
    let contexts: BTreeMap<ContextId, Context> = contexts.into_iter().collect();
    let mut excluded = cascade.excluded;
    let extending: BTreeSet<&Utf8Path> = documents
        .iter()
        .filter(|document| document.front.fields.extends.is_some())
        .map(|document| expander.sources.path(document.file))
        .collect();
    for entry in &mut excluded {
        let extends = entry.path.as_deref().is_some_and(|path| extending.contains(path));
        if let Some(base) = bases.of_id.get(&entry.id).filter(|_| extends) {
            entry.id = base.clone();
        }
    }
    excluded.sort();
    excluded.dedup();
    let mut whole: Option<ContextId> = None;
    for entry in &mut excluded {
        if !contexts.contains_key(&entry.id) && whole.as_ref() != Some(&entry.id) {
            entry.path = None;
            whole = Some(entry.id.clone());
        }
    }
    let aliases = bases.of_id;
    let index = cascade.index;
    let catalog = ContextSet { contexts, aliases, chains: several, excluded, replaced, index };
    Reported { value: catalog, diagnostics: found }
}

struct Cascade<'a> {
    documents: &'a [&'a Document],
    view: &'a View,
    expander: &'a Expander<'a>,
    index: ReferenceIndex,
    excluded: Vec<Excluded>,
}

impl<'a> Cascade<'a> {
    fn sources(&self) -> &'a SourceMap {
        self.expander.sources
    }

    fn leave_out(&mut self, document: &Document, why: Why, detail: String) {
        let path = Some(self.sources().path(document.file).to_owned());
        self.excluded.push(Excluded { id: document.id.clone(), why, detail, path });
    }

    fn target(&self, document: &Document, reference: &str) -> Resolution {
        let from = self.expander.from(document.file);
        self.index.resolve_field(reference, from)
    }

    fn suggest(&self, text: &str) -> Option<String> {
        let visible = self.documents.iter().filter(|it| self.view.may_see(&it.front.fields));
        let known = visible.map(|it| (&it.id, self.sources().path(it.file)));
        similar(text, &known.collect::<Vec<_>>())
    }

    fn report_escapes(&self, found: &mut Vec<Diagnostic>) {
        for document in self.documents {
            let fields = &document.front.fields;
            if !self.view.may_see(fields) {
                continue;
            }
            let references =
                fields.related.iter().chain(&fields.extends).chain(&fields.superseded_by);
            for reference in references {
                if self.target(document, &reference.value) == Resolution::Outside {
                    found.push(include::outside(reference.span, &reference.value));
                }
            }
        }
    }

    fn eligible(&mut self, found: &mut Vec<Diagnostic>) -> Vec<&'a Document> {
        let mut eligible = Vec::new();
        let documents = self.documents;
        let lowest = LazyCell::new(|| lowest_layers(documents));
        for document in documents.iter().copied() {
            let fields = &document.front.fields;
            if fields.is_unreadable {
                let detail = "the front matter cannot be read".to_owned();
                self.leave_out(document, Why::Invalid, detail);
            } else if self.view.may_see(fields) {
                let unclear =
                    || fields.strategy_unclear.and_then(|_| unclear_overlay(document, &lowest));
                match self.view.leaves_out(fields).or_else(unclear) {
                    Some((why, detail)) => self.leave_out(document, why, detail),
                    None => eligible.push(document),
                }
            }
        }
        let ids = LazyCell::new(|| -> HashSet<&ContextId> {
            eligible.iter().map(|document| &document.id).collect()
        });
        let mut successors: BTreeMap<&ContextId, (ContextId, &Document)> = BTreeMap::new();
        let mut superseded = Vec::new();
        for document in &eligible {
            let Some(by) = &document.front.fields.superseded_by else { continue };
            if document.id.role.is_some() {
                continue;
            }
            let Resolution::Context(target) = self.target(document, &by.value) else { continue };
            if ids.contains(&target) {
                superseded.push((*document, target.clone()));
                successors.entry(&document.id).or_insert((target, document));
            }
        }
        let loops = superseded_loops(&successors, found);
        let mut gone = BTreeSet::new();
        for (document, target) in superseded {
            if !loops.contains(&document.id) {
                gone.insert(document.file);
                self.leave_out(document, Why::Superseded, format!("by {target}"));
            }
        }
        eligible.retain(|document| !gone.contains(&document.file));
        self.leave_out_overlays(&mut eligible);
        eligible
    }

    /// If access hides the base, its overlays are hidden too.
    fn leave_out_overlays(&mut self, eligible: &mut Vec<&'a Document>) {
        let extended = |overlay: &Document| {
            let extends = overlay.front.fields.extends.as_ref();
            let extends = extends.filter(|_| overlay.id.role.is_none())?;
            match self.target(overlay, &extends.value) {
                Resolution::Context(target) => Some(target),
                _ => None,
            }
        };
        let without_base = without_base(self.documents, eligible, extended);
        if without_base.is_empty() {
            return;
        }
        let reasons = self.excluded.iter().map(|gone| (gone.path.clone(), gone.clone()));
        let mut reasons: BTreeMap<_, _> = reasons.collect();
        for (overlay, base) in &without_base {
            let path = self.sources().path(base.file).to_owned();
            let Some(Excluded { why, detail, .. }) = reasons.get(&Some(path)).cloned() else {
                continue;
            };
            self.leave_out(overlay, why, format!("{detail} (its base)"));
            let gone = self.excluded.last().cloned();
            reasons.extend(gone.map(|gone| (gone.path.clone(), gone)));
        }
        let gone: BTreeSet<FileId> = without_base.iter().map(|(overlay, _)| overlay.file).collect();
        eligible.retain(|document| !gone.contains(&document.file));
    }

    fn bases(&self, eligible: &[&'a Document], found: &mut Vec<Diagnostic>) -> Bases {
        let lowest = LazyCell::new(|| lowest_layers(eligible));
        let (mut bases, mut guesses) = (Bases::default(), SuggestionBudget::default());
        for document in eligible {
            let Some(extends) = &document.front.fields.extends else { continue };
            if document.id.role.is_some() {
                continue;
            }
            match self.target(document, &extends.value) {
                Resolution::Context(target) if target == document.id => {}
                Resolution::Context(target) => match lowest.get(&target) {
                    Some(&layer) if layer <= document.layer => {
                        bases.of_document.insert(document.file, target);
                    }
                    Some(_) => found.push(extends_above(extends, &target)),
                    None => {}
                },
                Resolution::Outside => {}
                Resolution::Missing | Resolution::Other => {
                    let close = guesses.take().then(|| self.suggest(&extends.value)).flatten();
                    found.push(unknown(extends, close));
                }
            }
        }
        bases.follow(eligible, found);
        bases
    }

    fn in_order(
        &mut self,
        id: &ContextId,
        mut chain: Vec<&'a Document>,
        bases: &Bases,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<&'a Document> {
        let sources = self.sources();
        let extends = |document: &Document| document.front.fields.extends.is_some();
        chain.sort_by_key(|document| {
            (document.layer, bases.steps(document), sources.path(document.file))
        });
        let mut kept: Vec<&Document> = Vec::with_capacity(chain.len());
        for document in chain {
            let twin = kept.iter().find(|other| {
                other.layer == document.layer
                    && other.id == document.id
                    && !extends(other)
                    && !extends(document)
            });
            let Some(twin) = twin else {
                kept.push(document);
                continue;
            };
            let path = sources.path(twin.file);
            let message = format!("`{}` is defined twice in one layer", document.id);
            let finding = duplicate_context::RULE.at(name_span(document), message);
            let finding = finding.related(name_span(twin), format!("`{path}` is used"));
            found.push(finding.help("rename or remove one of the two files"));
            self.leave_out(document, Why::Invalid, format!("`{path}` has the same identity"));
        }
        let place = |document: &Document| (document.layer, bases.steps(document));
        fold::report_ties(id, &kept, |a, b| place(a) == place(b), self.expander, found);
        kept
    }
}

fn extends_above(extends: &Spanned<String>, target: &ContextId) -> Diagnostic {
    let message = format!("`{target}` is defined in a higher layer only");
    strategy_without_base::RULE
        .at(extends.span, message)
        .label("has no base below it")
        .help("an overlay must be in a higher layer than its base; this one has no base")
}

pub fn name_span(document: &Document) -> Span {
    let name = document.front.fields.name.as_ref();
    name.map_or_else(|| Span::start_of(document.file), |name| name.span)
}

fn superseded_loops(
    successors: &BTreeMap<&ContextId, (ContextId, &Document)>,
    found: &mut Vec<Diagnostic>,
) -> BTreeSet<ContextId> {
    let next = successors.iter().map(|(&id, (target, _))| (id, target));
    let paths = Paths::new(&next.collect());
    let span =
        |id: &ContextId| successors[id].1.front.fields.superseded_by.as_ref().map(|by| by.span);
    found.extend(paths.cycles.iter().map(|cycle| {
        let steps = cycle.iter().map(|&id| (id, span(id)));
        in_a_circle(&superseded_loop::RULE, "a cycle of `superseded_by`", steps)
            .help("remove it from the context that is valid")
    }));
    paths.cycles.iter().flatten().map(|&id| id.clone()).collect()
}

#[cfg(test)]
impl Context {
    pub(crate) fn of_file(name: &str, file: FileId, sources: &SourceMap) -> Self {
        use crate::category::Category;
        use crate::parse::frontmatter::{self, FrontKind};

        let parsed = frontmatter::read(sources, file, FrontKind::Context).value;
        Self {
            id: ContextId::new(Category::Playbook, name),
            body: Body::Whole(Span::new(file, parsed.body, sources.get(file).text.len())),
            front: parsed.front.into(),
            sources: Vec::new(),
            base: LayerKind::Project,
            base_layer: 0,
            top: LayerKind::Project,
            platform: None,
        }
    }
}
