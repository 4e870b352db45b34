//! The data format of test runs. Field names are a promise to programs.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::source::{Position, SourceMap, Span};
use faber_output::json::{self, FindingData};
use faber_tools::explain::data::CandidateData;

use super::case::Case;
use super::report::TestReport;
use super::run::{CaseOutcome, ExpectationFailure};

/// `faber test --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TestData {
    /// `faber.test/1`.
    pub schema: &'static str,
    /// The cases that could be read and were asked for, by file and line.
    pub tests: Vec<CaseData>,
    /// What is wrong in the files of cases. A case with an error is not in `tests`.
    pub findings: Vec<FindingData>,
    /// How many ended how.
    pub summary: SummaryData,
}

/// One case.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaseData {
    /// Its name.
    pub name: String,
    /// Its file, from the workspace root.
    pub path: String,
    /// The line of its name, from 1.
    pub line: usize,
    /// How it ended.
    pub status: CaseStatus,
    /// The expectations that do not hold, in the order of the case.
    pub failures: Vec<FailureData>,
    /// The snapshot that was written, from the workspace root.
    pub snapshot_written: Option<String>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaseStatus {
    /// All expectations hold.
    Passed,
    /// One or more do not.
    Failed,
    /// Another case failed before, and `--fail-fast` was given.
    NotRun,
}

/// An expectation that does not hold.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FailureData {
    /// The key of the expectation; `name` when the case could not be assembled.
    pub expectation: &'static str,
    /// What is otherwise, in one line.
    pub message: String,
    /// Where the expectation is written: the file, from the workspace root.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What to do about it.
    pub help: Option<String>,
    /// Lines that show it, such as a difference.
    pub detail: Option<String>,
    /// What `faber explain` says of the context that it is about.
    pub explanation: Option<CandidateData>,
}

/// How many ended how.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SummaryData {
    /// All cases of `tests`.
    pub tests: usize,
    /// Those whose expectations hold.
    pub passed: usize,
    /// Those of which one or more expectations do not hold.
    pub failed: usize,
    /// Those that were not run.
    pub not_run: usize,
    /// Errors in files of cases.
    pub errors: usize,
    /// Snapshots that were written.
    pub snapshots_written: usize,
}

pub fn data(report: TestReport<'_>) -> TestData {
    let counts = report.counts();
    let sources = report.sources;
    let tests: Vec<CaseData> =
        report.results().map(|(case, outcome)| one(case, outcome, sources)).collect();
    TestData {
        schema: "faber.test/1",
        findings: report.findings.iter().map(|found| json::finding(found, sources)).collect(),
        summary: SummaryData {
            tests: tests.len(),
            passed: counts.passed,
            failed: counts.failed,
            not_run: counts.not_run,
            errors: counts.errors,
            snapshots_written: counts.written,
        },
        tests,
    }
}

fn one(case: &Case, outcome: Option<&CaseOutcome>, sources: &SourceMap) -> CaseData {
    let (path, Position { line, .. }) = place(sources, case.name.span);
    let status = match outcome {
        None => CaseStatus::NotRun,
        Some(outcome) if outcome.failures.is_empty() => CaseStatus::Passed,
        Some(_) => CaseStatus::Failed,
    };
    let failures = outcome.iter().flat_map(|outcome| &outcome.failures);
    let written = outcome.and_then(|outcome| outcome.snapshot.as_ref());
    CaseData {
        name: case.name.value.clone(),
        path,
        line,
        status,
        failures: failures.map(|one| failure(one, sources)).collect(),
        snapshot_written: written.map(|(path, _)| path.to_string()),
    }
}

fn failure(failure: &ExpectationFailure, sources: &SourceMap) -> FailureData {
    let (path, Position { line, column }) = place(sources, failure.span);
    FailureData {
        expectation: failure.expectation,
        message: failure.message.clone(),
        path,
        line,
        column,
        help: failure.help.clone(),
        detail: failure.detail.clone(),
        explanation: failure.explanation.clone(),
    }
}

fn place(sources: &SourceMap, span: Span) -> (String, Position) {
    let file = sources.get(span.file);
    (file.path.to_string(), file.position(span.start))
}
