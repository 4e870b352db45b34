//! Findings in every output format.

pub(crate) mod github;
pub(crate) mod human;
pub mod json;
pub(crate) mod junit;
pub(crate) mod sarif;

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::source::{FileId, SourceMap, Span};

#[derive(Clone, Copy, Debug)]
pub struct FindingSet<'a> {
    pub found: &'a [Diagnostic],
    pub sources: &'a SourceMap,
    pub files: &'a [Utf8PathBuf],
    /// Secrets to redact.
    pub secrets: &'a [Span],
    /// The workspace relative to its repository; empty at the root or without a repository.
    pub home: &'a Utf8Path,
}

impl FindingSet<'_> {
    /// Relative to the root of the repository, as code hosts expect; absolute outside of the
    /// workspace.
    pub fn path(&self, file: FileId) -> String {
        let path = self.sources.path(file);
        // Workspace paths use `/` on every system.
        if self.home.as_str().is_empty() || path.is_absolute() {
            return path.to_string();
        }
        format!("{}/{path}", self.home.as_str().replace('\\', "/"))
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.severity() == severity).count()
    }
}
