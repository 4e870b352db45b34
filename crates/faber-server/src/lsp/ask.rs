use camino::Utf8Path;
use lsp_types::Location;

use crate::lsp::analysis::Analysis;
use crate::lsp::client::EditorClient;
use crate::lsp::position::LineIndex;
use crate::lsp::scheduler::AnalysisJob;
use crate::lsp::{address, diagnostics};
use faber_core::source::{FileId, Span};
use faber_lint::validate::LintOutcome;

pub struct LspRequest<'a> {
    pub analysis: &'a Analysis,
    pub outcome: Option<&'a LintOutcome>,
    pub job: &'a AnalysisJob,
    pub path: &'a Utf8Path,
    pub client: EditorClient,
}

impl LspRequest<'_> {
    pub fn file(&self) -> Option<FileId> {
        self.analysis.sources().find(self.path)
    }

    pub fn text(&self, file: FileId) -> &str {
        &self.analysis.sources().get(file).text
    }

    pub fn places(&self, file: FileId) -> LineIndex<'_> {
        self.analysis.places(file, self.client.encoding)
    }

    pub fn location(&self, span: Span) -> Option<Location> {
        let span = self.analysis.sources().original(span);
        let address = diagnostics::address_of(self.analysis, self.job, span.file)?;
        let uri = address::typed(&address)?;
        Some(Location { uri, range: self.places(span.file).range(span.range()) })
    }
}
