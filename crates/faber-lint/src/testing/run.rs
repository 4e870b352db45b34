use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;
use rayon::prelude::*;

use faber_core::context_id::ContextId;
use faber_core::diagnostic::Severity;
use faber_core::error::Error;
use faber_core::source::Span;
use faber_output::emit;
use faber_session::session::{Assembled, Session, Workspace};
use faber_tools::explain::data::CandidateData;
use faber_tools::explain::{ExplainInput, candidates};

use super::case::Case;
use super::check::{self, FailedExpectation};
use super::names::WorkspaceNames;
use super::snapshot::{self, Compared};
use super::turns;

const EXPLAINED: usize = 20;

#[derive(Debug, Default)]
pub struct CaseOutcome {
    pub failures: Vec<ExpectationFailure>,
    pub snapshot: Option<(Utf8PathBuf, String)>,
    pub took: Option<Duration>,
}

#[derive(Debug)]
pub struct ExpectationFailure {
    pub expectation: &'static str,
    pub span: Span,
    pub message: String,
    pub help: Option<String>,
    pub detail: Option<String>,
    pub explanation: Option<CandidateData>,
}

#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    pub session: &'a Session,
    pub update: bool,
    pub fail_fast: bool,
}

pub fn all(cases: &[Case], options: RunOptions<'_>) -> Vec<Option<CaseOutcome>> {
    let mut names = WorkspaceNames::new(options.session);
    if !options.fail_fast {
        let runs: Vec<_> = cases.par_iter().map(|case| one(case, options)).collect();
        // Tasks that read files in parallel must not wait for each other.
        return runs.into_iter().map(|run| Some(run.settle(&mut names))).collect();
    }
    let mut failed = false;
    let run = |case| {
        let outcome = (!failed).then(|| one(case, options).settle(&mut names))?;
        failed = !outcome.failures.is_empty();
        Some(outcome)
    };
    cases.iter().map(run).collect()
}

struct CaseRun {
    broken: Vec<FailedExpectation>,
    snapshot: Option<(Utf8PathBuf, String)>,
    took: Option<Duration>,
}

impl CaseRun {
    fn settle(self, names: &mut WorkspaceNames<'_>) -> CaseOutcome {
        let failures: Vec<ExpectationFailure> =
            self.broken.into_iter().filter_map(|broken| broken.settle(names)).collect();
        let snapshot = self.snapshot.filter(|_| failures.is_empty());
        CaseOutcome { failures, snapshot, took: self.took }
    }
}

fn one(case: &Case, options: RunOptions<'_>) -> CaseRun {
    let settings = options.session.settings();
    let start = settings.clock.map(|clock| clock());
    let mut run = CaseRun { broken: Vec::new(), snapshot: None, took: None };
    if !case.turns.is_empty() {
        run.broken = turns::run(case, options.session, settings.width);
        run.took = settings.clock.zip(start).map(|(clock, start)| clock().saturating_sub(start));
        return run;
    }
    let Assembled { workspace, result } = case.setup.assemble(options.session, false);
    match result {
        Ok(assembly) => {
            let subject = ExplainInput { assembly: &assembly, workspace: &workspace };
            run.broken = check::all(case, subject, settings.width);
            run.snapshot = compare(case, subject, options.update, &mut run.broken);
            explain(case, options.session, &mut run.broken);
        }
        Err(error) => run.broken.extend(refused(case, &error, &workspace)),
    }
    run.took = settings.clock.zip(start).map(|(clock, start)| clock().saturating_sub(start));
    run
}

fn refused(case: &Case, error: &Error, workspace: &Workspace) -> Option<FailedExpectation> {
    let (expectation, span, message) = match (&case.fails, case.within) {
        (Some(fails), _) if fails.value.is(error) => return None,
        (Some(fails), _) => {
            let message = format!("failed, but not with `{}`: {error}", fails.value.name());
            ("fails", fails.span, message)
        }
        (None, Some(span)) if matches!(error, Error::Budget { .. }) => {
            ("within", span, error.to_string())
        }
        (None, _) => ("name", case.name.span, format!("cannot be assembled: {error}")),
    };
    let findings = matches!(error, Error::Findings { .. }).then(|| {
        let mut findings = workspace.findings();
        findings.retain(|found| found.severity() == Severity::Error);
        let lines = findings.iter().map(|one| emit::concise(one, &workspace.sources) + "\n");
        lines.collect()
    });
    let help = miette::Diagnostic::help(error).map(|help| help.to_string());
    let help = help.filter(|_| findings.is_none());
    let mut broken = FailedExpectation::new(expectation, span, message);
    broken.failure.help = help;
    broken.failure.detail = findings;
    Some(broken)
}

fn compare(
    case: &Case,
    subject: ExplainInput<'_>,
    update: bool,
    broken: &mut Vec<FailedExpectation>,
) -> Option<(Utf8PathBuf, String)> {
    let name = case.snapshot.as_ref()?;
    let path = snapshot::path(case, &name.value);
    let bundle = subject.assembly.bundle.text();
    let (message, detail) = match snapshot::compare(&subject.workspace.files, &path, &bundle) {
        Compared::Same => return None,
        _ if update => return Some((path, bundle)),
        Compared::Missing => (format!("snapshot `{path}` does not exist yet"), None),
        Compared::Differs(difference) => {
            (format!("the bundle differs from `{path}`"), Some(difference))
        }
        Compared::Unreadable(why) => (format!("`{path}` cannot be read: {why}"), None),
    };
    let mut one = FailedExpectation::new("snapshot", name.span, message);
    one.failure.help = Some("`faber test --update` writes the bundle to it".to_owned());
    one.failure.detail = detail;
    broken.push(one);
    None
}

fn explain(case: &Case, session: &Session, broken: &mut [FailedExpectation]) {
    if broken.iter().all(|broken| broken.about.is_none()) {
        return;
    }
    let Assembled { workspace, result: Ok(assembly) } = case.setup.assemble(session, true) else {
        return;
    };
    let subject = ExplainInput { assembly: &assembly, workspace: &workspace };
    let mut explanations: BTreeMap<&ContextId, Option<CandidateData>> = BTreeMap::new();
    for FailedExpectation { failure, about, .. } in broken {
        let Some(id) = about.as_ref() else { continue };
        if explanations.len() < EXPLAINED || explanations.contains_key(id) {
            let explain = || candidates::one(subject, &id.to_string()).ok();
            failure.explanation.clone_from(explanations.entry(id).or_insert_with(explain));
        }
    }
}
