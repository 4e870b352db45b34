//! Missing paths. Those that a commit removed are outdated.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::about::SubjectCounts;
use super::anchors;
use super::claim::{Mention, PathClaim, has_word};
use super::manifest::Judgement;
use super::tone::Tone;
use crate::validate::check::LintContext;
use faber_core::diagnostic::Diagnostic;
use faber_core::paths::normalize;
use faber_core::rules::missing_path::RULE;
use faber_core::source::FileId;
use faber_core::suggest::{self, SuggestionBudget};
use faber_core::workspace::walk;
use faber_core::world::Kind;
use faber_session::discover::repository::{Removal, Repository};

const MAX_PATHS: usize = 50_000;

const COMMON: &str = "app components config docs examples include internal lib packages pkg public src \
    test tests";

const FREQUENT: &str = "__init__.py README.md SKILL.md index.js index.md index.ts lib.rs main.py main.rs \
    mod.rs";

/// Any project has these, so advice on them is general.
const CONVENTIONAL: &str = "CHANGELOG.md Cargo.lock Cargo.toml build.gradle composer.json docker-compose.yml \
    go.mod package-lock.json package.json pom.xml pyproject.toml requirements.txt \
    setup.cfg setup.py tsconfig.json yarn.lock";

pub(super) struct PathCheck<'a> {
    whole: &'a LintContext<'a>,
    repository: &'a Repository,
    kinds: BTreeMap<Utf8PathBuf, Kind>,
    missing: Vec<MissingPath<'a>>,
    skills: BTreeSet<FileId>,
    found: Vec<Diagnostic>,
}

struct MissingPath<'a> {
    mention: &'a Mention,
    claim: &'a PathClaim,
    places: Vec<Utf8PathBuf>,
    of_skill: Option<Utf8PathBuf>,
}

impl<'a> PathCheck<'a> {
    pub(super) fn new(whole: &'a LintContext<'a>, repository: &'a Repository) -> Self {
        Self {
            whole,
            repository,
            kinds: BTreeMap::new(),
            missing: Vec::new(),
            skills: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    pub(super) fn look(&mut self, mention: &'a Mention, claim: &'a PathClaim) -> Judgement {
        let is_bare = !claim.path.contains('/');
        let is_name = is_bare && (!claim.path.contains('.') || claim.path.starts_with('.'));
        if mention.tone == Tone::Past || is_name || is_setting(&claim.path) {
            return Judgement::Unknown;
        }
        if self.kinds.len() > MAX_PATHS {
            return Judgement::Unknown;
        }
        let own = super::path_of(self.whole, mention.span.file);
        let own = self.repository.workspace().join(own);
        let skill = skill_folder(&own).filter(|folder| self.kind(folder) == Kind::Folder);
        let of_skill = skill.as_ref().and_then(|folder| {
            let folder = folder.join(mention.folder.as_deref().unwrap_or_default());
            normalize(&folder, &claim.path)
        });
        let mut places = self.places(&own, mention, claim);
        places.extend(of_skill.clone());
        let there = places.iter().find(|place| self.kind(place) != Kind::Missing).cloned();
        if let Some(there) = there {
            if let Some(anchor) = &claim.anchor {
                self.found.extend(anchors::look(
                    self.whole,
                    self.repository,
                    &there,
                    (mention, anchor),
                ));
            }
            if !is_bare && of_skill.as_ref() == Some(&there) {
                self.skills.insert(mention.span.file);
            }
            return if is_bare { Judgement::Unknown } else { Judgement::Present };
        }
        // Imports move contexts: the path may be relative to any ancestor.
        let tail = tail_of(claim);
        let above = own.ancestors().skip(2).map(|folder| folder.join(&tail));
        if above.collect::<Vec<_>>().iter().any(|place| self.kind(place) != Kind::Missing) {
            return Judgement::Unknown;
        }
        if !places.is_empty() {
            let of_skill = of_skill.filter(|place| {
                let parent = place.parent().filter(|it| Some(*it) != skill.as_deref());
                parent.is_some_and(|parent| self.kind(parent) == Kind::Folder)
            });
            self.missing.push(MissingPath { mention, claim, places, of_skill });
        }
        Judgement::Unknown
    }

    pub(super) fn has_folder(&mut self, folder: &str) -> bool {
        let homes = [self.repository.workspace(), Utf8Path::new("")].map(Utf8Path::to_owned);
        let mut places = homes.iter().filter_map(|home| normalize(home, folder));
        places.any(|place| self.kind(&place) == Kind::Folder)
    }

    fn kind(&mut self, path: &Utf8Path) -> Kind {
        if let Some(kind) = self.kinds.get(path) {
            return *kind;
        }
        let kind = self.repository.kind(path);
        self.kinds.insert(path.to_owned(), kind);
        kind
    }

    fn places(&self, own: &Utf8Path, mention: &Mention, claim: &PathClaim) -> Vec<Utf8PathBuf> {
        let here = own.parent().unwrap_or(own);
        let is_relative = claim.is_link || claim.path.starts_with("..");
        let folder = mention.folder.as_deref().unwrap_or_default();
        let root = Utf8Path::new("");
        let homes = [self.repository.workspace(), root].map(|home| home.join(folder));
        let homes = homes.iter().map(Utf8PathBuf::as_path).chain([root]);
        let path = claim.path.as_str();
        let of_own = is_relative.then(|| normalize(here, path)).flatten();
        let others = homes.filter_map(|home| normalize(home, path));
        let mut places: Vec<Utf8PathBuf> = of_own.into_iter().chain(others).collect();
        let mut seen = BTreeSet::new();
        places.retain(|place| seen.insert(place.clone()));
        places
    }

    pub(super) fn finish(mut self, subjects: &mut SubjectCounts) -> Vec<Diagnostic> {
        let mut found = self.found;
        if self.missing.is_empty() {
            return found;
        }
        let repository = self.repository;
        let tracked = repository.tracked();
        for it in &mut self.missing {
            if !it.has_extension() || !self.skills.contains(&it.mention.span.file) {
                it.of_skill = None;
            }
        }
        self.missing.retain(|it| {
            let tail = tail_of(it.claim);
            let mut known = tracked.ending(&tail, !it.has_extension());
            it.of_skill.is_some() || !known.any(|path| repository.has(path))
        });
        self.missing.retain(|it| {
            let tail = tail_of(it.claim);
            let tail = Utf8Path::new(&tail);
            let parent = tail.parent().map(Utf8Path::as_str).filter(|parent| !parent.is_empty());
            let others = parent.into_iter().flat_map(|parent| tracked.folders_ending(parent));
            let name = tail.file_name().unwrap_or_default();
            let mut others = others.map(|folder| Utf8Path::new(folder).join(name));
            !it.places.iter().any(|place| repository.ignores(place))
                && !others.any(|place| repository.ignores(&place))
        });
        let places = self.missing.iter().flat_map(|it| &it.places);
        let paths: BTreeSet<String> = places.map(ToString::to_string).collect();
        let removed = repository.removed(&paths);
        let mut seen = BTreeSet::new();
        let mut guesses = SuggestionBudget::default();
        self.missing.sort_by_key(MissingPath::is_conventional);
        for missing in &self.missing {
            let removal = missing.places.iter().find_map(|place| removed.get(place.as_str()));
            let file = missing.mention.span.file;
            if missing.is_conventional() && !subjects.has_present(file) {
                continue;
            }
            if removal.is_some() || missing.of_skill.is_some() {
                subjects.present(file);
            } else if missing.is_file()
                && missing.claim.path.contains('/')
                && !matches!(missing.mention.tone, Tone::Making | Tone::Generated)
            {
                subjects.absent(file);
            }
            if let Some(finding) =
                missing.finding(repository, removal, subjects.has_present(file), &mut guesses)
                && seen.insert((file, &missing.claim.path))
            {
                found.push(finding);
            }
        }
        found
    }
}

pub(crate) fn skill_folder(text: &Utf8Path) -> Option<Utf8PathBuf> {
    match text.file_name()? {
        "SKILL.md" => text.parent().map(Utf8Path::to_owned),
        _ => Some(walk::resources(text)),
    }
}

/// The only file of this name in the folder, else in the repository.
pub(crate) fn namesake(
    repository: &Repository,
    folder: Option<&Utf8Path>,
    name: &str,
) -> Option<String> {
    let all = || repository.tracked().named(name);
    let below = |path| Some(Utf8Path::new(path).strip_prefix(folder?).ok()?.as_str());
    let inside: Vec<&str> = all().filter_map(below).take(2).collect();
    let all: Vec<&str> = all().filter(|_| !has_word(FREQUENT, name)).take(2).collect();
    match (&inside[..], &all[..]) {
        ([one], _) | (_, [one]) => Some((*one).to_owned()),
        _ => None,
    }
}

fn is_setting(path: &str) -> bool {
    let data = matches!(Utf8Path::new(path).extension(), Some("json" | "toml" | "yaml" | "yml"));
    data && path.starts_with('.') && !path.starts_with("..") && !path.starts_with(".github/")
}

pub(crate) fn names_file(text: &str, file: &Utf8Path) -> bool {
    let tail = PathClaim::read(text).map(|claim| tail_of(&claim));
    tail.is_some_and(|tail| file.ancestors().any(|path| path.ends_with(&tail)))
}

fn tail_of(claim: &PathClaim) -> String {
    let mut path = claim.path.as_str();
    while let Some(rest) = path.strip_prefix("../") {
        path = rest;
    }
    path.to_owned()
}

impl MissingPath<'_> {
    fn is_file(&self) -> bool {
        self.claim.is_folder || self.has_extension()
    }

    fn is_conventional(&self) -> bool {
        !self.claim.is_link && has_word(CONVENTIONAL, &self.claim.path)
    }

    fn has_extension(&self) -> bool {
        Utf8Path::new(&self.claim.path).extension().is_some()
    }

    fn finding(
        &self,
        repository: &Repository,
        removal: Option<&Removal>,
        is_about_here: bool,
        guesses: &mut SuggestionBudget,
    ) -> Option<Diagnostic> {
        let (claim, tracked) = (self.claim, repository.tracked());
        let has_folder = |folder: &Utf8Path| {
            tracked.has_folder(folder.as_str()) && repository.has(folder.as_str())
        };
        let place = self.places.iter().find(|place| place.parent().is_some_and(has_folder));
        let place = self.of_skill.as_ref().or(place);
        let similar = place.filter(|_| guesses.take()).and_then(|place| {
            let parent = place.parent()?;
            let name = |path: &str| Utf8Path::new(path).file_name().map(str::to_owned);
            let mut names: Vec<String> = match self.of_skill {
                Some(_) => repository.names(parent),
                None => tracked.below(parent.as_str()).take(1000).filter_map(name).collect(),
            };
            names.retain(|name| place.file_name() != Some(name));
            similar(place, &names).filter(|path| repository.has(path))
        });
        let name = Utf8Path::new(&claim.path).file_name().unwrap_or_default();
        let moved = || namesake(repository, None, name);
        let better = similar.clone().or_else(moved);
        let help = match &better {
            Some(better) => {
                format!("refer to its replacement, such as `{better}`, or remove the mention")
            }
            None => "refer to its replacement, or remove the mention".to_owned(),
        };
        if let Some(removal) = removal {
            let is_of_tool = claim.path.starts_with('.') && !claim.path.starts_with("..");
            let tone = self.mention.tone;
            if tone == Tone::Generated || (is_of_tool && tone == Tone::Conditional) {
                return None;
            }
            let message = format!("`{}` does not exist; {removal}", claim.path);
            return Some(RULE.at(self.mention.span, message).exceptional().help(help));
        }
        let help = better.map_or(help, |better| format!("did you mean `{better}`?"));
        if claim.is_link {
            let is_meant = self.mention.tone == Tone::Plain && self.is_file();
            let message = format!("`{}` does not exist", claim.path);
            return is_meant.then(|| RULE.at(self.mention.span, message).exceptional().help(help));
        }
        let place = place?;
        let parent = place.parent()?;
        if self.of_skill.is_some() {
            let message = format!("`{}` does not exist, but its folder does", claim.path);
            let is_meant = self.mention.tone == Tone::Plain;
            return is_meant.then(|| RULE.at(self.mention.span, message).exceptional().help(help));
        }
        let depth = parent.components().count();
        let is_specific = depth >= 2 || !has_word(COMMON, parent.as_str());
        let is_certain = claim.is_run || similar.is_some() || is_about_here && self.has_extension();
        let is_meant = self.mention.tone == Tone::Plain
            && claim.path.contains('/')
            && !place.as_str().starts_with('.')
            && self.is_file()
            && depth >= 1
            && (is_certain || is_specific);
        is_meant.then(|| {
            let message =
                format!("`{}` does not exist, but its folder `{parent}` does", claim.path);
            RULE.at(self.mention.span, message).help(help)
        })
    }
}

fn similar(place: &Utf8Path, there: &[String]) -> Option<String> {
    let (parent, name) = (place.parent()?, place.file_name()?);
    let stem = place.file_stem();
    let of_stem = there.iter().find(|it| Utf8Path::new(it.as_str()).file_stem() == stem);
    let close = || suggest::closest(name, there.iter().map(String::as_str));
    let found = of_stem.map(String::as_str).or_else(close)?;
    Some(parent.join(found).to_string())
}
