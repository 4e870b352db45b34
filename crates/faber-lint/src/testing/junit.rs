use faber_core::source::{SourceMap, Span};
use faber_output::emit::junit::{CaseProblem, CaseResult, Suite, TestCase};
use faber_output::table::DisplayOptions;

use super::report::{TestReport, texts};
use super::run::CaseOutcome;

const WIDTH: usize = 100;

pub fn suites(report: TestReport<'_>) -> Vec<Suite> {
    let cases = report.results().map(|(case, outcome)| {
        let (name, span) = (case.name.value.clone(), case.name.span);
        one(report.sources, span, name, outcome.map_or(CaseResult::Skipped, ending))
    });
    let errors = report.errors().map(|found| {
        let text = found.help.clone().unwrap_or_default();
        let trouble =
            CaseProblem { kind: found.code().to_owned(), message: found.message.clone(), text };
        let name = format!("{}: {}", found.code(), found.message);
        one(report.sources, found.primary.span, name, CaseResult::Error(trouble))
    });
    let mut all: Vec<(String, TestCase)> = cases.chain(errors).collect();
    all.sort_by(|(a, one), (b, two)| (a, &one.place).cmp(&(b, &two.place)));
    let mut suites: Vec<Suite> = Vec::new();
    for (path, case) in all {
        match suites.last_mut() {
            Some(suite) if suite.name == path => suite.cases.push(case),
            _ => suites.push(Suite { name: path, cases: vec![case] }),
        }
    }
    suites
}

fn one(sources: &SourceMap, span: Span, name: String, ending: CaseResult) -> (String, TestCase) {
    let file = sources.get(span.file);
    let path = file.path.to_string();
    (
        path.clone(),
        TestCase {
            name,
            place: Some((path, file.line(span.start))),
            ending,
            output: String::new(),
        },
    )
}

fn ending(outcome: &CaseOutcome) -> CaseResult {
    let Some(first) = outcome.failures.first() else { return CaseResult::Passed };
    let look = DisplayOptions::plain(WIDTH);
    let failures = outcome.failures.iter().zip(texts(&outcome.failures, look));
    let entries = failures.map(|(failure, text)| format!("{}: {text}", failure.expectation));
    let messages: Vec<&str> = outcome.failures.iter().map(|one| &*one.message).collect();
    CaseResult::Failed(CaseProblem {
        kind: first.expectation.to_owned(),
        message: messages.join("; "),
        text: entries.collect(),
    })
}
