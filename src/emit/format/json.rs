//! Findings as `faber.findings/1`.

use schemars::JsonSchema;
use serde::Serialize;

use faber_core::diagnostic::Severity;
use faber_lint::validate::fix;
use faber_output::json::{self, FindingData};

use super::FindingSet;

/// `faber validate --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FindingsData {
    /// `faber.findings/1`.
    pub schema: &'static str,
    /// The findings, by file and place.
    pub findings: Vec<FindingData>,
    /// How many there are.
    pub summary: SummaryData,
    /// What could not be checked and why, such as a git repository that git does not read.
    pub unchecked: Vec<String>,
}

/// The number of findings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SummaryData {
    /// The number of files checked.
    pub files: usize,
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Hints.
    pub hints: usize,
}

pub(crate) fn json(findings: &FindingSet<'_>) -> FindingsData {
    let finding = |found| FindingData {
        fixable: fix::is_fixable(found, false),
        ..json::finding(found, findings.sources)
    };
    FindingsData {
        schema: "faber.findings/1",
        findings: findings.found.iter().map(finding).collect(),
        summary: SummaryData {
            files: findings.files.len(),
            errors: findings.count(Severity::Error),
            warnings: findings.count(Severity::Warning),
            hints: findings.count(Severity::Hint),
        },
        unchecked: findings.unchecked.to_vec(),
    }
}
