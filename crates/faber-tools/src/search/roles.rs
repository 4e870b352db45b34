use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::search::index::SearchIndex;
use crate::search::item::{SearchItem, in_space};
use crate::search::scope::{Scope, Scopes};
use faber_core::layer::LayerKind;
use faber_core::render::topics::Topics;

/// A role.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoleSummary {
    /// Its name.
    pub name: String,
    /// Whether it is the caller's role.
    pub current: bool,
    /// The number of its own contexts.
    pub contexts: usize,
    /// What they are about: frequent keywords and tags.
    pub topics: Vec<String>,
}

pub fn roles(index: &SearchIndex) -> Vec<RoleSummary> {
    let view = &index.view;
    let items: Vec<_> = (0..view.items.count())
        .filter(|&at| view.items.facets(at).category.is_some())
        .map(|at| view.items.get(at))
        .collect();
    let mut all: BTreeMap<&str, (usize, Topics<'_>)> =
        view.roles.iter().map(|name| (name.as_str(), Default::default())).collect();
    for item in &items {
        let local = in_space(&item.id).1;
        let other = local.strip_prefix("@role:").and_then(|rest| rest.split_once('/'));
        let own = || item.layers.contains(&LayerKind::Role).then_some(view.role.as_deref());
        let Some(role) = other.map(|(role, _)| role).or_else(|| own().flatten()) else { continue };
        let Some((count, topics)) = all.get_mut(role) else { continue };
        *count += 1;
        let name = item.id.rsplit_once('/').map_or(item.id.as_str(), |(_, name)| name);
        topics.add(name, item.topics.iter().map(String::as_str));
    }
    let summary = |(name, (contexts, topics)): (&str, (usize, Topics<'_>))| RoleSummary {
        name: name.to_owned(),
        current: view.role.as_deref() == Some(name),
        contexts,
        topics: topics.ranked().best(&Topics::default()),
    };
    all.into_iter().map(summary).collect()
}

pub fn shared(index: &SearchIndex) -> usize {
    let items = &index.view.items;
    let is_shared = |item: &SearchItem| {
        let is_of_role =
            |layer: &LayerKind| matches!(layer, LayerKind::Role | LayerKind::RoleOverlay);
        !in_space(&item.id).1.starts_with("@role:") && !item.layers.iter().all(is_of_role)
    };
    (0..items.count())
        .filter(|&at| items.facets(at).category.is_some() && is_shared(&items.get(at)))
        .count()
}

pub fn history(index: &SearchIndex) -> usize {
    let items = &index.view.items;
    let only_history = Scopes::of([Scope::Historical]);
    let is_history = |at: &usize| items.facets(*at).scopes == only_history;
    (0..items.count()).filter(is_history).count()
}
