//! Findings in every output format.

pub(crate) mod github;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod sarif;

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::diagnostic::{Diagnostic, Label, Severity};
use faber_core::source::{FileId, SourceMap, Span};

#[derive(Clone, Copy, Debug)]
pub(crate) struct FindingSet<'a> {
    pub found: &'a [Diagnostic],
    pub sources: &'a SourceMap,
    pub files: &'a [Utf8PathBuf],
    pub secrets: &'a [Span],
    pub home: &'a Utf8Path,
    pub packs: &'a [PackPlace],
    pub unchecked: &'a [String],
}

/// Where code hosts find files of a pack.
#[derive(Clone, Debug)]
pub(crate) struct PackPlace {
    pub folder: Utf8PathBuf,
    pub place: Option<Utf8PathBuf>,
    pub declared_at: Span,
}

impl FindingSet<'_> {
    /// From the repository's root, as code hosts expect; absolute outside of the workspace.
    pub(crate) fn path(&self, file: FileId) -> String {
        let path = self.sources.path(file);
        let pack =
            self.pack(file).and_then(|pack| Some((path.strip_prefix(&pack.folder).ok()?, pack)));
        let path = match pack {
            Some((below, PackPlace { place: Some(place), .. })) => place.join(below),
            _ if path.is_absolute() => path.to_owned(),
            _ => self.home.join(path),
        };
        let is_split_by_backslash = cfg!(windows) && path.is_relative();
        if is_split_by_backslash { path.as_str().replace('\\', "/") } else { path.into_string() }
    }

    /// Findings outside of the repository move to where the workspace declares the pack.
    pub(crate) fn placed<'f>(&self, found: &'f Diagnostic) -> Cow<'f, Diagnostic> {
        let outside = |span: Span| self.pack(span.file).filter(|pack| pack.place.is_none());
        let mut labels = std::iter::once(&found.primary).chain(&found.related);
        if labels.all(|label| outside(label.span).is_none()) {
            return Cow::Borrowed(found);
        }
        let mut moved = found.clone();
        let relocate = |label: &mut Label, message: &str| {
            let pack = outside(label.span)?;
            let message = format!("{}: {message}", self.sources.place(label.span));
            label.span = pack.declared_at;
            Some(message)
        };
        if let Some(message) = relocate(&mut moved.primary, &found.message) {
            moved.message = message;
        }
        for label in &mut moved.related {
            if let Some(message) = relocate(label, &label.message.clone()) {
                label.message = message;
            }
        }
        Cow::Owned(moved)
    }

    fn pack(&self, file: FileId) -> Option<&PackPlace> {
        let path = self.sources.path(file);
        self.packs.iter().find(|pack| path.starts_with(&pack.folder))
    }

    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.severity() == severity).count()
    }
}
