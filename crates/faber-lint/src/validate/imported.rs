use std::collections::BTreeSet;

use camino::Utf8Path;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::paths::normalize;
use faber_core::rules::{dangling_reference, import_inert, unknown_field};
use faber_session::session::Workspace;
use faber_tools::exchange::record::{ImportRecord, RECORD};

/// Files have other names after an import.
pub(crate) fn claim(workspace: &Workspace, found: &mut Vec<Diagnostic>) {
    let is_dangling = |found: &Diagnostic| found.rule() == &dangling_reference::RULE;
    let is_kept = |found: &Diagnostic| {
        found.rule() == &unknown_field::RULE && found.severity() == Severity::Hint
    };
    if !found.iter().any(|found| is_dangling(found) || is_kept(found)) {
        return;
    }
    let sources = &workspace.sources;
    let place = |found: &Diagnostic| {
        let span = sources.original(found.primary.span);
        (span.file, span.start)
    };
    let inert = found.iter().filter(|found| found.rule() == &import_inert::RULE);
    let inert: BTreeSet<_> = inert.map(place).collect();
    found.retain(|found| !is_kept(found) || !inert.contains(&place(found)));
    let Ok(text) = workspace.files.read(Utf8Path::new(RECORD)) else { return };
    let Ok(record) = ImportRecord::parse(&text) else { return };
    let imported: BTreeSet<&str> = record.origins().map(|(from, _)| from).collect();
    found.retain(|found| {
        if !is_dangling(found) && !is_kept(found) {
            return true;
        }
        let span = found.primary.span;
        let path = sources.path(span.file).as_str().replace('\\', "/");
        let Some(origin) = record.origin(&path) else { return true };
        let is_imported = || {
            let folder = Utf8Path::new(&origin.from).parent()?;
            let target = normalize(folder, sources.text(span).split('#').next()?)?;
            Some(imported.contains(target.as_str()))
        };
        is_dangling(found) && is_imported() != Some(true)
    });
}
