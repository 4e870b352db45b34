//! Contexts of packs that a later pack replaces.

use std::collections::{BTreeMap, BTreeSet};

use crate::context_id::ContextId;
use crate::document::Document;
use crate::packs;
use crate::resolve::catalog::Context;
use crate::resolve::fold;
use crate::resolve::include::Expander;
use crate::source::FileId;
use crate::strategy::Strategy;

pub(super) fn of_packs(
    id: &ContextId,
    chain: &[&Document],
    overridden: &[(FileId, FileId)],
    expander: &Expander<'_>,
) -> BTreeMap<String, Context> {
    let pack_of = |file: FileId| packs::of_path(expander.sources.path(file));
    let gone: BTreeSet<&str> = overridden.iter().filter_map(|(file, _)| pack_of(*file)).collect();
    let context = |pack: &str| {
        let is_own = |document: &&&Document| match pack_of(document.file) {
            None => document.strategy() != Strategy::Override,
            of => of == Some(pack),
        };
        let chain: Vec<&Document> = chain.iter().filter(is_own).copied().collect();
        (pack.to_owned(), fold::fold(id, &chain, expander, &mut Vec::new()).resolved)
    };
    gone.into_iter().map(context).collect()
}
