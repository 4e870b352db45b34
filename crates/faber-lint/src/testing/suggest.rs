use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Deserialize;
use serde_json::Value;

use faber_core::assemble::{InstructionKind, Job};
use faber_core::config::{Amount, quote};
use faber_core::select::request::Request;
use faber_output::text::counted;
use faber_session::audit::bound::{self, is_whole};
use faber_session::audit::kind::{ASSEMBLE, HOOK, PROMPT};
use faber_session::audit::{AuditEntry, CallOutcome};
use faber_session::session::Session;

use super::case::Setup;

const MAX_SUGGESTIONS: usize = 20;
const MAX_ASSEMBLED: usize = 100;
const MAX_NAME_CHARS: usize = 60;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(default)]
pub(super) struct Arguments {
    request: Option<String>,
    error: Option<String>,
    role: Option<String>,
    task: Option<String>,
    files: Vec<String>,
    with: Vec<String>,
    without: Vec<String>,
    budget: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct CallGroup {
    pub(super) calls: usize,
    results: BTreeSet<String>,
    pub(super) needed: BTreeMap<String, usize>,
}

#[derive(Debug, Default)]
pub struct LoggedCalls {
    groups: BTreeMap<Arguments, CallGroup>,
    count: usize,
}

impl LoggedCalls {
    pub fn add(&mut self, entry: &AuditEntry) {
        if entry.tool != ASSEMBLE || entry.outcome != CallOutcome::Answered {
            return;
        }
        self.count += 1;
        self.group(entry);
    }

    pub fn add_request<'n>(
        &mut self,
        entry: &AuditEntry,
        needed: impl IntoIterator<Item = &'n str>,
    ) {
        self.count += 1;
        if let Some(group) = self.group(entry) {
            for id in needed {
                *group.needed.entry(id.to_owned()).or_default() += 1;
            }
        }
    }

    fn group(&mut self, entry: &AuditEntry) -> Option<&mut CallGroup> {
        let arguments = Arguments::of(entry)?;
        if arguments.texts().next().is_none() || !arguments.texts().all(is_whole) {
            return None;
        }
        let group = self.groups.entry(arguments).or_default();
        group.calls += 1;
        group.results.extend(entry.results.iter().cloned());
        Some(group)
    }

    pub(super) fn most_frequent(
        &self,
        max: usize,
    ) -> impl Iterator<Item = (&Arguments, &CallGroup)> {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, group)| Reverse(group.calls));
        groups.into_iter().take(max)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn cases(&self, session: &Session) -> String {
        let selected = self.most_frequent(MAX_ASSEMBLED).filter_map(|(arguments, group)| {
            let selected = selected(arguments, group, session);
            (!selected.is_empty()).then_some((arguments, group.calls, selected))
        });
        let (mut out, mut names) = (String::new(), BTreeSet::new());
        for (arguments, calls, selected) in selected.take(MAX_SUGGESTIONS) {
            let name = arguments.name();
            let numbered = (2..).map(|number| format!("{name} ({number})"));
            let name = std::iter::once(name.clone()).chain(numbered).find(|n| !names.contains(n));
            let name = name.unwrap_or_default();
            let calls = counted(calls, "call");
            let _ = writeln!(out, "# {calls}\n- name: {}", quote::text(&name));
            out.push_str(&arguments.yaml());
            let _ = writeln!(out, "  selected: {}", list(&selected));
            names.insert(name);
        }
        out
    }
}

/// A logged request that selects different contexts.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct RequestChange {
    /// Its first words.
    pub request: String,
    /// How often it was asked.
    pub calls: usize,
    /// The contexts only in the bundle afterwards.
    pub added: Vec<String>,
    /// The contexts only in the bundle before.
    pub removed: Vec<String>,
}

impl RequestChange {
    pub(super) fn between(
        arguments: &Arguments,
        calls: usize,
        old: &BTreeSet<String>,
        new: &BTreeSet<String>,
    ) -> Option<Self> {
        (old != new).then(|| Self {
            request: arguments.name(),
            calls,
            added: new.difference(old).cloned().collect(),
            removed: old.difference(new).cloned().collect(),
        })
    }
}

fn selected(arguments: &Arguments, group: &CallGroup, session: &Session) -> Vec<String> {
    let Ok(assembly) = arguments.setup().assemble(session, false).result else { return Vec::new() };
    let loaded = assembly.bundle.loaded.iter();
    let loaded = loaded.filter(|loaded| loaded.reasons.iter().any(|reason| !reason.stable));
    loaded.map(|loaded| loaded.id.to_string()).filter(|id| group.results.contains(id)).collect()
}

fn list(items: &[String]) -> String {
    let items: Vec<_> = items.iter().map(|item| quote::text(item)).collect();
    format!("[{}]", items.join(", "))
}

impl Arguments {
    fn of(entry: &AuditEntry) -> Option<Self> {
        // An older faber may have logged a secret.
        let arguments = bound::arguments(&entry.arguments);
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(str::to_owned);
        let read = |value: &Value| serde_json::from_value::<Self>(value.clone()).ok();
        let arguments = match entry.tool.as_str() {
            PROMPT => Self { role: text("name"), ..read(arguments.get("arguments")?)? },
            tool if tool.starts_with(HOOK) => Self { request: text("prompt"), ..read(&arguments)? },
            _ => read(&arguments)?,
        };
        Some(arguments.trimmed())
    }

    fn trimmed(self) -> Self {
        let text = |text: Option<String>| {
            text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        Self {
            request: text(self.request),
            error: text(self.error),
            role: text(self.role),
            task: text(self.task),
            ..self
        }
    }

    fn single(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let texts = [
            ("request", &self.request),
            ("error", &self.error),
            ("task", &self.task),
            ("role", &self.role),
        ];
        texts.into_iter().filter_map(|(key, text)| Some((key, text.as_deref()?)))
    }

    fn lists(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        let lists = [("files", &self.files), ("with", &self.with), ("without", &self.without)];
        lists.into_iter().filter(|(_, list)| !list.is_empty())
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let items = self.lists().flat_map(|(_, list)| list).map(String::as_str);
        self.single().map(|(_, text)| text).chain(items)
    }

    fn name(&self) -> String {
        let text = self.texts().next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        bound::cut(&words.join(" "), MAX_NAME_CHARS)
    }

    fn yaml(&self) -> String {
        let mut out = String::new();
        for (key, text) in self.single() {
            let _ = writeln!(out, "  {key}: {}", quote::text(text));
        }
        for (key, items) in self.lists() {
            let _ = writeln!(out, "  {key}: {}", list(items));
        }
        if let Some(budget) = self.budget {
            let _ = writeln!(out, "  budget: {budget}");
        }
        out
    }

    pub(super) fn setup(&self) -> Setup {
        let mut request = Request::new(self.request.clone().unwrap_or_default());
        request.error = self.error.clone().unwrap_or_default();
        request.files.clone_from(&self.files);
        request.with.clone_from(&self.with);
        request.without.clone_from(&self.without);
        let mut job = Job::new(request);
        job.role.clone_from(&self.role);
        job.instruction = self.task.clone().map(|task| (InstructionKind::Task, task));
        job.budget = self.budget.map(Amount::Tokens);
        Setup { job, ..Setup::default() }
    }
}
