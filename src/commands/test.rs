//! `faber test`.

use crate::cli::args::{Test, TestFormat};
use crate::commands::stats;
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::rules::{unavailable_pack, unreadable};
use faber_core::{findings, suggest};
use faber_lint::testing::case::Case;
use faber_lint::testing::data::SummaryData;
use faber_lint::testing::report::{self, TestReport};
use faber_lint::testing::run::RunOptions;
use faber_lint::testing::suggest::LoggedCalls;
use faber_lint::testing::{data, junit, load, run, snapshot};
use faber_output::emit::{self, junit as xml};
use faber_output::streams::{ExitStatus, Streams};
use faber_output::table::DisplayOptions;
use faber_session::session::Session;
use faber_session::settings::{Settings, Verbosity};

pub(crate) fn run(args: &Test, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let session = Session::open(streams.settings)?;
    if args.suggest {
        return suggest(args, &session, streams);
    }
    let status = uncached(args, &session, streams);
    session.caches().save();
    status
}

fn suggest(args: &Test, session: &Session, streams: &mut Streams<'_>) -> Result<ExitStatus, Error> {
    let settings = session.settings();
    let since = args.since.map(|since| since.moment((settings.clocks.now)().timestamp()));
    let mut calls = LoggedCalls::default();
    stats::read(session.root(), streams, |entry| {
        if since.is_none_or(|since| entry.time >= since) {
            calls.add(&entry);
        }
    })?;
    let cases = calls.cases(session);
    if cases.is_empty() {
        streams.note(&match (calls.count(), since) {
            (0, None) => {
                "no calls of `assemble_prompt` in the audit log; `faber serve` writes them\n"
                    .to_owned()
            }
            (0, Some(since)) => {
                format!("no calls of `assemble_prompt` in the audit log since {since:.3}\n")
            }
            (count, _) => format!(
                "no cases to suggest: none of the {count} calls of `assemble_prompt` in the audit log has a complete request that still selects the same contexts\n"
            ),
        });
    }
    streams.print(&cases)?;
    Ok(ExitStatus::Done)
}

pub(super) fn uncached(
    args: &Test,
    session: &Session,
    streams: &mut Streams<'_>,
) -> Result<ExitStatus, Error> {
    let settings = session.settings();
    let mut workspace = session.workspace();
    let mut findings = Vec::new();
    let mut cases = load::load(&mut workspace).drain_into(&mut findings);
    // Errors in defaults are found in every case.
    let findings = findings::by_place(findings, &workspace.sources);
    streams.eprint(&emit::findings(&shown(&findings, settings), &workspace.sources, settings));
    if cases.is_empty() && findings.iter().all(|found| found.severity() != Severity::Error) {
        return Err(no_tests());
    }
    filter(&mut cases, &args.filters)?;
    if cases.iter().all(|case| case.fails.is_none()) {
        // Every case would fail.
        let is_missing = |found: &Diagnostic| found.rule() == &unavailable_pack::RULE;
        let stopped = workspace.stop_at_errors(&[], is_missing);
        stopped.inspect_err(|_| streams.eprint_errors(&workspace))?;
    }
    let options = RunOptions { session, update: args.update, fail_fast: args.fail_fast };
    let outcomes = run::all(&cases, options);
    for (path, bundle) in outcomes.iter().flatten().filter_map(|one| one.snapshot.as_ref()) {
        snapshot::write(&workspace.files, path, bundle)?;
    }
    let sources = &workspace.sources;
    let report = TestReport { cases: &cases, outcomes: &outcomes, findings: &findings, sources };
    let look = DisplayOptions::new(settings);
    match args.format {
        TestFormat::Human => streams.print(&report::human(report, look))?,
        TestFormat::Json => streams.print_json(&data::data(report))?,
        TestFormat::Junit => streams.print(&xml::document("faber test", &junit::suites(report)))?,
    }
    if findings.iter().any(|found| found.rule() == &unreadable::RULE) {
        return Ok(ExitStatus::Failed);
    }
    Ok(match report.counts() {
        SummaryData { failed: 0, errors: 0, .. } => ExitStatus::Done,
        _ => ExitStatus::Findings,
    })
}

pub(super) fn shown(findings: &[Diagnostic], settings: &Settings) -> Vec<Diagnostic> {
    let is_shown = |found: &&Diagnostic| {
        settings.verbosity > Verbosity::Quiet || found.severity() == Severity::Error
    };
    findings.iter().filter(is_shown).cloned().collect()
}

pub(super) fn no_tests() -> Error {
    Error::usage(
        "no tests found",
        "write cases to `tests/NAME.yml` or `roles/ROLE/tests/NAME.yml`:\n\n\
         - name: a question about prices\n  request: What does it cost?\n  selected: [prices]",
    )
}

pub(super) fn filter(cases: &mut Vec<Case>, filters: &[String]) -> Result<(), Error> {
    if filters.is_empty() {
        return Ok(());
    }
    let wanted: Vec<String> = filters.iter().map(|filter| filter.to_lowercase()).collect();
    let all = cases.len();
    let label = |case: &Case| report::label(case).to_lowercase();
    let labels: Vec<String> = cases.iter().map(label).collect();
    cases.retain(|case| {
        let label = label(case);
        wanted.iter().any(|wanted| label.contains(wanted.as_str()))
    });
    if !cases.is_empty() {
        return Ok(());
    }
    let close = wanted.iter().find_map(|wanted| {
        let words = labels.iter().flat_map(|label| label.split([' ', '/', ':', '.']));
        suggest::closest(wanted, words)
    });
    let wanted: Vec<_> = filters.iter().map(|filter| format!("`{filter}`")).collect();
    Err(Error::usage(
        format!("no test file or name contains {}", wanted.join(" or ")),
        suggest::help(close, format!("`faber test` runs all {all}")),
    ))
}
