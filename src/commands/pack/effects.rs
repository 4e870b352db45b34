//! Effects of changed packs: contexts, test cases, logged requests and findings.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::packs::lock::{Lock, LockedPack};
use faber_core::rule::Group;
use faber_core::rules::section_without_base;
use faber_core::source::SourceMap;
use faber_core::workspace::Viewer;
use faber_lint::testing::suggest::{LoggedCalls, RequestChange};
use faber_lint::testing::{load, report, run};
use faber_lint::validate::policy::Policy;
use faber_lint::validate::{LintScope, Linter};
use faber_output::text::unified_diff;
use faber_session::discover::audit;
use faber_session::packs::fetch::Fetcher;
use faber_session::session::Session;

/// `faber pack update --format json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackUpdateData {
    /// `faber.pack-update/1`.
    pub schema: &'static str,
    /// The packs that change.
    pub packs: Vec<PackChange>,
    /// The contexts that change, by id.
    pub contexts: Vec<ContextChange>,
    /// The cases of `faber test` whose result changes.
    pub tests: Vec<TestChange>,
    /// The logged requests that select different contexts.
    pub requests: Vec<RequestChange>,
    /// New findings, security first.
    pub findings: Vec<NewFinding>,
    /// Why the effects are unknown: the former files are not available. Then there are no contexts,
    /// tests and requests, and only findings of security.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Whether configuration and lock were written.
    pub written: bool,
}

/// A pack before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PackChange {
    /// Its name.
    pub name: String,
    /// Its version or ref, and commit, before; none when it is new.
    pub before: Option<String>,
    /// Its version or ref, and commit, afterwards; none when it is gone.
    pub after: Option<String>,
    /// How many files are new.
    pub added: usize,
    /// How many files are gone.
    pub removed: usize,
    /// The number of files that change.
    pub changed: usize,
}

/// How a context changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its resolved text changes.
    Changed,
}

impl ChangeKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// A context before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextChange {
    /// Its id.
    pub id: String,
    /// What becomes of it.
    pub kind: ChangeKind,
    /// The roles that see the change; empty for a workspace without roles.
    pub roles: Vec<String>,
    /// The difference of the resolved texts in unified form.
    pub unified: String,
}

/// A test case whose result changes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TestChange {
    /// Its file and name.
    pub case: String,
    /// Whether it passes afterwards.
    pub passes: bool,
    /// The failed expectations.
    pub failures: Vec<String>,
}

/// A new finding.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewFinding {
    /// Its rule.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Whether its rule is one of security.
    pub security: bool,
    /// Whether a section that an overlay of the workspace changes is gone.
    pub vanished_section: bool,
    /// Where, as `path:line`.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl PackUpdateData {
    pub(crate) fn nothing() -> Self {
        Self {
            schema: "faber.pack-update/1",
            packs: Vec::new(),
            contexts: Vec::new(),
            tests: Vec::new(),
            requests: Vec::new(),
            findings: Vec::new(),
            unknown: None,
            written: false,
        }
    }

    /// Whether a new security error prevents writing.
    pub(crate) fn stops(&self) -> bool {
        self.findings.iter().any(|it| it.security && it.severity == Severity::Error)
    }
}

pub(crate) fn between(
    [before, after]: [&Session; 2],
    locks: [&Lock; 2],
    packs: Vec<PackChange>,
) -> Result<PackUpdateData, Error> {
    let mut calls = LoggedCalls::default();
    let root = before.root();
    let log = audit::read(root, |entry| calls.add(&entry));
    log.map_err(|source| Error::Io { action: "read", path: audit::path(root), source })?;
    Ok(PackUpdateData {
        packs,
        contexts: contexts([before, after], locks),
        tests: tests(before, after),
        requests: calls.changes(before, after),
        findings: findings(before, after)?,
        ..PackUpdateData::nothing()
    })
}

/// Without the former files, only security findings count.
pub(super) fn of_unknown(
    [before, after]: [&Session; 2],
    packs: Vec<PackChange>,
    why: &Error,
) -> Result<PackUpdateData, Error> {
    let mut findings = findings(before, after)?;
    findings.retain(|found| found.security);
    let unknown = Some(why.to_string());
    Ok(PackUpdateData { packs, findings, unknown, ..PackUpdateData::nothing() })
}

pub(super) fn packs([before, after]: [&Lock; 2], fetcher: &Fetcher<'_>) -> Vec<PackChange> {
    let names: BTreeSet<&String> = before.packs.keys().chain(after.packs.keys()).collect();
    let change = |name: &String| {
        let (old, new) = (before.packs.get(name), after.packs.get(name));
        let files =
            |pack: Option<&LockedPack>| pack.map(|pack| pack.files.clone()).unwrap_or_default();
        let (old_files, new_files) = (files(old), files(new));
        let count = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            one.keys().filter(|path| !other.contains_key(*path)).count()
        };
        let is_other = |(path, hash): &(&String, &String)| {
            old_files.get(*path).is_some_and(|old| old != *hash)
        };
        let place = |pack: &LockedPack| (pack.source.clone(), pack.path.clone());
        let is_moved = old.zip(new).is_some_and(|(old, new)| place(old) != place(new));
        let version = |pack: &LockedPack| {
            let of = if is_moved { format!(" of {}", address(pack)) } else { String::new() };
            fetcher.version(pack) + &of
        };
        (old != new).then(|| PackChange {
            name: name.clone(),
            before: old.map(version),
            after: new.map(version),
            added: count(&new_files, &old_files),
            removed: count(&old_files, &new_files),
            changed: new_files.iter().filter(is_other).count(),
        })
    };
    names.into_iter().filter_map(change).collect()
}

fn address(pack: &LockedPack) -> String {
    let path = if pack.path.is_empty() { String::new() } else { format!(", {}", pack.path) };
    format!("{}{path}", pack.source)
}

/// Texts of contexts by id.
type Texts = BTreeMap<String, String>;

type Pair = [Option<String>; 2];

fn texts(session: &Session, lock: &Lock, role: Option<&str>) -> Option<Texts> {
    let view = session.view(&Viewer::new(role.map(str::to_owned), None)).ok()?;
    let contexts = view.resolved.catalog.contexts.values();
    let text = |context: &faber_core::resolve::catalog::Context| {
        // Links to pack files have store paths, which differ per version.
        let places =
            lock.packs.iter().map(|(name, pack)| (name, pack.digest.trim_start_matches("sha256:")));
        let text =
            places.fold(context.body.text(&view.workspace.sources), |text, (name, place)| {
                if place.is_empty() { text } else { text.replace(place, name) }
            });
        (context.id.to_string(), text)
    };
    Some(contexts.map(text).collect())
}

fn contexts([before, after]: [&Session; 2], locks: [&Lock; 2]) -> Vec<ContextChange> {
    let roles = |session: &Session| session.workspace().role_names();
    let roles: BTreeSet<String> = roles(before).into_iter().chain(roles(after)).collect();
    let mut views: Vec<Option<String>> = roles.into_iter().map(Some).collect();
    if views.is_empty() {
        views.push(None);
    }
    // Most roles see the same texts.
    let mut changes: BTreeMap<(String, Pair), Vec<String>> = BTreeMap::new();
    for role in views {
        let old = texts(before, locks[0], role.as_deref()).unwrap_or_default();
        let new = texts(after, locks[1], role.as_deref()).unwrap_or_default();
        let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for id in ids {
            let pair = [old.get(id), new.get(id)];
            if pair[0] != pair[1] {
                let key = (id.clone(), pair.map(Option::<&String>::cloned));
                changes.entry(key).or_default().extend(role.clone());
            }
        }
    }
    let change = |((id, [was, is]), roles): ((String, Pair), Vec<String>)| {
        let kind = match (&was, &is) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ => ChangeKind::Changed,
        };
        let [was, is] = [was, is].map(Option::unwrap_or_default);
        let unified = unified_diff(&was, &is, &format!("a/{id}"), &format!("b/{id}"));
        ContextChange { id, kind, roles, unified }
    };
    changes.into_par_iter().map(change).collect()
}

fn tests(before: &Session, after: &Session) -> Vec<TestChange> {
    let failures = |session: &Session| {
        let cases = load::load(&mut session.workspace()).value;
        let options = run::RunOptions { session, update: false, fail_fast: false };
        let outcomes = run::all(&cases, options).into_iter();
        let failed = |outcome: Option<run::CaseOutcome>| {
            let failures = outcome.map(|outcome| outcome.failures).unwrap_or_default();
            failures.into_iter().map(|failure| failure.message).collect::<Vec<_>>()
        };
        let labels = cases.iter().map(report::label);
        labels.zip(outcomes.map(failed)).collect::<BTreeMap<String, Vec<String>>>()
    };
    let (old, new) = (failures(before), failures(after));
    let is_other = |(case, failures): &(String, Vec<String>)| {
        old.get(case).is_some_and(|old| old.is_empty() != failures.is_empty())
    };
    let changed = new.into_iter().filter(is_other);
    changed
        .map(|(case, failures)| TestChange { case, passes: failures.is_empty(), failures })
        .collect()
}

fn findings(before: &Session, after: &Session) -> Result<Vec<NewFinding>, Error> {
    let found = |session: &Session| -> Result<(Vec<Diagnostic>, Linter), Error> {
        let mut linter = Linter::open(session, Policy::typed(&[], &[])?);
        let found = linter.run(&LintScope::default(), None).found;
        Ok((found, linter))
    };
    let key = |found: &Diagnostic, sources: &SourceMap| {
        (found.code(), sources.path(found.primary.span.file).to_string(), found.message.clone())
    };
    let (old, linter) = found(before)?;
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for found in &old {
        *known.entry(key(found, &linter.workspace.sources)).or_default() += 1;
    }
    let (new, linter) = found(after)?;
    let sources = &linter.workspace.sources;
    let mut is_new = |found: &&Diagnostic| match known.get_mut(&key(found, sources)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let mut all: Vec<NewFinding> = new
        .iter()
        .filter(|found| is_new(found))
        .map(|found| NewFinding {
            rule: found.code(),
            severity: found.severity(),
            security: found.rule().group == Group::Security,
            vanished_section: found.rule() == &section_without_base::RULE,
            place: sources.place(found.primary.span),
            message: found.message.clone(),
        })
        .collect();
    all.sort_by_key(|it| (!it.security, it.severity));
    Ok(all)
}
