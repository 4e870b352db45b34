//! `faber validate`: rules check a [`survey`](faber_core::workspace::survey); comments, a baseline
//! and the configuration filter findings.

pub(crate) mod allow;
pub mod baseline;
pub(crate) mod check;
mod companions;
pub(crate) mod declared;
pub mod fix;
mod imported;
pub mod policy;
pub(crate) mod resemblance;
mod rot;
pub(crate) mod rules;
pub(crate) mod sizes;
pub mod views;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use faber_core::category::Category;
use faber_core::config::Config;
use faber_core::diagnostic::{self, Diagnostic, Severity};
use faber_core::findings;
use faber_core::parse::fields::ContextStatus;
use faber_core::parse::frontmatter::FrontMatter;
use faber_core::rule::Group;
use faber_core::rules::{invalid_config, invalid_evidence, missing_path, secret};
use faber_core::security;
use faber_core::security::redact::{self, Redactor};
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::suggest;
use faber_core::workspace::packs::drop_consequences;
use faber_core::workspace::survey::{FileEntry, FileKind, Inventory};
use faber_core::world::Unreadable;
use faber_session::discover::repository::Repository;
use faber_session::session::{Session, Workspace};
use faber_session::settings::Settings;
use faber_tools::exchange::settings;

use crate::trial::evidence::{self, Evidence};
use baseline::{Baseline, PlacedBaseline};
use check::{Check, DocumentInput, FileInput, LintContext, RoleInput};
use policy::Policy;
use rules::CHECKS;
use views::SEQUENTIAL_ABOVE;

#[derive(Debug, Default)]
pub struct LintScope {
    pub paths: Vec<Utf8PathBuf>,
    pub changed: Option<BTreeSet<Utf8PathBuf>>,
    pub deleted: Vec<Utf8PathBuf>,
    pub removed: Vec<Utf8PathBuf>,
}

impl LintScope {
    fn is_below(&self, path: &Utf8Path) -> bool {
        let below = |home: &Utf8PathBuf| home.as_str().is_empty() || path.starts_with(home);
        self.paths.is_empty() || self.paths.iter().any(below)
    }

    pub fn holds(&self, path: &Utf8Path) -> bool {
        self.is_below(path) && self.changed.as_ref().is_none_or(|changed| changed.contains(path))
    }

    fn reports(&self, found: &Diagnostic, sources: &SourceMap) -> bool {
        let mut places = std::iter::once(&found.primary).chain(&found.related);
        places.any(|label| self.holds(sources.path(label.span.file)))
            || self.names_deleted(found, sources)
    }

    fn names_deleted(&self, found: &Diagnostic, sources: &SourceMap) -> bool {
        let span = found.primary.span;
        let text = sources.get(span.file).text.get(span.range()).unwrap_or_default();
        let is_below = self.is_below(sources.path(span.file));
        if is_below && found.rule() == &missing_path::RULE {
            return self.removed.iter().any(|path| rot::names_file(text, path));
        }
        if !is_below || found.rule().group != Group::References {
            return false;
        }
        self.deleted.iter().any(|path| {
            let Some(stem) = path.file_stem() else { return false };
            let of_folder =
                || Category::from_directory(path.parent().and_then(Utf8Path::file_name)?);
            let category = Category::from_prefix(stem).map(|(it, _)| it).or_else(of_folder);
            let names = category.into_iter().flat_map(|category| {
                let name = category.strip_prefix(stem);
                let prefixes = category.row().prefixes.iter();
                let files = prefixes.map(move |prefix| format!("{prefix}{name}"));
                files.chain([format!("{category}/{name}")])
            });
            has_word(text, stem) || names.into_iter().any(|name| has_word(text, &name))
        })
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| is_word(text, at..at + word.len()))
}

pub(crate) fn is_word(text: &str, range: Range<usize>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    !text[..range.start].ends_with(is_part) && !text[range.end..].starts_with(is_part)
}

#[derive(Debug, Default)]
pub struct LintOutcome {
    pub found: Vec<Diagnostic>,
    pub files: Vec<Utf8PathBuf>,
    pub below_paths: usize,
    pub allowed: usize,
    pub known: usize,
    pub left_out: usize,
    pub secrets: Vec<Span>,
    pub lacks_history: bool,
    pub git_failure: Option<String>,
}

#[derive(Debug)]
pub struct Linter {
    pub workspace: Workspace,
    pub survey: Inventory,
    pub settings: Settings,
    evidence: Option<Evidence>,
    repository: Option<Repository>,
    policy: Policy,
    companions: Vec<FileId>,
}

impl Linter {
    pub fn open(session: &Session, mut policy: Policy) -> Self {
        let mut workspace = session.workspace();
        let mut found = Vec::new();
        policy.configure(workspace.severities(), &mut found);
        workspace.found.append(&mut found);
        let survey = workspace.survey();
        let companions = companions::read(&mut workspace, &survey);
        let evidence = read_evidence(&mut workspace);
        let repository = Repository::around(&workspace.files, &session.caches().git);
        let settings = session.settings().clone();
        Self { workspace, survey, settings, evidence, repository, policy, companions }
    }

    pub fn run(&mut self, scope: &LintScope, baseline: Option<&Baseline>) -> LintOutcome {
        let baseline = baseline.map(|baseline| baseline.placed(&mut self.workspace.sources));
        look(self, scope, baseline)
    }

    pub fn check(&self) -> LintOutcome {
        look(self, &LintScope::default(), None)
    }
}

fn unknown_model(config: &Config) -> Option<Diagnostic> {
    let model = config.model.as_ref().filter(|model| config.model(&model.value).is_none())?;
    let known = config.models.0.keys().map(String::as_str);
    let help = suggest::help(suggest::closest(&model.value, known), "add it to `models`");
    let message = format!("unknown model `{}`", model.value);
    Some(invalid_config::RULE.at(model.span, message).help(help))
}

fn read_evidence(workspace: &mut Workspace) -> Option<Evidence> {
    let path = Utf8Path::new(evidence::FILE);
    let text = match workspace.files.read(path) {
        Ok(text) => text,
        Err(Unreadable::Missing) => return None,
        Err(trouble) => {
            workspace.found.push(trouble.diagnostic(&mut workspace.sources, path));
            return None;
        }
    };
    let file = workspace.sources.add(path.to_owned(), text.clone());
    let read = Evidence::read(&text);
    read.map_err(|message| {
        let found = invalid_evidence::RULE.at(Span::start_of(file), message);
        workspace.found.push(found.help("remove it, then run `faber trial read` again"));
    })
    .ok()
}

fn look(linter: &Linter, scope: &LintScope, baseline: Option<PlacedBaseline<'_>>) -> LintOutcome {
    let Linter { workspace, survey, settings, evidence, repository, policy, companions } = linter;
    let mut in_files = Vec::new();
    let (sources, config) = (&workspace.sources, &workspace.config);
    let analyses = workspace.analyses.as_ref();
    let caches = &workspace.caches;
    let whole = LintContext {
        sources,
        survey,
        config,
        today: settings.today,
        analyses,
        caches,
        repository: repository.as_ref(),
        evidence: evidence.as_ref(),
    };
    check_files(&whole, &mut in_files);
    companions::check(&whole, companions, &mut in_files);
    let looked = views::check_views(workspace, settings, &whole);
    let mut found = in_files;
    found.extend(workspace.noticed().chain(&looked.noticed).cloned());
    check_whole(&whole, &mut found);
    found.extend(looked.found);
    found.extend(unknown_model(config));
    imported::claim(workspace, &mut found);
    rules::reference_case::claim(&whole, &mut found);
    rules::merge_conflict::claim(&mut found);
    rules::flow_task_missing::claim(&whole, &mut found);
    rot::claim(&mut found);
    let found = found.into_iter().map(|found| workspace.of_pack(found)).collect();
    let mut found = findings::by_place(found, sources);
    let secrets = found.iter().filter(|found| found.rule() == &secret::RULE);
    let mut secrets: Vec<Span> = secrets.map(|found| found.primary.span).collect();
    let all = || survey.files.iter().map(|entry| entry.file).chain(companions.iter().copied());
    let scanned = all().collect();
    secrets.extend(redact::secrets_near(&found, sources, &scanned));
    let redactor = Redactor::new(sources, &secrets);
    let allowed = allow::apply(&mut found, &whole, policy);
    let known = baseline.map(|placed| placed.apply(&mut found, sources, &redactor));
    let count = |mut removed: Vec<Diagnostic>| {
        policy.apply(&mut removed);
        removed.iter().filter(|found| scope.reports(found, sources)).count()
    };
    let (allowed, known) = (count(allowed), count(known.unwrap_or_default()));
    policy.apply(&mut found);
    drop_consequences(&mut found);
    found.retain(|found| scope.reports(found, sources));
    without_linked_fixes(&mut found, workspace);
    redact::messages(&mut found, &redactor);
    let is_done = |rule: &str| policy::is_security(rule) && rule != secret::RULE.code;
    let capped = diagnostic::capped(findings::by_place(found, sources), is_done);
    let found = findings::by_place(capped, sources);
    let paths = all().map(|file| sources.original_path(file));
    let below: BTreeSet<&Utf8Path> = paths.filter(|path| scope.is_below(path)).collect();
    let below_paths = below.len();
    let files = below.into_iter().filter(|path| scope.holds(path)).map(ToOwned::to_owned).collect();
    let lacks_history = repository.as_ref().is_some_and(Repository::lacks_history);
    let left_out = looked.left_out;
    let git_failure = repository.as_ref().and_then(Repository::failure).map(str::to_owned);
    LintOutcome {
        found,
        files,
        below_paths,
        allowed,
        known,
        left_out,
        secrets,
        lacks_history,
        git_failure,
    }
}

/// A fix of the link's path could be wrong for its target.
fn without_linked_fixes(found: &mut [Diagnostic], workspace: &Workspace) {
    let mut known: BTreeMap<FileId, bool> = BTreeMap::new();
    for found in found.iter_mut() {
        let mut files = found.fix.iter().map(|edit| edit.span.file);
        let is_linked = |file| workspace.files.is_linked(workspace.sources.path(file));
        if files.any(|file| *known.entry(file).or_insert_with(|| is_linked(file))) {
            found.fix.clear();
        }
    }
}

fn check_files(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let check =
        |entry: &FileEntry| whole.known(entry.file, entry.kind.name(), || check_file(whole, entry));
    let each: Vec<Vec<Diagnostic>> = whole.survey.files.par_iter().map(check).collect();
    for mut of_file in each {
        if found.len() < of_file.len() {
            std::mem::swap(found, &mut of_file);
        }
        found.append(&mut of_file);
    }
}

fn check_file(whole: &LintContext<'_>, entry: &FileEntry) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let source = whole.sources.get(entry.file);
    let front = whole.survey.front(entry);
    let node = front.map(|front| &front.node).filter(|node| !node.entries().is_empty());
    security::scan(entry.file, &source.path, &source.text, node, &mut found);
    found.extend(node.and_then(settings::front));
    if entry.kind == FileKind::Note {
        soften(front, &mut found);
    }
    let input = FileInput { whole, entry };
    let document = entry.document.map(|at| &whole.survey.documents[at]);
    for check in CHECKS {
        match (check, document) {
            (Check::File(check), _) => check(&input, &mut found),
            (Check::Document(check), Some(document)) => {
                check(&DocumentInput { whole, document }, &mut found);
            }
            _ => {}
        }
    }
    found
}

fn soften(front: Option<&FrontMatter>, found: &mut Vec<Diagnostic>) {
    match front.and_then(|front| front.fields.status.as_ref()).map(|status| status.value) {
        Some(ContextStatus::Rejected) => found.retain(|one| one.rule() == &secret::RULE),
        Some(ContextStatus::Draft) => {
            let of_model = found.iter_mut().filter(|one| one.rule() != &secret::RULE);
            of_model.for_each(|one| one.configure(Severity::Hint));
        }
        _ => {}
    }
}

fn check_whole(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let look = |check: &Check| {
        let mut found = Vec::new();
        match check {
            Check::Role(check) => {
                for lineage in &whole.survey.lineages {
                    check(&RoleInput { whole, lineage }, &mut found);
                }
            }
            Check::Workspace(check) => check(whole, &mut found),
            _ => {}
        }
        found
    };
    let each: Vec<Vec<Diagnostic>> = if whole.survey.documents.len() > SEQUENTIAL_ABOVE {
        CHECKS.iter().map(look).collect()
    } else {
        CHECKS.par_iter().with_max_len(1).map(look).collect()
    };
    found.extend(each.into_iter().flatten());
}
