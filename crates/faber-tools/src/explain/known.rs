//! Indexes an assembly, to explain all contexts in linear time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use crate::explain::ExplainInput;
use faber_core::assemble::Declared;
use faber_core::context_id::ContextId;
use faber_core::document::Document;
use faber_core::resolve::catalog::Excluded;
use faber_core::resolve::index::{ReferenceOrigin, Resolution};
use faber_core::role::Lineage;
use faber_core::source::Span;

pub(crate) struct AssemblyIndex<'a> {
    pub(crate) subject: ExplainInput<'a>,
    documents: BTreeMap<&'a ContextId, Vec<usize>>,
    places: HashMap<&'a Utf8Path, usize>,
    excluded: BTreeMap<&'a ContextId, Vec<&'a Excluded>>,
    declared: BTreeMap<&'a ContextId, Vec<&'a Declared>>,
    related_to: BTreeMap<ContextId, Vec<ContextId>>,
    loads: BTreeMap<&'a ContextId, Vec<Span>>,
}

impl<'a> AssemblyIndex<'a> {
    pub(crate) fn new(subject: ExplainInput<'a>) -> Self {
        let assembly = subject.assembly;
        let mut known = Self {
            subject,
            documents: BTreeMap::new(),
            places: HashMap::with_capacity(assembly.pack.documents.len()),
            excluded: BTreeMap::new(),
            declared: BTreeMap::new(),
            related_to: related_to(subject),
            loads: BTreeMap::new(),
        };
        for (id, span) in &assembly.declared.loads {
            known.loads.entry(id).or_default().push(*span);
        }
        for (at, document) in assembly.pack.documents.iter().enumerate() {
            known.documents.entry(&document.id).or_default().push(at);
            known.places.insert(subject.sources().path(document.file), at);
        }
        for excluded in &assembly.bundle.excluded {
            known.excluded.entry(&excluded.id).or_default().push(excluded);
        }
        for declared in &assembly.declared.terms {
            known.declared.entry(&declared.id).or_default().push(declared);
        }
        known
    }

    pub(crate) fn documents(&self, id: &ContextId) -> Vec<&'a Document> {
        let pack = &self.subject.assembly.pack;
        let own = self.documents.get(id).into_iter().flatten().copied();
        let gone = self.excluded(id).iter().filter_map(|gone| gone.path.as_deref());
        let gone = gone.filter_map(|path| self.places.get(path).copied());
        let all: BTreeSet<usize> = own.chain(gone).collect();
        let documents = all.into_iter().map(|at| &pack.documents[at]);
        let mut seen: Vec<&Document> =
            documents.filter(|document| pack.view.may_see(&document.front.fields)).collect();
        seen.sort_by_key(|document| document.layer);
        seen
    }

    pub(crate) fn excluded(&self, id: &ContextId) -> &[&'a Excluded] {
        self.excluded.get(id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn declared(&self, id: &ContextId) -> &[&'a Declared] {
        self.declared.get(id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn loads(&self, id: &ContextId) -> &[Span] {
        self.loads.get(id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn related_to(&self, id: &ContextId) -> &[ContextId] {
        self.related_to.get(id).map_or(&[], Vec::as_slice)
    }
}

fn related_to(subject: ExplainInput<'_>) -> BTreeMap<ContextId, Vec<ContextId>> {
    let catalog = &subject.assembly.catalog;
    let roots = subject.assembly.pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
    let mut all: BTreeMap<ContextId, Vec<ContextId>> = BTreeMap::new();
    for context in catalog.contexts.values() {
        for reference in &context.front.fields.related {
            let path = subject.sources().original_path(reference.span.file);
            let role_root = roots.iter().find(|root| path.starts_with(root));
            let from = ReferenceOrigin { path, role_root: role_root.map(Utf8PathBuf::as_path) };
            let Resolution::Context(target) = catalog.index.resolve_field(&reference.value, from)
            else {
                continue;
            };
            let target = catalog.aliases.get(&target).unwrap_or(&target).clone();
            if target == context.id {
                continue;
            }
            let naming = all.entry(target).or_default();
            if naming.last() != Some(&context.id) {
                naming.push(context.id.clone());
            }
        }
    }
    all
}
