//! Findings in every form that people and programs take them in.

pub mod github;
pub mod human;
pub mod json;
pub mod junit;
pub mod sarif;

use camino::{Utf8Path, Utf8PathBuf};

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::source::{FileId, SourceMap, Span};

/// Everything that one run has to report.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The findings, by file and place.
    pub found: &'a [Diagnostic],
    /// The texts that they point at.
    pub sources: &'a SourceMap,
    /// The files that were looked at, by path.
    pub files: &'a [Utf8PathBuf],
    /// Where secrets stand, which no form shows.
    pub secrets: &'a [Span],
    /// The folder of the workspace as the root of its repository sees it; empty when it is the
    /// root, and when there is no repository.
    pub home: &'a Utf8Path,
}

impl Findings<'_> {
    /// The path of a file from the root of the repository, which is what the hosts of repositories
    /// take paths for; absolute when the file lies outside of the workspace.
    pub fn path(&self, file: FileId) -> String {
        let path = self.sources.path(file);
        // Joined by hand, since a path of the workspace has `/` on every system.
        if self.home.as_str().is_empty() || path.is_absolute() {
            return path.to_string();
        }
        format!("{}/{path}", self.home.as_str().replace('\\', "/"))
    }

    /// How many findings are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.severity() == severity).count()
    }
}
