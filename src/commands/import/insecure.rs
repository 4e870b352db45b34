//! Imported lines that no bundle will have.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::open_at;
use faber_core::assemble::insecure::{Severities, first_error};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::parse::fence;
use faber_core::source::{FileId, SourceMap};
use faber_tools::exchange::gather::Importing;
use faber_tools::exchange::import::{PlannedContent, PlannedImport};

/// One for each source; a hint unless it is one of `news`.
pub(super) fn findings(
    files: &[PlannedImport],
    news: Option<&BTreeSet<FileId>>,
    sources: &SourceMap,
    Importing { root, settings }: Importing<'_>,
) -> Vec<Diagnostic> {
    let workspace = open_at(root, settings).ok().map(|session| session.workspace());
    let severities = workspace.as_ref().map_or_else(Severities::default, |it| it.severities());
    let is_own = |it: &&PlannedImport| !it.managed && matches!(it.content, PlannedContent::Text(_));
    let all: BTreeSet<FileId> = files.iter().filter(is_own).map(|it| it.source).collect();
    let finding = |file: FileId| {
        let text = &sources.get(file).text;
        let mut found = first_error(file, text, fence::body(text), severities)?;
        let is_new = news.is_none_or(|news| news.contains(&file));
        found.configure(if is_new { Severity::Warning } else { Severity::Hint });
        found.message = format!("no bundle will have this line: {}", found.message);
        Some(found)
    };
    all.into_par_iter().filter_map(finding).collect()
}
