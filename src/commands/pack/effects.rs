//! Effects of changed packs: contexts, test cases, logged requests and findings.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::{contexts, instructions};
use faber_core::diagnostic::{Diagnostic, Severity};
use faber_core::error::Error;
use faber_core::packs::lock::{Lock, LockedPack};
use faber_core::rule::Group;
use faber_core::rules::section_without_base;
use faber_core::source::{SourceMap, Span};
use faber_lint::testing::suggest::{LoggedCalls, RequestChange};
use faber_lint::testing::{load, report, run};
use faber_lint::validate::policy::Policy;
use faber_lint::validate::{LintScope, Linter};
use faber_session::discover::audit;
use faber_session::packs::fetch::Fetcher;
use faber_session::packs::mount::version;
use faber_session::session::Session;

/// In characters.
const MAX_LINE: usize = 200;

/// `faber pack update --format json`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct PackUpdateData {
    /// `faber.pack-update/1`.
    pub schema: &'static str,
    /// The packs that change.
    pub packs: Vec<PackChange>,
    /// The contexts that change, by id.
    pub contexts: Vec<ContextChange>,
    /// The other files of packs that change: prompts, `agent.yml`, tasks, flows, what these include,
    /// and configurations.
    pub files: Vec<FileChange>,
    /// The MCP servers that change. Those of packs that are not new stop the update.
    pub servers: Vec<ServerChange>,
    /// The roles of which other numbers of tokens always load.
    pub always: Vec<AlwaysChange>,
    /// The cases of `faber test` whose result changes.
    pub tests: Vec<TestChange>,
    /// The logged requests that select different contexts.
    pub requests: Vec<RequestChange>,
    /// New findings, security first.
    pub findings: Vec<NewFinding>,
    /// Why contexts, tests and requests are not known, or not of all roles: the former files are not
    /// available, or the workspace has errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Whether a role that can be used before cannot be used afterwards, which stops the update.
    pub breaks: bool,
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
    /// Why its ref does not lead to the former commit any more, such as a moved tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
    /// How many files are new.
    pub added: usize,
    /// How many files are gone.
    pub removed: usize,
    /// The number of files that change.
    pub changed: usize,
}

faber_core::named_enum! {
    /// How something changes.
    pub(crate) enum ChangeKind {
        /// It is new.
        Added = "added",
        /// It is gone.
        Removed = "removed",
        /// Its text or a field changes.
        Changed = "changed",
    }
}

impl ChangeKind {
    pub(super) fn between<T: PartialEq>(before: Option<&T>, after: Option<&T>) -> Option<Self> {
        match (before, after) {
            (Some(before), Some(after)) => (before != after).then_some(Self::Changed),
            (None, None) => None,
            (None, Some(_)) => Some(Self::Added),
            (Some(_), None) => Some(Self::Removed),
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
    /// `required` and `sealed`, where they have an effect afterwards.
    pub flags: Vec<&'static str>,
    /// The roles that see the change; empty for a workspace without roles.
    pub roles: Vec<String>,
    /// The difference in unified form of front matter, if it changes, and resolved text.
    pub unified: String,
}

/// A file of a pack before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileChange {
    /// `PACK:PATH`.
    pub file: String,
    /// What becomes of it.
    pub kind: ChangeKind,
    /// The difference in unified form.
    pub unified: String,
}

/// An MCP server in the configuration of a pack before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ServerChange {
    /// The name of the pack.
    pub pack: String,
    /// Its name in `mcp_servers`.
    pub server: String,
    /// What becomes of it.
    pub kind: ChangeKind,
}

/// The tokens of contexts that always load before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AlwaysChange {
    /// None for a workspace without roles.
    pub role: Option<String>,
    /// Before.
    pub before: usize,
    /// Afterwards.
    pub after: usize,
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
    /// The start of its line, for security: the file may not be on this machine.
    #[serde(skip)]
    pub(super) line: String,
}

impl NewFinding {
    pub(super) fn new(found: &Diagnostic, sources: &SourceMap) -> Self {
        let security = found.rule().group == Group::Security;
        Self {
            rule: found.code(),
            severity: found.severity(),
            security,
            vanished_section: found.rule() == &section_without_base::RULE,
            place: sources.place(found.primary.span),
            message: found.message.clone(),
            line: if security { line(sources, found.primary.span) } else { String::new() },
        }
    }
}

fn line(sources: &SourceMap, span: Span) -> String {
    let span = sources.original(span);
    let text = &sources.get(span.file).text;
    let start = text[..span.range().start].rfind('\n').map_or(0, |end| end + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    line.trim().chars().take(MAX_LINE).collect()
}

impl PackUpdateData {
    pub(crate) fn nothing() -> Self {
        Self { schema: "faber.pack-update/1", ..Self::default() }
    }

    /// Servers of the typed pack (`added`) are expected.
    pub(super) fn obstacle(&self, added: Option<&str>) -> Option<&'static str> {
        let is_new =
            |pack: &str| self.packs.iter().any(|it| it.name == pack && it.before.is_none());
        let runs_other = |it: &ServerChange| {
            it.kind != ChangeKind::Removed && !(added.is_some() && is_new(&it.pack))
        };
        if self.breaks {
            Some("the workspace has errors with the update that prevent its use")
        } else if self.findings.iter().any(|it| it.security && it.severity == Severity::Error) {
            Some("the update has new security errors")
        } else if self.servers.iter().any(runs_other) {
            Some("the update changes MCP servers")
        } else {
            None
        }
    }
}

pub(crate) fn between(
    sessions: [&Session; 2],
    locks: [&Lock; 2],
    packs: Vec<PackChange>,
) -> Result<PackUpdateData, Error> {
    let [old, new] = [checked(sessions[0])?, checked(sessions[1])?];
    let linters = [&old.0, &new.0];
    let mut findings = new_findings([&old, &new]);
    let compared = contexts::compare(sessions, locks);
    // A finding about `sections` may have the same cause.
    let file = |found: &NewFinding| found.place.rsplit_once(':').map(|(path, _)| path.to_owned());
    let is_known = |found: &NewFinding| {
        let is_it = |known: &NewFinding| {
            known.vanished_section
                && file(known) == file(found)
                && found.message.starts_with(&known.message)
        };
        findings.iter().any(is_it)
    };
    let vanished: Vec<_> = compared.vanished.into_iter().filter(|it| !is_known(it)).collect();
    findings.extend(vanished);
    let mut data = PackUpdateData {
        packs,
        contexts: compared.contexts,
        files: instructions::files(linters),
        servers: instructions::servers(linters),
        always: compared.always,
        findings,
        unknown: compared.unknown,
        breaks: compared.breaks,
        ..PackUpdateData::nothing()
    };
    if data.unknown.is_none() {
        data.tests = tests(sessions);
        data.requests = requests(sessions)?;
    }
    Ok(data)
}

/// Without the former files, only security findings and MCP servers count.
pub(super) fn of_unknown(
    [before, after]: [&Session; 2],
    packs: Vec<PackChange>,
    why: &Error,
) -> Result<PackUpdateData, Error> {
    let [old, new] = [checked(before)?, checked(after)?];
    let mut findings = new_findings([&old, &new]);
    findings.retain(|found| found.security);
    let servers = instructions::servers([&old.0, &new.0]);
    let unknown = Some(format!("the former files are not available: {why}"));
    Ok(PackUpdateData { packs, servers, findings, unknown, ..PackUpdateData::nothing() })
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
        let is_other_ref = old
            .zip(new)
            .is_some_and(|(old, new)| old.commit == new.commit && old.reference != new.reference);
        let version = |pack: &LockedPack| {
            let of = if is_moved { format!(" of {}", address(pack)) } else { String::new() };
            let version = if is_other_ref { version(pack) } else { fetcher.version(pack) };
            version + &of
        };
        // Only the files say what was used if a program has changed the commit.
        let is_same = old.zip(new).is_some_and(|(old, new)| version(old) == version(new));
        let former = |pack: &LockedPack| match pack.digest.get(..12).filter(|_| is_same) {
            Some(digest) => format!("files of digest {digest}"),
            None => version(pack),
        };
        (old != new).then(|| PackChange {
            name: name.clone(),
            before: old.map(former),
            after: new.map(version),
            moved: old.and_then(|old| fetcher.moved(old)),
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

pub(super) fn requests([before, after]: [&Session; 2]) -> Result<Vec<RequestChange>, Error> {
    let mut calls = LoggedCalls::default();
    let root = before.root();
    let log = audit::read(root, |entry| calls.add(&entry));
    log.map_err(|source| Error::Io { action: "read", path: audit::path(root), source })?;
    Ok(calls.replay(before, after).changes)
}

pub(super) fn tests([before, after]: [&Session; 2]) -> Vec<TestChange> {
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

pub(super) fn checked(session: &Session) -> Result<(Linter, Vec<Diagnostic>), Error> {
    let mut linter = Linter::open(session, Policy::typed(&[], &[])?);
    let found = linter.run(&LintScope::default(), None).found;
    Ok((linter, found))
}

fn new_findings([old, new]: [&(Linter, Vec<Diagnostic>); 2]) -> Vec<NewFinding> {
    let key = |found: &Diagnostic, sources: &SourceMap| {
        (found.code(), sources.path(found.primary.span.file).to_string(), found.message.clone())
    };
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for found in &old.1 {
        *known.entry(key(found, &old.0.workspace.sources)).or_default() += 1;
    }
    let sources = &new.0.workspace.sources;
    let mut is_new = |found: &&Diagnostic| match known.get_mut(&key(found, sources)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let new = new.1.iter().filter(|found| is_new(found));
    let mut all: Vec<NewFinding> = new.map(|found| NewFinding::new(found, sources)).collect();
    all.sort_by_key(|it| (!it.security, it.severity));
    all
}
