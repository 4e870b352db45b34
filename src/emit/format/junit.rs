//! Findings as `JUnit` suites, one case per file.

use std::collections::BTreeMap;

use camino::Utf8Path;

use faber_core::diagnostic::Diagnostic;
use faber_output::emit;
use faber_output::emit::junit::{CaseProblem, CaseResult, Suite, TestCase};

use super::FindingSet;

/// Findings that do not decide the exit status do not fail a case.
pub(crate) fn suite(findings: &FindingSet<'_>, fails: impl Fn(&Diagnostic) -> bool) -> Suite {
    let mut of_file: BTreeMap<&Utf8Path, Vec<&Diagnostic>> =
        findings.files.iter().map(|path| (path.as_path(), Vec::new())).collect();
    for found in findings.found {
        of_file.entry(findings.sources.path(found.primary.span.file)).or_default().push(found);
    }
    let cases = of_file.into_iter().map(|(path, found)| case(path, &found, findings, &fails));
    Suite { name: "faber validate".to_owned(), cases: cases.collect() }
}

fn case(
    path: &Utf8Path,
    found: &[&Diagnostic],
    findings: &FindingSet<'_>,
    fails: impl Fn(&Diagnostic) -> bool,
) -> TestCase {
    let sources = findings.sources;
    let path = sources.find(path).map_or_else(|| path.to_string(), |file| findings.path(file));
    let (failing, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) =
        found.iter().partition(|found| fails(found));
    let lines = |found: &[&Diagnostic]| -> String {
        let lines = found.iter().map(|found| emit::concise_at(found, &path, sources));
        lines.collect::<Vec<_>>().join("\n")
    };
    let ending = failing.first().map_or(CaseResult::Passed, |first| {
        let (kind, message) = (first.code().to_owned(), first.message.clone());
        CaseResult::Failed(CaseProblem { kind, message, text: lines(&failing) })
    });
    let first = failing.first().or(others.first()).map_or(1, |first| {
        let span = first.primary.span;
        sources.get(span.file).line(span.start)
    });
    let output = lines(&others);
    TestCase { name: path.clone(), place: Some((path, first)), ending, output }
}
