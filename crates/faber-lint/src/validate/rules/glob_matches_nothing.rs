use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::validate::check::LintContext;
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::packs::FOLDER;
use faber_core::parse::references::scan::FoundReference;
use faber_core::parse::references::{self, Reference};
use faber_core::paths::normalize;
use faber_core::resolve::index::{ReferenceOrigin, candidates};
use faber_core::role::Lineage;
use faber_core::rules::glob_matches_nothing::RULE;
use faber_core::select::globs;
use faber_core::source::Spanned;
use faber_core::suggest::{self, SuggestionBudget};

const MAX_COMPARISONS: usize = 2_000_000;

const MAX_GLOBS: usize = 1_000;

const MAX_ROLES: usize = 64;

const STAR: &str = "\u{e000}";

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    check_fields(whole, found);
    let mut known = KnownFiles { whole, left: MAX_COMPARISONS, judged: BTreeMap::new() };
    for entry in &whole.survey.files {
        let path = whole.sources.original_path(entry.file);
        for pattern in entry.patterns.iter().filter(|pattern| !pattern.optional) {
            let globs = meant(whole, path, pattern);
            if !globs.is_empty() && !globs.iter().any(|glob| known.matches(glob, pattern)) {
                let message = format!("`{}` matches no file", pattern.text);
                found.push(RULE.at(pattern.span, message).help(
                    "correct it, add a file, or write \"if present\" into the heading above",
                ));
            }
        }
    }
}

/// Reports typos in the first folder and impossible globs.
fn check_fields(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let Some(repository) = whole.repository else { return };
    let is_own = |document: &&Document| !whole.sources.path(document.file).starts_with(FOLDER);
    let documents = whole.survey.documents.iter().filter(is_own);
    let mut globs = documents.flat_map(|document| &document.front.fields.globs).peekable();
    if globs.peek().is_none() {
        return;
    }
    let roots = [repository.workspace(), Utf8Path::new("")];
    let below = |path: &str| {
        let below = roots.map(|root| Utf8Path::new(path).strip_prefix(root).ok());
        below.into_iter().flatten().filter_map(first_folder).collect::<Vec<_>>()
    };
    let folders: BTreeSet<String> = repository.tracked().paths().flat_map(below).collect();
    let mut guesses = SuggestionBudget::default();
    for glob in globs.filter(|glob| globs::parse(glob).is_ok()) {
        let written = glob.value.trim_start_matches("./").trim_start_matches('/');
        let first = first_folder(Utf8Path::new(written)).unwrap_or_default();
        let is_typo = !first.is_empty()
            && !first.contains(['*', '?', '[', '{'])
            && !folders.contains(&first)
            && guesses.take();
        let all = folders.iter().map(String::as_str);
        let close = is_typo.then(|| suggest::closest(&first, all)).flatten();
        let never = written.starts_with("~/") || written.contains("\\*");
        if never || close.is_some() {
            let message = format!("`{}` matches no file of the repository", glob.value);
            let otherwise = "write it from the root of the workspace, with `/`";
            let finding = RULE.at(glob.span, message).help(suggest::help(close, otherwise));
            found.push(if never { finding } else { finding.exceptional() });
        }
    }
}

fn first_folder(path: &Utf8Path) -> Option<String> {
    path.as_str().split_once('/').map(|(folder, _)| folder.to_owned())
}

fn meant(whole: &LintContext<'_>, path: &Utf8Path, pattern: &FoundReference) -> Vec<Utf8PathBuf> {
    let text = &*pattern.text;
    let is_glob = text.contains('*')
        && Utf8Path::new(text).extension() == Some("md")
        && !text.contains(['{', '[', '?']);
    if !is_glob || !(pattern.load || text.starts_with('/')) {
        return Vec::new();
    }
    let plain = text.replace('*', STAR);
    let (reference, _) = references::parse(&plain);
    let glob = |path: &Utf8Path| Utf8PathBuf::from(path.as_str().replace(STAR, "*"));
    if let Reference::Name { name } = reference {
        let is_of_category = Category::from_prefix(name).is_some();
        let anywhere = Utf8PathBuf::from("**/contexts/**").join(name);
        return if is_of_category { vec![glob(&anywhere)] } else { Vec::new() };
    }
    let survey = whole.survey;
    let role_root = survey.role_root(path);
    let homes = whole.config.roles.iter();
    let homes: Vec<Utf8PathBuf> =
        homes.filter_map(|home| normalize(Utf8Path::new(""), &home.value)).collect();
    let lineages: Vec<&Lineage> = match role_root {
        Some(root) => survey.lineage_at(root).into_iter().collect(),
        None => survey.lineages.iter().take(MAX_ROLES).collect(),
    };
    let mut roots: Vec<Option<Utf8PathBuf>> = vec![None];
    roots.extend(lineages.into_iter().flat_map(Lineage::roots).map(Some).take(MAX_ROLES));
    if roots.len() > MAX_ROLES {
        return Vec::new();
    }
    let mut paths: Vec<Utf8PathBuf> = Vec::new();
    for root in &roots {
        let from = ReferenceOrigin { path, role_root: root.as_deref() };
        paths.extend(candidates(&reference, from, None, &homes).into_iter().flatten());
    }
    paths.sort();
    paths.dedup();
    let read = paths.iter().all(|path| is_read(whole, path));
    if read { paths.iter().map(|path| glob(path)).collect() } else { Vec::new() }
}

fn is_read(whole: &LintContext<'_>, path: &Utf8Path) -> bool {
    let Some(folder) = path.parent() else { return false };
    let overlays = &whole.config.overlays;
    let is_home = |home: &Spanned<String>| {
        normalize(Utf8Path::new(""), &home.value).is_some_and(|home| path.starts_with(home))
    };
    let of_overlay = overlays.enabled && overlays.paths.iter().any(is_home);
    let of_project = ["contexts", "tasks", "flows"].iter().any(|home| path.starts_with(home));
    let is_of_layer = of_project || of_overlay || whole.config.roles.iter().any(is_home);
    let in_contexts = folder.components().any(|part| part.as_str() == "contexts");
    let in_tasks = matches!(folder.file_name(), Some("tasks" | "flows"));
    is_of_layer && (in_contexts || in_tasks)
}

struct KnownFiles<'a> {
    whole: &'a LintContext<'a>,
    left: usize,
    judged: BTreeMap<Utf8PathBuf, bool>,
}

impl KnownFiles<'_> {
    fn matches(&mut self, glob: &Utf8Path, pattern: &FoundReference) -> bool {
        if let Some(known) = self.judged.get(glob) {
            return *known;
        }
        if self.judged.len() >= MAX_GLOBS {
            return true;
        }
        let spanned = Spanned { value: glob.to_string(), span: pattern.span };
        let matches = globs::parse(&spanned).map_or(true, |parsed| {
            let matcher = parsed.compile_matcher();
            self.any(glob, &|path| matcher.is_match(path))
        });
        self.judged.insert(glob.to_owned(), matches);
        matches
    }

    fn any(&mut self, glob: &Utf8Path, is_match: &dyn Fn(&str) -> bool) -> bool {
        let (survey, sources) = (self.whole.survey, self.whole.sources);
        let start = glob.as_str().split('*').next().unwrap_or_default();
        let path = |at: usize| sources.path(survey.files[at].file).as_str();
        let folder = &start[..start.rfind('/').map_or(0, |at| at + 1)];
        let first =
            survey.files.partition_point(|entry| sources.path(entry.file) < Utf8Path::new(folder));
        for at in first..survey.files.len() {
            if !path(at).starts_with(folder) {
                return false;
            }
            let Some(left) = self.left.checked_sub(1) else { return true };
            self.left = left;
            if is_match(path(at)) {
                return true;
            }
        }
        false
    }
}
