//! Findings as `JUnit` suites, one case per file.

use std::collections::BTreeMap;

use camino::Utf8Path;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_output::emit;
use faber_output::emit::junit::{CaseProblem, CaseResult, Suite, TestCase};

use super::FindingSet;

/// Hints are output of a case and do not fail it.
pub(crate) fn suite(findings: &FindingSet<'_>) -> Suite {
    let mut of_file: BTreeMap<&Utf8Path, Vec<&Diagnostic>> =
        findings.files.iter().map(|path| (path.as_path(), Vec::new())).collect();
    for found in findings.found {
        of_file.entry(findings.sources.path(found.primary.span.file)).or_default().push(found);
    }
    let cases = of_file.into_iter().map(|(path, found)| case(path, &found, findings));
    Suite { name: "faber validate".to_owned(), cases: cases.collect() }
}

fn case(path: &Utf8Path, found: &[&Diagnostic], findings: &FindingSet<'_>) -> TestCase {
    let (hints, failing): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        found.iter().partition(|found| found.severity() == Severity::Hint);
    let lines = |found: &[&Diagnostic]| -> String {
        let lines = found.iter().map(|found| emit::concise(found, findings.sources));
        lines.collect::<Vec<_>>().join("\n")
    };
    let ending = failing.first().map_or(CaseResult::Passed, |first| {
        let (kind, message) = (first.code().to_owned(), first.message.clone());
        CaseResult::Failed(CaseProblem { kind, message, text: lines(&failing) })
    });
    let first = failing.first().or(hints.first()).map_or(1, |first| {
        let span = first.primary.span;
        findings.sources.get(span.file).line(span.start)
    });
    let place = Some((path.to_string(), first));
    TestCase { name: path.to_string(), place, ending, output: lines(&hints) }
}
