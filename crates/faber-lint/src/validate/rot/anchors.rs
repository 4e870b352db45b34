//! Headings of repository files; `dead-anchor` checks the workspace.

use camino::Utf8Path;

use super::claim::Mention;
use crate::validate::check::LintContext;
use crate::validate::rules::dead_anchor;
use faber_core::diagnostic::Diagnostic;
use faber_core::source::SourceMap;
use faber_session::discover::repository::Repository;

pub(super) fn look(
    whole: &LintContext<'_>,
    repository: &Repository,
    path: &Utf8Path,
    (mention, anchor): (&Mention, &str),
) -> Option<Diagnostic> {
    let own = path.strip_prefix(repository.workspace()).ok();
    let is_read = own.is_some_and(|own| whole.sources.find(own).is_some());
    let is_line =
        anchor.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_read || is_line || anchor.is_empty() || path.extension() != Some("md") {
        return None;
    }
    let mut sources = SourceMap::default();
    let file = sources.add(path.to_owned(), repository.read(path)?);
    dead_anchor::finding(&sources, file, mention.span, anchor)
}
