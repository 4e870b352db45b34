//! Targets of references and patterns in prompts.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobBuilder;

use crate::category::Category;
use crate::layer::LayerKind;
use crate::parse::references::{self, Reference};
use crate::resolve::catalog::{Context, ContextSet};
use crate::resolve::include::Expander;
use crate::resolve::index::{ReferenceOrigin, Resolution, candidates, role_root};
use crate::source::Spanned;

/// Replaces `*`; private-use.
const STAR: &str = "\u{e000}";

#[derive(Debug)]
pub enum TargetResolution<'a> {
    Contexts(Vec<&'a Context>),
    Missing,
    Outside,
    Other,
}

impl<'a> TargetResolution<'a> {
    pub fn contexts(self) -> Vec<&'a Context> {
        if let Self::Contexts(contexts) = self { contexts } else { Vec::new() }
    }
}

pub fn resolve_target<'a>(
    catalog: &'a ContextSet,
    expander: &Expander<'_>,
    reference: &Spanned<String>,
) -> TargetResolution<'a> {
    let from = expander.from(reference.span.file);
    if reference.value.contains('*') {
        return matched(catalog, expander, &reference.value, from);
    }
    match catalog.index.resolve(&reference.value, from) {
        Resolution::Context(id) => catalog
            .get(&id)
            .map_or(TargetResolution::Missing, |it| TargetResolution::Contexts(vec![it])),
        Resolution::Missing => TargetResolution::Missing,
        Resolution::Outside => TargetResolution::Outside,
        Resolution::Other => TargetResolution::Other,
    }
}

fn matched<'a>(
    catalog: &'a ContextSet,
    expander: &Expander<'_>,
    pattern: &str,
    from: ReferenceOrigin<'_>,
) -> TargetResolution<'a> {
    let plain = pattern.replace('*', STAR);
    let (reference, _) = references::parse(&plain);
    let Some(paths) = candidate_paths(&reference, catalog, expander, from) else {
        return TargetResolution::Outside;
    };
    let mut globs = Vec::new();
    for path in &paths {
        let glob = path.as_str().replace(STAR, "*");
        let Ok(glob) = GlobBuilder::new(&glob).literal_separator(true).build() else {
            return TargetResolution::Other;
        };
        let start = glob.glob().split('*').next().unwrap_or_default().to_owned();
        globs.push((start, glob.compile_matcher()));
    }
    if globs.is_empty() {
        return TargetResolution::Other;
    }
    let is_meant = |path: &Utf8Path| {
        globs.iter().any(|(start, glob)| path.as_str().starts_with(start) && glob.is_match(path))
    };
    let contexts = catalog.contexts.values();
    let found: Vec<_> = contexts
        .filter(|it| it.sources.iter().any(|it| is_meant(expander.sources.path(it.file))))
        .collect();
    if found.is_empty() { TargetResolution::Missing } else { TargetResolution::Contexts(found) }
}

/// `None` if outside the workspace.
fn candidate_paths(
    reference: &Reference<'_>,
    catalog: &ContextSet,
    expander: &Expander<'_>,
    from: ReferenceOrigin<'_>,
) -> Option<Vec<Utf8PathBuf>> {
    if let Reference::Name { name } = *reference {
        let anywhere = Utf8PathBuf::from(format!("{STAR}{STAR}/contexts/{STAR}{STAR}")).join(name);
        return Some(Category::from_prefix(name).map(|_| anywhere).into_iter().collect());
    }
    let mut paths = candidates(reference, from, expander.role_root, expander.role_homes)?;
    let sources = catalog.contexts.values().flat_map(|context| &context.sources);
    let of_roles = sources.filter(|source| source.layer == LayerKind::Role);
    let roots = of_roles
        .filter_map(|it| role_root(expander.sources.path(it.file), expander.role_homes))
        .collect::<BTreeSet<_>>();
    for root in roots {
        let from = ReferenceOrigin { role_root: Some(root), ..from };
        paths.extend(candidates(reference, from, None, expander.role_homes)?);
    }
    paths.sort();
    paths.dedup();
    Some(paths)
}
