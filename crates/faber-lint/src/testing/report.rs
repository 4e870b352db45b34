use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::source::{SourceMap, Span};
use faber_output::table::DisplayOptions;
use faber_output::table::plain;
use faber_tools::explain::one;

use super::case::Case;
use super::data::SummaryData;
use super::run::{CaseOutcome, ExpectationFailure};

#[derive(Clone, Copy)]
pub struct TestReport<'a> {
    pub cases: &'a [Case],
    pub outcomes: &'a [Option<CaseOutcome>],
    pub findings: &'a [Diagnostic],
    pub sources: &'a SourceMap,
}

impl<'a> TestReport<'a> {
    pub fn results(self) -> impl Iterator<Item = (&'a Case, Option<&'a CaseOutcome>)> {
        self.cases.iter().zip(self.outcomes.iter().map(Option::as_ref))
    }

    pub fn errors(self) -> impl Iterator<Item = &'a Diagnostic> {
        self.findings.iter().filter(|found| found.severity() == Severity::Error)
    }

    pub fn counts(self) -> SummaryData {
        let mut counts = SummaryData {
            tests: self.cases.len(),
            errors: self.errors().count(),
            ..SummaryData::default()
        };
        for (_, outcome) in self.results() {
            match outcome {
                None => counts.not_run += 1,
                Some(outcome) if outcome.failures.is_empty() => counts.passed += 1,
                Some(_) => counts.failed += 1,
            }
            counts.snapshots_written +=
                usize::from(outcome.is_some_and(|one| one.snapshot.is_some()));
        }
        counts
    }

    fn place(self, span: Span) -> String {
        let file = self.sources.get(span.file);
        let position = file.position(span.start);
        format!("{}:{}:{}", file.path, position.line, position.column)
    }
}

pub fn label(case: &Case) -> String {
    format!("{}: {}", case.path, case.name.value)
}

pub fn human(report: TestReport<'_>, look: DisplayOptions) -> String {
    let mut out = String::new();
    let has_failed = |outcome: &CaseOutcome| !outcome.failures.is_empty();
    let passed = report.results().filter(|(_, it)| !it.is_some_and(has_failed));
    out.extend(passed.map(|(case, outcome)| line(case, outcome, look)));
    for (case, outcome) in report.results() {
        let Some(outcome) = outcome.filter(|it| has_failed(it)) else { continue };
        out.push_str(if out.is_empty() { "" } else { "\n" });
        out.push_str(&line(case, Some(outcome), look));
        for (failure, text) in outcome.failures.iter().zip(texts(&outcome.failures, look)) {
            let _ = write!(out, "  {}: ", plain(&report.place(failure.span)));
            out.push_str(&text.replace('\n', "\n    "));
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
    }
    out.push_str(if out.is_empty() { "" } else { "\n" });
    out + &summary(report.counts())
}

fn line(case: &Case, outcome: Option<&CaseOutcome>, look: DisplayOptions) -> String {
    let (mark, color) = match outcome {
        None => ('-', 2),
        Some(outcome) if outcome.failures.is_empty() => ('✓', 32),
        Some(_) => ('✗', 31),
    };
    let mark = if look.color { format!("\u{1b}[{color}m{mark}\u{1b}[0m") } else { mark.into() };
    let remark = match outcome {
        None => " (not run)".to_owned(),
        Some(outcome) if outcome.snapshot.is_some() => " (snapshot written)".to_owned(),
        Some(_) => String::new(),
    };
    let took = outcome.and_then(|outcome| outcome.took);
    let took = took.map(|took| format!("  {}", time(took))).unwrap_or_default();
    format!("{mark} {}{remark}{took}\n", plain(&label(case)))
}

fn time(took: Duration) -> String {
    match took.as_millis() {
        under @ 0..1000 => format!("{under} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}

pub fn texts(failures: &[ExpectationFailure], look: DisplayOptions) -> Vec<String> {
    let about = |failure: &ExpectationFailure| {
        failure.explanation.as_ref().map(|explanation| explanation.id.clone())
    };
    let mut explained = BTreeSet::new();
    let is_new =
        failures.iter().map(|failure| about(failure).is_some_and(|id| explained.insert(id)));
    let is_new: Vec<bool> = is_new.collect();
    failures.iter().zip(is_new).map(|(failure, is_new)| text(failure, is_new, look)).collect()
}

fn text(failure: &ExpectationFailure, explain: bool, look: DisplayOptions) -> String {
    let mut out = plain(&failure.message) + "\n";
    out.extend(failure.help.iter().map(|help| plain(&format!("help: {help}\n"))));
    if let Some(candidate) = failure.explanation.as_ref().filter(|_| explain) {
        let look = DisplayOptions { width: look.width.saturating_sub(4), ..look };
        out.push_str(&one::brief(candidate, look));
    }
    out.extend(failure.detail.iter().map(|detail| plain(detail)));
    out
}

fn summary(counts: SummaryData) -> String {
    let SummaryData { passed, failed, not_run, errors, snapshots_written: written, .. } = counts;
    let mut parts = Vec::new();
    let mut add = |count: usize, what: String| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    add(passed, "passed".to_owned());
    add(failed, "failed".to_owned());
    add(not_run, "not run".to_owned());
    add(errors, format!("error{} in test files", plural(errors)));
    add(written, format!("snapshot{} written", plural(written)));
    parts.join(", ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_long_its_case_took_where_that_is_known() {
        let mut sources = SourceMap::default();
        let file = sources.add("tests/a.yml".into(), "- name: x\n".to_owned());
        let case = &crate::testing::read::read(&sources, file, None).value[0];
        let look = DisplayOptions { width: 80, color: false, everything: false, unicode: true };
        let shown = |took| line(case, Some(&CaseOutcome { took, ..CaseOutcome::default() }), look);
        assert_eq!(shown(None), "✓ tests/a.yml: x\n");
        assert_eq!(shown(Some(Duration::from_millis(12))), "✓ tests/a.yml: x  12 ms\n");
        assert_eq!(shown(Some(Duration::from_millis(1260))), "✓ tests/a.yml: x  1.3 s\n");
        let colored = line(case, None, DisplayOptions { color: true, ..look });
        assert_eq!(colored, "\u{1b}[2m-\u{1b}[0m tests/a.yml: x (not run)\n");
    }

    #[test]
    fn the_summary_has_what_there_is() {
        let counts =
            SummaryData { passed: 3, errors: 1, snapshots_written: 2, ..SummaryData::default() };
        let shown = summary(counts);
        assert_eq!(shown, "3 passed, 1 error in test files, 2 snapshots written\n");
    }
}
