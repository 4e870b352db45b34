use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use crate::validate::check::LintContext;
use faber_core::diagnostic::Diagnostic;
use faber_core::line;
use faber_core::parse::fence;
use faber_core::parse::references::{self, Reference};
use faber_core::rules::dangling_reference;
use faber_core::rules::flow_task_missing::RULE;
use faber_core::source::{FileId, Span};
use faber_core::suggest::{self, SuggestionBudget};
use faber_core::workspace::survey::FileKind;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let mut tasks = Tasks::new(whole);
    for entry in whole.survey.files.iter().filter(|entry| entry.kind == FileKind::Flow) {
        let text = &whole.sources.get(entry.file).text;
        let lines = line::lines_of(whole.sources, entry.file, fence::body(text)..text.len());
        let mut is_code = false;
        for line in &lines {
            let shown = line.text(whole.sources);
            is_code ^= shown.trim_start().starts_with("```");
            let Some(name) = step_task(shown).filter(|_| !is_code) else { continue };
            let stem = name.strip_suffix(".md").unwrap_or(name);
            if tasks.has(entry.file, stem) {
                continue;
            }
            let close = tasks.closest(entry.file, stem);
            if stem.len() < name.len() || stem.contains('-') || close.is_some() {
                let at = line.origin.start as usize + shown.rfind(name).unwrap_or(0);
                let span = Span::new(entry.file, at, at + name.len());
                found.push(missing(span, name, close));
            }
        }
    }
}

pub(crate) fn claim(whole: &LintContext<'_>, found: &mut [Diagnostic]) {
    let flows = whole.survey.files.iter().filter(|entry| entry.kind == FileKind::Flow);
    let flows: BTreeSet<FileId> = flows.map(|entry| entry.file).collect();
    if flows.is_empty() {
        return;
    }
    let mut tasks = Tasks::new(whole);
    for dangling in found.iter_mut().filter(|found| found.rule() == &dangling_reference::RULE) {
        let span = dangling.primary.span;
        if !flows.contains(&span.file) {
            continue;
        }
        let text = whole.sources.text(span);
        let path = match references::parse(text).0 {
            Reference::Root { path } | Reference::Relative { path } => Utf8Path::new(path),
            _ => continue,
        };
        let folder = path.parent().and_then(Utf8Path::file_name);
        if let (Some("tasks"), Some(stem)) = (folder, path.file_stem()) {
            *dangling = missing(span, text, tasks.closest(span.file, stem));
        }
    }
}

struct Tasks<'a> {
    whole: &'a LintContext<'a>,
    by_folder: BTreeMap<&'a Utf8Path, BTreeSet<&'a str>>,
    all: BTreeSet<&'a str>,
    guesses: SuggestionBudget,
}

impl<'a> Tasks<'a> {
    fn new(whole: &'a LintContext<'a>) -> Self {
        let mut by_folder: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for entry in whole.survey.files.iter().filter(|entry| entry.kind == FileKind::Task) {
            let path = whole.sources.path(entry.file);
            let folder = path.parent().unwrap_or(Utf8Path::new(""));
            by_folder.entry(folder).or_default().extend(path.file_stem());
        }
        let all = by_folder.values().flatten().copied().collect();
        Self { whole, by_folder, all, guesses: SuggestionBudget::default() }
    }

    fn of(&self, flow: FileId) -> Vec<&BTreeSet<&'a str>> {
        let survey = self.whole.survey;
        let root = survey.role_root(self.whole.sources.path(flow));
        match root.and_then(|root| survey.lineage_at(root)) {
            None => vec![&self.all],
            Some(lineage) => {
                let homes = lineage.roots().into_iter().chain(["".into()]);
                let homes = homes.map(|root| root.join("tasks"));
                homes.filter_map(|home| self.by_folder.get(&*home)).collect()
            }
        }
    }

    fn has(&self, flow: FileId, name: &str) -> bool {
        self.of(flow).iter().any(|names| names.contains(name))
    }

    fn closest(&mut self, flow: FileId, name: &str) -> Option<&'a str> {
        if !self.guesses.take() {
            return None;
        }
        suggest::closest(name, self.of(flow).into_iter().flatten().copied())
    }
}

fn missing(span: Span, name: &str, close: Option<&str>) -> Diagnostic {
    let help = match close {
        Some(close) => format!("did you mean `/tasks/{close}.md`?"),
        None => "correct it, add the task, or write `N/A`".to_owned(),
    };
    RULE.at(span, format!("unknown task `{name}`")).help(help)
}

fn step_task(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches(['-', '+']).trim_start();
    let line = line.strip_prefix("* ").unwrap_or(line).trim_start();
    let is_bold = line.starts_with("**");
    let line = line.trim_start_matches('*');
    let key = line.get(..4).filter(|key| key.eq_ignore_ascii_case("task"))?;
    let rest = line[key.len()..].trim_start_matches('*').trim_start().strip_prefix(':')?;
    let value = rest.trim_start_matches('*').trim();
    let quoted = value.strip_prefix('`').and_then(|value| value.strip_suffix('`'));
    let name = quoted.or_else(|| is_bold.then_some(value))?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let stem = name.strip_suffix(".md").unwrap_or(name);
    (!stem.is_empty() && stem.bytes().all(is_part)).then_some(name)
}
