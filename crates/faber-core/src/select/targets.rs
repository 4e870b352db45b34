//! Targets of references and patterns in prompts.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use globset::GlobBuilder;

use crate::category::Category;
use crate::layer::LayerKind;
use crate::parse::references::{self, Reference};
use crate::resolve::catalog::{Catalog, Resolved};
use crate::resolve::include::Expander;
use crate::resolve::index::{From, Resolution, candidates, role_root};
use crate::source::Spanned;

/// A private-use character that replaces `*` in a path.
const STAR: &str = "\u{e000}";

#[derive(Debug)]
pub enum Named<'a> {
    /// One context, or all that a pattern matches.
    Contexts(Vec<&'a Resolved>),
    Missing,
    Outside,
    /// A placeholder or address.
    Other,
}

pub fn named<'a>(
    catalog: &'a Catalog,
    expander: &Expander<'_>,
    reference: &Spanned<String>,
) -> Named<'a> {
    let from = expander.from(expander.sources.path(reference.span.file));
    if reference.value.contains('*') {
        return matched(catalog, expander, &reference.value, from);
    }
    match catalog.index.resolve(&reference.value, from) {
        Resolution::Context(id) => {
            catalog.get(&id).map_or(Named::Missing, |it| Named::Contexts(vec![it]))
        }
        Resolution::Missing => Named::Missing,
        Resolution::Outside => Named::Outside,
        Resolution::Other => Named::Other,
    }
}

fn matched<'a>(
    catalog: &'a Catalog,
    expander: &Expander<'_>,
    pattern: &str,
    from: From<'_>,
) -> Named<'a> {
    let plain = pattern.replace('*', STAR);
    let (reference, _) = references::parse(&plain);
    let Some(paths) = meant(&reference, catalog, expander, from) else { return Named::Outside };
    let mut globs = Vec::new();
    for path in &paths {
        let glob = path.as_str().replace(STAR, "*");
        let Ok(glob) = GlobBuilder::new(&glob).literal_separator(true).build() else {
            return Named::Other;
        };
        let start = glob.glob().split('*').next().unwrap_or_default().to_owned();
        globs.push((start, glob.compile_matcher()));
    }
    if globs.is_empty() {
        return Named::Other;
    }
    let is_meant = |path: &Utf8Path| {
        globs.iter().any(|(start, glob)| path.as_str().starts_with(start) && glob.is_match(path))
    };
    let contexts = catalog.contexts.values();
    let found: Vec<_> = contexts
        .filter(|it| it.sources.iter().any(|it| is_meant(expander.sources.path(it.file))))
        .collect();
    if found.is_empty() { Named::Missing } else { Named::Contexts(found) }
}

/// Possible paths, with [`STAR`]; `None` if the pattern leaves the workspace.
fn meant(
    reference: &Reference<'_>,
    catalog: &Catalog,
    expander: &Expander<'_>,
    from: From<'_>,
) -> Option<Vec<Utf8PathBuf>> {
    if let Reference::Name { name } = *reference {
        let anywhere = Utf8PathBuf::from(format!("{STAR}{STAR}/contexts/{STAR}{STAR}")).join(name);
        return Some(Category::from_prefix(name).map(|_| anywhere).into_iter().collect());
    }
    let mut paths = candidates(reference, from, expander.role_root, expander.role_homes)?;
    // A role includes the contexts of those that it extends.
    let sources = catalog.contexts.values().flat_map(|context| &context.sources);
    let of_roles = sources.filter(|source| source.layer == LayerKind::Role);
    let roots = of_roles
        .filter_map(|it| role_root(expander.sources.path(it.file), expander.role_homes))
        .collect::<BTreeSet<_>>();
    for root in roots {
        let from = From { role_root: Some(root), ..from };
        paths.extend(candidates(reference, from, None, expander.role_homes)?);
    }
    paths.sort();
    paths.dedup();
    Some(paths)
}
