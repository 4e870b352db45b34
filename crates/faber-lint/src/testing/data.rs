//! The data format of test runs. Field names are stable.

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
    /// The problems in test files. A case with an error is not in `tests`.
    pub findings: Vec<FindingData>,
    /// The number of cases by result.
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
    /// Its result.
    pub status: CaseStatus,
    /// The failed expectations, in the order of the case.
    pub failures: Vec<FailureData>,
    /// The snapshot that was written, from the workspace root.
    pub snapshot_written: Option<String>,
}

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CaseStatus {
    /// All expectations are met.
    Passed,
    /// One or more are not.
    Failed,
    /// Another case failed before, and `--fail-fast` was given.
    NotRun,
}

/// A failed expectation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FailureData {
    /// The key of the expectation; `name` when the case could not be assembled.
    pub expectation: &'static str,
    /// The difference, in one line.
    pub message: String,
    /// Where the expectation is written: the file, from the workspace root.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What to do about it.
    pub help: Option<String>,
    /// More lines, such as a diff.
    pub detail: Option<String>,
    /// The output of `faber explain` for the context.
    pub explanation: Option<CandidateData>,
}

/// The number of cases by result.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct SummaryData {
    /// All cases of `tests`.
    pub tests: usize,
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Those that were not run.
    pub not_run: usize,
    /// Errors in test files.
    pub errors: usize,
    /// Snapshots that were written.
    pub snapshots_written: usize,
}

pub fn data(report: TestReport<'_>) -> TestData {
    let sources = report.sources;
    let tests: Vec<CaseData> =
        report.results().map(|(case, outcome)| one(case, outcome, sources)).collect();
    TestData {
        schema: "faber.test/1",
        findings: report.findings.iter().map(|found| json::finding(found, sources)).collect(),
        summary: report.counts(),
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
