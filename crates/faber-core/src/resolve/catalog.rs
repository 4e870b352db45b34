//! The fold of all layers: documents in, resolved contexts out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::{Diagnostic, Reported};
use crate::document::{ContextId, Document, Layer};
use crate::error::Error;
use crate::layer::LayerKind;
use crate::line::{self, Line};
use crate::parse::frontmatter::FrontMatter;
use crate::parse::references::is_markdown;
use crate::resolve::cycles::Paths;
use crate::resolve::fold;
use crate::resolve::include::{self, Expander};
use crate::resolve::index::{From, Index, Resolution};
use crate::resolve::view::{View, Why};
use crate::rule::Rule;
use crate::rules::{
    dangling_reference, duplicate_context, extends_cycle, strategy_without_base, superseded_loop,
};
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::strategy::Strategy;
use crate::suggest;

/// A context as it is after all layers have had their say.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Its identity: that of the lowest document.
    pub id: ContextId,
    /// Its text.
    pub body: Body,
    /// Its front matter, merged.
    pub front: Arc<FrontMatter>,
    /// The documents that its text and front matter come from, lowest first.
    pub sources: Vec<SourceRef>,
    /// The layer that it stands at in a bundle: that of its lowest document, overridden or not.
    pub base: LayerKind,
    /// The position of that layer among all layers of the run.
    pub base_layer: usize,
    /// The highest layer that contributes.
    pub top: LayerKind,
    /// The platform that it belongs to.
    pub platform: Option<String>,
}

/// One document that contributes to a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRef {
    /// The file.
    pub file: FileId,
    /// Its layer.
    pub layer: LayerKind,
    /// How it was combined with what lies below; none for the lowest.
    pub strategy: Option<Strategy>,
}

/// The text of a context.
#[derive(Clone, Debug)]
pub enum Body {
    /// These bytes of one file, as they are. Most contexts are, and need no lines until shown.
    Whole(Span),
    /// Lines of several files.
    Lines(Vec<Line>),
}

impl Body {
    /// All lines, each with its origin.
    pub fn all_lines(&self, sources: &SourceMap) -> Vec<Line> {
        match self {
            Self::Whole(span) => line::lines_of(sources, span.file, span.range()),
            Self::Lines(lines) => lines.clone(),
        }
    }

    /// The lines, each with its origin, without blank lines around them.
    pub fn lines(&self, sources: &SourceMap) -> Vec<Line> {
        line::trimmed(sources, &self.all_lines(sources)).to_vec()
    }

    /// The text with LF line endings, without blank lines around it.
    pub fn text(&self, sources: &SourceMap) -> String {
        line::join(sources, &self.lines(sources))
    }

    /// Its size in bytes, near enough for an estimate.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Whole(span) => span.range().len(),
            Self::Lines(lines) => lines.iter().map(|line| line.origin.range().len() + 1).sum(),
        }
    }
}

impl Resolved {
    /// The layers that contribute, lowest first, each once.
    pub fn layers(&self) -> Vec<LayerKind> {
        let mut layers: Vec<_> = self.sources.iter().map(|source| source.layer).collect();
        layers.dedup();
        layers
    }
}

/// A document, or a whole context, that is not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excluded {
    /// The context.
    pub id: ContextId,
    /// Why.
    pub why: Why,
    /// The particulars, in words.
    pub detail: String,
    /// The document, when only this one is left out.
    pub path: Option<Utf8PathBuf>,
}

/// All contexts of one view.
#[derive(Debug, Default)]
pub struct Catalog {
    /// The contexts, by identity.
    pub contexts: BTreeMap<ContextId, Resolved>,
    /// Identities of overlays that only extend, and the context that each works on.
    pub aliases: BTreeMap<ContextId, ContextId>,
    /// The documents of each context that several are made into, lowest first; those that have no
    /// effect too.
    pub chains: BTreeMap<ContextId, Vec<FileId>>,
    /// What is not used, and why.
    pub excluded: Vec<Excluded>,
    /// What references mean.
    pub index: Index,
}

impl Catalog {
    /// What a name on the command line means: a reference, an identity, or the bare name of a
    /// context when no other one has it.
    pub fn named(&self, name: &str, from: From<'_>) -> Option<ContextId> {
        if let Resolution::Context(id) = self.index.resolve(name, from) {
            return Some(id);
        }
        let ids = self.contexts.keys().chain(self.aliases.keys());
        let mut called = ids.filter(|id| *id.name == *name);
        let first = called.next();
        let only = first.filter(|_| called.next().is_none());
        ContextId::parse(name).or_else(|| only.cloned())
    }

    /// The context that a name on the command line means.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] with what is close, [`Error::Usage`] with `help` when it is left out.
    pub fn look_up(&self, name: &str, from: From<'_>, help: &str) -> Result<&Resolved, Error> {
        let id = self.named(name, from);
        if let Some(context) = id.as_ref().and_then(|id| self.get(id)) {
            return Ok(context);
        }
        if let Some(gone) = self.excluded.iter().find(|gone| Some(&gone.id) == id.as_ref()) {
            return Err(Error::usage(format!("`{name}` is left out: {}", gone.detail), help));
        }
        let known: Vec<String> = self.contexts.keys().map(ToString::to_string).collect();
        Err(Error::unknown("context", name, known.iter().map(String::as_str)))
    }

    /// The reference that `text` is probably meant to be, of those to contexts of the view.
    pub fn suggest(&self, text: &str, sources: &SourceMap) -> Option<String> {
        let known = self.contexts.values().flat_map(|context| {
            context.sources.iter().map(|source| (&context.id, sources.path(source.file)))
        });
        similar(text, &known.collect::<Vec<_>>())
    }

    /// The finding about a reference to nothing, with what it is probably meant to be.
    pub fn dangling(&self, reference: &Spanned<String>, sources: &SourceMap) -> Diagnostic {
        dangling(reference, self.suggest(&reference.value, sources))
    }

    /// The context that an identity stands for, through overlays that only extend.
    pub fn get(&self, id: &ContextId) -> Option<&Resolved> {
        self.contexts.get(self.aliases.get(id).unwrap_or(id))
    }
}

/// Filters the documents by `view` and folds the rest, layer by layer.
pub fn resolve(
    documents: &[&Document],
    layers: &[Layer],
    view: &View,
    expander: &Expander<'_>,
) -> Reported<Catalog> {
    let mut found = Vec::new();
    let index = Index::new(expander.sources, documents, layers, expander.role_homes);
    let mut cascade = Cascade { documents, view, expander, index, excluded: Vec::new() };
    cascade.report_escapes(&mut found);
    let eligible = cascade.eligible(&mut found);
    let bases = cascade.bases(&eligible, &mut found);
    let mut chains: BTreeMap<&ContextId, Vec<&Document>> = BTreeMap::new();
    for document in &eligible {
        let base = bases.of_document.get(&document.file).unwrap_or(&document.id);
        chains.entry(base).or_default().push(document);
    }
    let mut several = BTreeMap::new();
    // Collected in order and at once, a map has full nodes; by inserting, half of them stay empty.
    let contexts = chains.into_iter().map(|(id, chain)| {
        let chain = cascade.in_order(chain, &bases, &mut found);
        if chain.len() > 1 {
            several.insert(id.clone(), chain.iter().map(|document| document.file).collect());
        }
        let folded = fold::fold(id, &chain, expander, &mut found);
        for (base, by) in folded.overridden {
            cascade.excluded.push(Excluded {
                id: id.clone(),
                why: Why::Overridden,
                detail: format!("by {}", expander.sources.path(by)),
                path: Some(expander.sources.path(base).to_owned()),
            });
        }
        (id.clone(), folded.resolved)
    });
    let contexts: BTreeMap<ContextId, Resolved> = contexts.collect();
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
    // A context of which nothing is left is excluded as a whole, once; the rest names documents.
    let mut whole: Option<ContextId> = None;
    for entry in &mut excluded {
        if !contexts.contains_key(&entry.id) && whole.as_ref() != Some(&entry.id) {
            entry.path = None;
            whole = Some(entry.id.clone());
        }
    }
    let aliases = bases.of_id;
    let index = cascade.index;
    let catalog = Catalog { contexts, aliases, chains: several, excluded, index };
    Reported { value: catalog, diagnostics: found }
}

struct Cascade<'a> {
    documents: &'a [&'a Document],
    view: &'a View,
    expander: &'a Expander<'a>,
    index: Index,
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
        let from = self.expander.from(self.sources().path(document.file));
        self.index.resolve(reference, from)
    }

    /// The reference that `text` is probably meant to be.
    fn suggest(&self, text: &str) -> Option<String> {
        let visible = self.documents.iter().filter(|it| self.view.may_see(&it.front.fields));
        let known = visible.map(|it| (&it.id, self.sources().path(it.file)));
        similar(text, &known.collect::<Vec<_>>())
    }

    /// Reports references of visible documents that lead out of the workspace, used or not.
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

    /// The documents that take part: visible, approved, valid, wanted and not superseded.
    fn eligible(&mut self, found: &mut Vec<Diagnostic>) -> Vec<&'a Document> {
        let mut eligible = Vec::new();
        let seen = |document: &&Document| self.view.may_see(&document.front.fields);
        for document in self.documents.iter().copied().filter(seen) {
            match self.view.leaves_out(&document.front.fields) {
                Some((why, detail)) => self.leave_out(document, why, detail),
                None => eligible.push(document),
            }
        }
        let ids: BTreeSet<&ContextId> = eligible.iter().map(|document| &document.id).collect();
        let mut successors: BTreeMap<&ContextId, (ContextId, &Document)> = BTreeMap::new();
        let mut superseded = Vec::new();
        for document in &eligible {
            let Some(by) = &document.front.fields.superseded_by else { continue };
            // What another role's context names is there in that role only.
            if document.id.role.is_some() {
                continue;
            }
            let Resolution::Context(target) = self.target(document, &by.value) else { continue };
            if ids.contains(&target) && target != document.id {
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
        eligible
    }

    /// What overlays that extend another context work on.
    fn bases(&self, eligible: &[&'a Document], found: &mut Vec<Diagnostic>) -> Bases {
        let mut lowest: BTreeMap<&ContextId, usize> = BTreeMap::new();
        for document in eligible {
            let layer = lowest.entry(&document.id).or_insert(document.layer);
            *layer = document.layer.min(*layer);
        }
        let mut bases = Bases::default();
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
                    // Hidden or left out: the overlay stands alone, and nothing is said.
                    None => {}
                },
                Resolution::Outside => {}
                Resolution::Missing | Resolution::Other => {
                    found.push(dangling(extends, self.suggest(&extends.value)));
                }
            }
        }
        bases.follow(eligible, found);
        bases
    }

    /// A chain in the order of the fold; of two documents with one identity in one layer, the one
    /// with the first path stays.
    fn in_order(
        &mut self,
        mut chain: Vec<&'a Document>,
        bases: &Bases,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<&'a Document> {
        let sources = self.sources();
        let extends = |document: &Document| document.front.fields.extends.is_some();
        // In one layer an overlay comes after what it extends, be it of its own name.
        let steps = |document: &Document| {
            bases.depth.get(&document.file).copied().unwrap_or(usize::from(extends(document)))
        };
        chain
            .sort_by_key(|document| (document.layer, steps(document), sources.path(document.file)));
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
            found.push(
                duplicate_context::RULE
                    .at(
                        name_span(document),
                        format!("`{}` is defined twice in one layer", document.id),
                    )
                    .related(name_span(twin), format!("`{}` is used", sources.path(twin.file)))
                    .help("rename or remove one of the two files"),
            );
            let path = sources.path(twin.file).to_owned();
            self.leave_out(document, Why::Invalid, format!("`{path}` has the same identity"));
        }
        kept
    }
}

/// What overlays that extend another context work on.
#[derive(Default)]
struct Bases {
    /// The context that each such document works on, in the end.
    of_document: BTreeMap<FileId, ContextId>,
    /// Identities that only such documents have, and the context that the lowest works on.
    of_id: BTreeMap<ContextId, ContextId>,
    /// How many steps of `extends` lead from each such document to its context.
    depth: BTreeMap<FileId, usize>,
}

impl Bases {
    /// An overlay may extend one that itself only extends: follows such chains to their ends.
    fn follow(&mut self, eligible: &[&Document], found: &mut Vec<Diagnostic>) {
        let only = self.only_extending(eligible);
        let next = only.iter().map(|(&id, document)| (id, &self.of_document[&document.file]));
        let paths = Paths::new(&next.collect());
        found.extend(paths.cycles().iter().map(|cycle| extends_cycle(cycle, &only)));
        let mut ends: BTreeMap<FileId, ContextId> = BTreeMap::new();
        for (&file, target) in &self.of_document {
            let (end, steps) = paths.end(target);
            self.depth.insert(file, steps + 1);
            ends.insert(file, end.clone());
        }
        // In a circle nothing is the base, so each stands for itself.
        for &id in paths.cycles().iter().flatten() {
            ends.insert(only[id].file, id.clone());
        }
        let of_id = only.iter().map(|(id, document)| ((*id).clone(), ends[&document.file].clone()));
        self.of_id = of_id.collect();
        // What stands above an overlay that only extends, under its name, works on the same base.
        for document in eligible {
            if let Some(base) = self.of_id.get(&document.id) {
                ends.entry(document.file).or_insert_with(|| base.clone());
            }
        }
        self.of_document = ends;
    }

    /// Identities that have no entry of their own, with the lowest document of each: one that
    /// extends, and below which none stands on its own.
    fn only_extending<'d>(
        &self,
        eligible: &[&'d Document],
    ) -> BTreeMap<&'d ContextId, &'d Document> {
        let mut lowest: BTreeMap<&ContextId, &Document> = BTreeMap::new();
        for &document in eligible {
            let key = |d: &Document| (d.layer, self.of_document.contains_key(&d.file));
            let known = lowest.entry(&document.id).or_insert(document);
            if key(document) < key(known) {
                *known = document;
            }
        }
        lowest.retain(|_, document| self.of_document.contains_key(&document.file));
        lowest
    }
}

fn extends_above(extends: &Spanned<String>, target: &ContextId) -> Diagnostic {
    let message = format!("`{target}` is defined in a higher layer only");
    strategy_without_base::RULE
        .at(extends.span, message)
        .label("has nothing below it to work on")
        .help("an overlay lies in a higher layer than its base; this one has no base")
}

/// The finding about a circle of contexts, at the first of them.
fn extends_cycle(cycle: &[&ContextId], only: &BTreeMap<&ContextId, &Document>) -> Diagnostic {
    let span = |id: &ContextId| only[id].front.fields.extends.as_ref().map(|extends| extends.span);
    in_a_circle(&extends_cycle::RULE, "a cycle of `extends`", cycle, span)
        .help("one of them must be the base: remove its `extends`")
}

/// The finding about contexts that lead to one another by a field, at the first of them. Of very
/// many it names the first and the last.
fn in_a_circle(
    rule: &'static Rule,
    what: &str,
    cycle: &[&ContextId],
    span: impl Fn(&ContextId) -> Option<Span>,
) -> Diagnostic {
    const SHOWN: usize = 8;
    let chain = cycle.iter().chain(cycle.first());
    let mut names: Vec<String> = chain.map(ToString::to_string).collect();
    if names.len() > SHOWN + 1 {
        names.splice(SHOWN / 2..names.len() - SHOWN / 2, ["…".to_owned()]);
    }
    let message = format!("{what}: {}", names.join(" → "));
    let mut spans = cycle.iter().filter_map(|id| span(id));
    let first = spans.next().expect("each of them has the field that leads on");
    let finding = rule.at(first, message);
    spans.fold(finding, |finding, span| finding.related(span, "continues here"))
}

/// Where a document says its name, or its very start.
pub fn name_span(document: &Document) -> Span {
    let name = document.front.fields.name.as_ref();
    name.map_or_else(|| Span::start_of(document.file), |name| name.span)
}

/// The error for a reference to nothing, with what it is probably meant to be.
pub fn dangling(reference: &Spanned<String>, close: Option<String>) -> Diagnostic {
    let message = format!("unknown context `{}`", reference.value);
    let finding = dangling_reference::RULE.at(reference.span, message);
    match close {
        Some(close) => finding.help(format!("did you mean `{close}`?")),
        None => finding.help("references are file names, paths such as `/contexts/standards/x.md` or ids such as `standard/x`"),
    }
}

/// The reference to one of the `known` contexts that `text` is probably meant to be, in the form of
/// `text`: an id for an id, and for a path one with the same folder when the file is in a folder of
/// that name.
fn similar(text: &str, known: &[(&ContextId, &Utf8Path)]) -> Option<String> {
    let (path, anchor) = text.split_at(text.find('#').unwrap_or(text.len()));
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    if let Some(id) = ContextId::parse(path).filter(|_| !is_markdown(path)) {
        let alike = known.iter().map(|(other, _)| *other);
        let alike = alike.filter(|it| it.category == id.category && it.role == id.role);
        let close = suggest::closest(&id.name, alike.map(|it| &*it.name))?;
        let close = ContextId { name: close.into(), ..id };
        return Some(format!("{close}{anchor}"));
    }
    let stem = Utf8Path::new(name).file_stem().filter(|_| is_markdown(name));
    let extension = if stem.is_some() { ".md" } else { "" };
    let stems = known.iter().filter_map(|(_, path)| path.file_stem());
    let close = suggest::closest(stem.unwrap_or(name), stems)?;
    let last = Utf8Path::new(folder).file_name();
    let stays = known.iter().any(|(_, path)| {
        let above = path.parent().and_then(Utf8Path::file_name);
        path.file_stem() == Some(close) && above == last
    });
    let folder = if stays { folder } else { "" };
    Some(format!("{folder}{close}{extension}{anchor}")).filter(|close| close != text)
}

/// Contexts that supersede one another in a circle; none of them is left out.
fn superseded_loops(
    successors: &BTreeMap<&ContextId, (ContextId, &Document)>,
    found: &mut Vec<Diagnostic>,
) -> BTreeSet<ContextId> {
    let next = successors.iter().map(|(&id, (target, _))| (id, target));
    let paths = Paths::new(&next.collect());
    let span =
        |id: &ContextId| successors[id].1.front.fields.superseded_by.as_ref().map(|by| by.span);
    found.extend(paths.cycles().iter().map(|cycle| {
        in_a_circle(&superseded_loop::RULE, "a cycle of `superseded_by`", cycle, span)
            .help("remove it from the context that is valid")
    }));
    paths.cycles().iter().flatten().map(|&id| id.clone()).collect()
}
