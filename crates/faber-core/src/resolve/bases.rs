//! The bases of overlays that extend another context.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};

use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::resolve::cycles::{Paths, in_a_circle};
use crate::resolve::view::Why;
use crate::rules::extends_cycle;
use crate::source::FileId;
use crate::strategy::Strategy;

#[derive(Default)]
pub(super) struct Bases {
    pub(super) of_document: BTreeMap<FileId, ContextId>,
    pub(super) of_id: BTreeMap<ContextId, ContextId>,
    depth: BTreeMap<FileId, usize>,
}

impl Bases {
    pub(super) fn steps(&self, document: &Document) -> usize {
        let extends = document.front.fields.extends.is_some();
        self.depth.get(&document.file).copied().unwrap_or(usize::from(extends))
    }

    pub(super) fn follow(&mut self, eligible: &[&Document], found: &mut Vec<Diagnostic>) {
        if self.of_document.is_empty() {
            return;
        }
        let only = self.only_extending(eligible);
        let next = only.iter().map(|(&id, document)| (id, &self.of_document[&document.file]));
        let paths = Paths::new(&next.collect());
        found.extend(paths.cycles.iter().map(|cycle| extends_cycle(cycle, &only)));
        let mut ends: BTreeMap<FileId, ContextId> = BTreeMap::new();
        for (&file, target) in &self.of_document {
            let (end, steps) = paths.end(target);
            self.depth.insert(file, steps + 1);
            ends.insert(file, end.clone());
        }
        for &id in paths.cycles.iter().flatten() {
            ends.insert(only[id].file, id.clone());
        }
        let of_id = only.iter().map(|(id, document)| ((*id).clone(), ends[&document.file].clone()));
        self.of_id = of_id.collect();
        for document in eligible {
            if let Some(base) = self.of_id.get(&document.id) {
                ends.entry(document.file).or_insert_with(|| base.clone());
            }
        }
        self.of_document = ends;
    }

    fn only_extending<'d>(
        &self,
        eligible: &[&'d Document],
    ) -> BTreeMap<&'d ContextId, &'d Document> {
        let extends = |document: &&&Document| self.of_document.contains_key(&document.file);
        let ids: HashSet<&ContextId> = eligible.iter().filter(extends).map(|it| &it.id).collect();
        let mut lowest: BTreeMap<&ContextId, &Document> = BTreeMap::new();
        for &document in eligible.iter().filter(|document| ids.contains(&document.id)) {
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

fn extends_cycle(cycle: &[&ContextId], only: &BTreeMap<&ContextId, &Document>) -> Diagnostic {
    let span = |id: &ContextId| only[id].front.fields.extends.as_ref().map(|extends| extends.span);
    let steps = cycle.iter().map(|&id| (id, span(id)));
    in_a_circle(&extends_cycle::RULE, "a cycle of `extends`", steps)
        .help("one of them must be the base: remove its `extends`")
}

pub(super) fn without_base<'d>(
    documents: &[&'d Document],
    eligible: &[&'d Document],
    extended: impl Fn(&Document) -> Option<ContextId>,
) -> Vec<(&'d Document, &'d Document)> {
    let changes = |document: &&&Document| document.strategy() != Strategy::Override;
    let overlays: Vec<(&Document, ContextId)> = eligible
        .iter()
        .filter(changes)
        .map(|&overlay| (overlay, extended(overlay).unwrap_or_else(|| overlay.id.clone())))
        .collect();
    if overlays.is_empty() {
        return Vec::new();
    }
    let mut all: HashMap<&ContextId, Vec<&Document>> = HashMap::default();
    let mut overlays_of: HashMap<&ContextId, Vec<usize>> = HashMap::default();
    for &document in documents {
        all.entry(&document.id).or_default().push(document);
    }
    for (at, (_, base)) in overlays.iter().enumerate() {
        overlays_of.entry(base).or_default().push(at);
    }
    let mut used: HashSet<FileId> = eligible.iter().map(|document| document.file).collect();
    let mut gone = Vec::new();
    let mut open: Vec<usize> = (0..overlays.len()).rev().collect();
    while let Some(at) = open.pop() {
        let (overlay, base) = &overlays[at];
        // Only another id can be in the same layer.
        let end = overlay.layer + usize::from(*base != overlay.id);
        let mut below = all.get(base).into_iter().flatten().filter(|it| it.layer < end);
        if !used.contains(&overlay.file) || below.clone().any(|it| used.contains(&it.file)) {
            continue;
        }
        if let Some(base) = below.next() {
            used.remove(&overlay.file);
            gone.push((*overlay, *base));
            open.extend(overlays_of.get(&overlay.id).into_iter().flatten());
        }
    }
    gone
}

pub(super) fn unclear_overlay(
    document: &Document,
    lowest: &HashMap<&ContextId, usize>,
) -> Option<(Why, String)> {
    let field = document.front.fields.strategy_unclear?;
    let is_overlay = document.front.fields.extends.is_some()
        || lowest.get(&document.id).is_some_and(|layer| *layer < document.layer);
    is_overlay.then(|| (Why::Invalid, format!("`{field}` cannot be read")))
}

pub(super) fn lowest_layers<'a>(documents: &[&'a Document]) -> HashMap<&'a ContextId, usize> {
    let mut lowest: HashMap<&ContextId, usize> = HashMap::default();
    for document in documents {
        let layer = lowest.entry(&document.id).or_insert(document.layer);
        *layer = document.layer.min(*layer);
    }
    lowest
}
