//! Contexts of the workspace, which exports name by ID.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{home, open_at};
use faber_core::context_id::ContextId;
use faber_core::packs;
use faber_core::source::SourceMap;
use faber_tools::exchange::found_source::FoundSource;
use faber_tools::exchange::gather::Importing;
use faber_tools::exchange::managed;

#[derive(Debug, Default)]
pub(super) struct ExistingContexts {
    pub(super) paths: BTreeMap<ContextId, Utf8PathBuf>,
    pub(super) texts: BTreeMap<Utf8PathBuf, String>,
}

impl ExistingContexts {
    /// Those that an import `into` a folder must not define again.
    pub(super) fn read(
        found: &[FoundSource],
        sources: &SourceMap,
        into: &Utf8Path,
        Importing { root, settings }: Importing<'_>,
    ) -> Self {
        let mut files = found.iter();
        if !files.any(|found| !managed::parts(&sources.get(found.file).text).is_empty()) {
            return Self::default();
        }
        let Ok(session) = open_at(root, settings) else { return Self::default() };
        let mut workspace = session.workspace();
        let is_home = into == home(root);
        let mut existing = Self::default();
        for document in workspace.all_documents() {
            let source = workspace.sources.get(document.file);
            if !is_home && !source.path.starts_with(into) {
                continue;
            }
            let id = ContextId { role: None, ..document.id };
            let path = source.path.to_path_buf();
            existing.texts.insert(path.clone(), source.text.to_string());
            let first = existing.paths.entry(id).or_insert_with(|| path.clone());
            if packs::of_path(first).is_some() {
                *first = path;
            }
        }
        existing
    }
}
