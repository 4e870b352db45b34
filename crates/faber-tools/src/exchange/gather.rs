//! Finds files to import.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::alongside;
use crate::exchange::format::{self, DataForm, Format, Recognized, SourceKind};
use crate::exchange::found_source::FoundSource;
use crate::exchange::import::{ImportDisk, WorldDisk};
use crate::exchange::{data, front};
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::error::Error;
use faber_core::file_text::FileText;
use faber_core::parse::fence::{self, Split};
use faber_core::paths::normalize;
use faber_core::rules::{import_omitted, unclosed_frontmatter, unreadable};
use faber_core::source::{SourceMap, Span};
use faber_core::world::World;
use faber_formats::mdx;
use faber_formats::select::{PluginFolders, SkillFolders};
use faber_output::table::figure;
use faber_session::discover::files::{self, Files};
use faber_session::discover::foreign::{self, ForeignFile, UnfollowedLink};
use faber_session::session::Session;
use faber_session::settings::Settings;

const MARKERS: &str = ".agents|.amazonq|.augment|.claude|.clinerules|.codex|.continue|.cursor|.devin|\
    .gemini|.github|.goose|.junie|.kiro|.openhands|.roo|.windsurf";

const OTHER_DOCUMENTS: [&str; 4] = [".adoc", ".asciidoc", ".md.erb", ".rst"];

const MDX: &str = "mdx";

#[derive(Clone, Copy, Debug, Default)]
pub struct GatherOptions {
    pub format: Option<Format>,
    pub category: Option<Category>,
    pub translations: bool,
    pub in_place: bool,
}

pub struct Gathered {
    pub found: Vec<FoundSource>,
    pub is_empty: bool,
    pub empty: Vec<Utf8PathBuf>,
    pub left: SkippedFiles,
    /// Settings and programs of plugins, which are not imported.
    /// From path to that in its folder.
    pub alongside: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

#[derive(Debug, Default)]
pub struct SkippedFiles {
    pub others: Vec<Utf8PathBuf>,
    pub unread: Vec<(&'static str, Utf8PathBuf)>,
    pub workflows: Vec<Utf8PathBuf>,
    /// READMEs and evals.
    pub of_plugins: Vec<Utf8PathBuf>,
    pub translations: usize,
    pub resources: Vec<Utf8PathBuf>,
    /// Folders of [`Self::resources`] and few other files.
    pub skills: BTreeSet<Utf8PathBuf>,
}

impl SkippedFiles {
    pub fn add(&mut self, mut more: Self) {
        self.others.append(&mut more.others);
        self.unread.append(&mut more.unread);
        self.workflows.append(&mut more.workflows);
        self.of_plugins.append(&mut more.of_plugins);
        self.translations += more.translations;
        self.resources.append(&mut more.resources);
        self.skills.append(&mut more.skills);
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Importing<'a> {
    pub root: &'a Utf8Path,
    pub settings: &'a Settings,
}

/// # Errors
///
/// If `paths` cannot be listed.
pub fn gather(
    wanted: GatherOptions,
    paths: &[&Utf8Path],
    Importing { root, settings }: Importing<'_>,
    sources: &mut SourceMap,
    found: &mut Vec<Diagnostic>,
) -> Result<Gathered, Error> {
    let mut gather = Gather {
        wanted,
        root,
        role_homes: role_homes(root, settings),
        candidates: BTreeMap::new(),
        others: BTreeSet::new(),
        unread: BTreeSet::new(),
        workflows: BTreeSet::new(),
        of_plugins: BTreeSet::new(),
        alongside: BTreeMap::new(),
        links: Vec::new(),
        tracked: Vec::new(),
        folders: Vec::new(),
    };
    let mut troubles = Vec::new();
    for path in paths {
        let (real, is_folder) = foreign::locate(&settings.cwd.join(path))?;
        if is_folder {
            let listing = foreign::below(&real);
            troubles.extend(listing.troubles);
            let tracked = foreign::tracked(&real);
            gather.folder(&real, [listing.files, tracked.clone()].concat());
            gather.tracked.extend(tracked);
            gather.links(&real, listing.links);
            gather.folders.push(real);
        } else {
            gather.file(path, &real)?;
        }
    }
    let gives = |folder: &&Utf8PathBuf| gather.candidates.keys().any(|it| it.starts_with(folder));
    let empty = gather.folders.iter().filter(|folder| !gives(folder));
    let empty = empty.map(|folder| shown_folder(folder, settings)).collect();
    let translations = gather.leave_translations();
    let shown_all = |paths: &BTreeSet<Utf8PathBuf>| {
        let left = paths.iter().filter(|path| !gather.candidates.contains_key(*path));
        left.map(|path| shown(path, settings).to_owned()).collect()
    };
    let (others, workflows) = (shown_all(&gather.others), shown_all(&gather.workflows));
    let of_plugins = shown_all(&gather.of_plugins);
    for (path, why) in troubles {
        let at = Span::start_of(sources.add_placeholder(shown(&path, settings)));
        found.push(unreadable::RULE.at(at, format!("cannot be looked at: {why}")));
    }
    let files = Files::new(root);
    let (mut all, mut lost) = (Vec::new(), Vec::new());
    for (absolute, candidate) in &gather.candidates {
        let path = shown(absolute, settings);
        let is_data = matches!(candidate.what.kind, SourceKind::Data(_));
        match files.read_elsewhere(absolute) {
            Ok(text) if !is_data && matches!(fence::split(&text), Split::Unclosed(_)) => {
                let at = Span::start_of(sources.add(path.to_owned(), text));
                let note = "front matter without a closing `---`; the file is not imported";
                found.push(unclosed_frontmatter::RULE.at(at, note).help("close it with `---`"));
            }
            Ok(text) => all.push(FoundSource {
                path: candidate.path.clone(),
                base: candidate.base.clone(),
                what: candidate.what.clone(),
                link_to: gather.linked(candidate, &text),
                file: sources.add(path.to_owned(), candidate.content(text)),
                others: gather.companions(absolute, candidate, &mut lost),
            }),
            Err(_) if candidate.what.kind == SourceKind::Data(DataForm::Recipe) => {}
            Err(trouble) => found.push(trouble.diagnostic(sources, path)),
        }
    }
    lost.extend(gather.lost_links().map(|link| (link.path.clone(), link.why)));
    for (path, why) in lost {
        let at = Span::start_of(sources.add_placeholder(shown(&path, settings)));
        found.push(import_omitted::RULE.at(at, format!("not imported: {why}")));
    }
    let all = data::unpacked(sources, all, found);
    let is_recipe = |it: &ImportCandidate| it.what.kind == SourceKind::Data(DataForm::Recipe);
    let is_empty = all.is_empty() && gather.candidates.values().all(is_recipe);
    let (resources, skills) = resources(&all, settings);
    let unread = gather.unread.iter();
    let unread = unread.map(|(end, path)| (*end, shown(path, settings).to_owned())).collect();
    let left =
        SkippedFiles { others, unread, workflows, of_plugins, translations, resources, skills };
    Ok(Gathered { found: all, is_empty, empty, left, alongside: gather.alongside })
}

fn role_homes(root: &Utf8Path, settings: &Settings) -> Vec<Utf8PathBuf> {
    let settings = Settings { start: root.to_owned(), ..settings.clone() };
    let session = Session::open(&settings).ok().filter(|session| session.root() == root);
    session.map_or_else(|| vec!["roles".into()], |session| session.workspace().role_homes())
}

fn resources(
    all: &[FoundSource],
    settings: &Settings,
) -> (Vec<Utf8PathBuf>, BTreeSet<Utf8PathBuf>) {
    let (mut files, mut folders) = (Vec::new(), BTreeSet::new());
    for found in all {
        let texts = found.others.iter().filter(|path| is_text(path));
        let texts: Vec<Utf8PathBuf> = texts.map(|path| found.base.join(path)).collect();
        let place = found.in_base();
        let skill = place.parent().filter(|_| !texts.is_empty());
        let folder = skill.map(|skill| match skill.parent() {
            Some(all) if all.file_name() == Some("skills") => all,
            _ => skill,
        });
        folders.extend(folder.map(|folder| shown_folder(folder, settings)));
        files.extend(texts.iter().map(|path| shown(path, settings).to_owned()));
    }
    (files, folders)
}

fn shown<'a>(path: &'a Utf8Path, settings: &Settings) -> &'a Utf8Path {
    path.strip_prefix(&settings.cwd).unwrap_or(path)
}

fn shown_folder(folder: &Utf8Path, settings: &Settings) -> Utf8PathBuf {
    match shown(folder, settings) {
        here if here.as_str().is_empty() => ".".into(),
        folder => folder.to_owned(),
    }
}

pub fn nothing(format: Option<Format>, others: usize, typed: &[Utf8PathBuf]) -> Error {
    let what =
        format.map_or("a known format".to_owned(), |it| format!("the format `{}`", it.name()));
    let known = Format::NAMES.iter().filter(|name| others == 0 || **name != "markdown");
    let known = known.copied().collect::<Vec<_>>().join(", ");
    let help = match (others, format) {
        (_, Some(Format::Markdown)) => {
            "pass a directory that has files with names that end in `.md`, `.mdx` or `.markdown`"
                .to_owned()
        }
        (0, Some(_)) => "pass files of this format, or a directory that has some".to_owned(),
        (0, None) => format!("known formats: {known}"),
        _ => {
            let them = match others {
                1 => "the Markdown file as a document".to_owned(),
                _ => format!("the {} Markdown files as documents", figure(others)),
            };
            let path = if let [path] = typed { path.as_str() } else { "PATH" };
            format!("to import {them}, run `faber import markdown {path}`; other formats: {known}")
        }
    };
    Error::usage(format!("no files of {what} to import"), help)
}

struct ImportCandidate {
    path: Utf8PathBuf,
    base: Utf8PathBuf,
    what: Recognized,
    link_to: Option<Utf8PathBuf>,
}

impl ImportCandidate {
    fn content(&self, text: FileText) -> FileText {
        let is_document = matches!(self.what.kind, SourceKind::Document(_));
        let is_mdx = is_document && self.path.extension() == Some(MDX);
        if is_mdx { mdx::without_modules(&text).into() } else { text }
    }
}

struct Gather<'a> {
    wanted: GatherOptions,
    root: &'a Utf8Path,
    role_homes: Vec<Utf8PathBuf>,
    candidates: BTreeMap<Utf8PathBuf, ImportCandidate>,
    others: BTreeSet<Utf8PathBuf>,
    unread: BTreeSet<(&'static str, Utf8PathBuf)>,
    workflows: BTreeSet<Utf8PathBuf>,
    of_plugins: BTreeSet<Utf8PathBuf>,
    alongside: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    links: Vec<UnfollowedLink>,
    tracked: Vec<ForeignFile>,
    folders: Vec<Utf8PathBuf>,
}

impl Gather<'_> {
    fn folder(&mut self, folder: &Utf8Path, files: Vec<ForeignFile>) {
        let base = self.base(folder, true);
        let from = |path: &Utf8Path| path.strip_prefix(&base).unwrap_or(path).to_owned();
        let marked = |path: &Utf8Path| path.components().any(|it| is_marker(it.as_str()));
        let is_collection = base == folder
            && !foreign::is_repository(folder)
            && !foreign::is_workspace(folder)
            && !files.iter().any(|file| marked(&from(&file.path)));
        let is_collection = is_collection || self.wanted.format == Some(Format::Markdown);
        let paths: Vec<Utf8PathBuf> = files.iter().map(|it| slashed(&from(&it.path))).collect();
        let plugins = PluginFolders::of(paths.iter().map(Utf8PathBuf::as_path));
        let roles = if base == self.root { self.roles() } else { Vec::new() };
        let is_alongside = alongside::is_alongside(&paths);
        let alongside = files
            .iter()
            .zip(&paths)
            .filter(|(file, path)| file.link_to.is_none() && is_alongside(path));
        self.alongside.extend(alongside.map(|(file, path)| (file.path.clone(), path.clone())));
        for (file, path) in files.into_iter().zip(&paths) {
            let path = path.clone();
            // Packs are results of imports.
            if base == self.root && self.is_of_pack(&path) {
                continue;
            }
            let is_text = is_text(&path);
            let is_data = path.extension() == Some("toml");
            let known = plugins.recognize(&path);
            if known.is_none() && roles.iter().any(|role| path.starts_with(role)) {
                continue;
            }
            let keys = || self.front_keys(&file).unwrap_or_default();
            let keys = if known.is_none() && is_text { keys() } else { Vec::new() };
            let known = known.or_else(|| self.loose(&keys, &path));
            let may_be_document = known.is_none()
                && is_text
                && self.wanted.format.is_none_or(|it| it == Format::Markdown);
            if may_be_document && plugins.is_auxiliary(&path) {
                self.of_plugins.insert(file.path);
                continue;
            }
            let what = match (known, self.wanted.format) {
                (Some(what), format) if format.is_none_or(|it| it == what.format) => what,
                (None, Some(format))
                    if (is_text || is_data) && is_collection && format != Format::Skills =>
                {
                    let Some(what) = self.declared(format, &path) else { continue };
                    what
                }
                (None, _) if is_text => {
                    let is_workflow = front::is_workflow(&keys);
                    let left = if is_workflow { &mut self.workflows } else { &mut self.others };
                    left.insert(file.path);
                    continue;
                }
                (None, _) => {
                    let end = OTHER_DOCUMENTS.iter().find(|end| path.as_str().ends_with(**end));
                    self.unread.extend(end.map(|end| (*end, file.path)));
                    continue;
                }
                _ => continue,
            };
            if let Some(why) = file.link_to.as_ref().and_then(|to| refused_link(&base, to)) {
                self.links.push(UnfollowedLink { path: file.path, folder: None, why });
                continue;
            }
            let base = base.clone();
            let candidate = ImportCandidate { path, base, what, link_to: file.link_to };
            self.candidates.entry(file.path).or_insert(candidate);
        }
        self.skills_own();
    }

    fn is_of_pack(&self, path: &Utf8Path) -> bool {
        let is_part = |name: &str| matches!(name, "contexts" | "partials");
        let is_of_role = |home: &Utf8PathBuf| {
            let below = path.strip_prefix(home).ok();
            below.is_some_and(|below| below.components().skip(1).any(|it| is_part(it.as_str())))
        };
        path.components().next().is_some_and(|first| is_part(first.as_str()))
            || self.role_homes.iter().any(is_of_role)
    }

    fn roles(&self) -> Vec<Utf8PathBuf> {
        let files = Files::new(self.root);
        let below = |home: &Utf8PathBuf| {
            files.directories(home).into_iter().map(|name| home.join(name)).collect::<Vec<_>>()
        };
        let mut roles: Vec<Utf8PathBuf> = self.role_homes.iter().flat_map(below).collect();
        roles.retain(|role| files.is_file(&role.join("prompt.md")));
        roles
    }

    fn declared(&self, format: Format, path: &Utf8Path) -> Option<Recognized> {
        let what = format::declared(format, path)?;
        let kind = match what.kind {
            SourceKind::Document(_) => SourceKind::Document(self.wanted.category),
            kind => kind,
        };
        Some(Recognized { kind, ..what })
    }

    fn loose(&self, keys: &[String], path: &Utf8Path) -> Option<Recognized> {
        front::recognize(keys, self.wanted.format.unwrap_or(Format::Claude), path)
    }

    fn front_keys(&self, file: &ForeignFile) -> Option<Vec<String>> {
        if file.link_to.is_some() || self.wanted.format == Some(Format::Markdown) {
            return None;
        }
        let text = Files::new(self.root).read_elsewhere(&file.path).ok()?;
        Some(front::keys(&text))
    }

    fn links(&mut self, folder: &Utf8Path, links: Vec<UnfollowedLink>) {
        let base = self.base(folder, true);
        for link in links {
            let path = &link.path;
            let from = slashed(path.strip_prefix(&base).unwrap_or(path));
            let is_tool = from.components().any(|it| is_marker(it.as_str()));
            let in_skill = self.skill_folders().iter().any(|skill| path.starts_with(skill));
            if is_tool || in_skill || format::recognize(&from).is_some() {
                self.links.push(link);
            }
        }
    }

    fn lost_links(&self) -> impl Iterator<Item = &UnfollowedLink> {
        let is_imported = |target: &Utf8PathBuf| {
            self.folders.iter().any(|folder| target.starts_with(folder))
                && self.candidates.keys().any(|path| path.starts_with(target))
        };
        self.links.iter().filter(move |link| !link.folder.as_ref().is_some_and(is_imported))
    }

    fn file(&mut self, given: &Utf8Path, real: &Utf8Path) -> Result<(), Error> {
        let base = self.base(real.parent().unwrap_or(real), false);
        let path = slashed(real.strip_prefix(&base).unwrap_or(real));
        let loose = ForeignFile { path: real.to_owned(), link_to: None };
        let known = format::recognize(&path)
            .or_else(|| self.loose(&self.front_keys(&loose).unwrap_or_default(), &path));
        let what = match (known, self.wanted.format) {
            (Some(what), format) if format.is_none_or(|it| it == what.format) => what,
            (_, Some(format)) => self.declared(format, &path).ok_or_else(|| {
                let help = match format {
                    Format::Markdown => {
                        "names of documents end in `.md`, `.mdx`, `.markdown` or `.txt`"
                    }
                    _ => "pass a file of this format",
                };
                let message = format!("`{given}` is not of the format `{}`", format.name());
                Error::usage(message, help)
            })?,
            (_, None) => {
                let help = format!("put its format before the path: {}", Format::NAMES.join(", "));
                return Err(Error::usage(format!("the format of `{given}` is not known"), help));
            }
        };
        let link_to = None;
        self.candidates.insert(real.to_owned(), ImportCandidate { path, base, what, link_to });
        Ok(())
    }

    fn leave_translations(&mut self) -> usize {
        if self.wanted.translations {
            return 0;
        }
        let paths: Vec<&Utf8Path> = self.candidates.values().map(|it| &*it.path).collect();
        let translated = super::language::translations(&paths);
        let before = self.candidates.len();
        self.candidates.retain(|_, candidate| !translated.contains(&candidate.path));
        before - self.candidates.len()
    }

    fn skills_own(&mut self) {
        let skills = SkillFolders::of(self.candidates.keys().map(Utf8PathBuf::as_path));
        self.candidates.retain(|path, _| !skills.own(path));
        self.others.retain(|path| !skills.own(path));
        self.unread.retain(|(_, path)| !skills.own(path));
        self.workflows.retain(|path| !skills.own(path));
        self.of_plugins.retain(|path| !skills.own(path));
    }

    fn skill_folders(&self) -> Vec<Utf8PathBuf> {
        let skills = self.candidates.iter().filter(|(_, it)| it.what.kind == SourceKind::Skill);
        skills.filter_map(|(path, _)| Some(path.parent()?.to_owned())).collect()
    }

    /// Links become copies; those that lead elsewhere are `lost`.
    fn companions(
        &self,
        absolute: &Utf8Path,
        candidate: &ImportCandidate,
        lost: &mut Vec<(Utf8PathBuf, &'static str)>,
    ) -> Vec<Utf8PathBuf> {
        let Some(folder) = absolute.parent() else { return Vec::new() };
        if candidate.what.kind != SourceKind::Skill || absolute.file_name() != Some("SKILL.md") {
            return Vec::new();
        }
        let listing = foreign::below(folder);
        let known = ["scripts", "references", "assets"].map(|name| folder.join(name));
        let is_top = folder == candidate.base;
        let is_part = |it: &ForeignFile| {
            let ignores =
                it.path.file_name().is_some_and(|it| matches!(it, ".gitignore" | ".faber-files"));
            !ignores && (!is_top || known.iter().any(|known| it.path.starts_with(known)))
        };
        let tracked = self.tracked.iter().filter(|it| it.path.starts_with(folder)).cloned();
        let files = listing.files.into_iter().chain(tracked).filter(is_part);
        let files = files.filter(|file| {
            let mut inner = file.path.ancestors().skip(1).take_while(|above| *above != folder);
            let of_other = inner.any(|above| self.candidates.contains_key(&above.join("SKILL.md")));
            file.path != absolute && !of_other
        });
        let companions = files.filter_map(|file| {
            let link = file.link_to.as_ref();
            if let Some(why) = link.and_then(|target| refused_link(&candidate.base, target)) {
                lost.push((file.path, why));
                return None;
            }
            Some(slashed(file.path.strip_prefix(&candidate.base).unwrap_or(&file.path)))
        });
        companions.collect()
    }

    /// On Windows, git writes a link as a file with its target.
    fn linked(&self, candidate: &ImportCandidate, text: &str) -> Option<Utf8PathBuf> {
        let written = || {
            let path = Some(text.trim()).filter(|text| !text.contains('\n'))?;
            let folder = candidate.path.parent().unwrap_or(Utf8Path::new(""));
            let is_instructions = candidate.what.kind.is_shared();
            Some(candidate.base.join(normalize(folder, path)?)).filter(|_| is_instructions)
        };
        let target = &candidate.link_to.clone().or_else(written)?;
        let other = self.candidates.get(target)?;
        let is_imported = other.link_to.is_none() && other.what.scope == candidate.what.scope;
        let path = target.strip_prefix(&candidate.base).unwrap_or(target);
        is_imported.then(|| path.to_owned())
    }

    /// The root, else the parent of the tool's folder, else repository, else `folder`.
    fn base(&self, folder: &Utf8Path, is_named: bool) -> Utf8PathBuf {
        if folder.starts_with(self.root) {
            return self.root.to_owned();
        }
        let marked = folder.ancestors().find(|above| above.file_name().is_some_and(is_marker));
        if let Some(above) = marked.and_then(Utf8Path::parent) {
            return above.to_owned();
        }
        let repository = folder.ancestors().find(|above| foreign::is_repository(above));
        match repository {
            Some(repository) if !is_named => repository.to_owned(),
            _ => folder.to_owned(),
        }
    }
}

fn refused_link(base: &Utf8Path, target: &Utf8Path) -> Option<&'static str> {
    let Ok(inner) = target.strip_prefix(base) else { return Some("the link leaves the directory") };
    let is_rule = format::recognize(&slashed(inner)).is_some();
    let is_private = !is_rule && Files::new(base).refusal(inner).is_some();
    is_private.then_some("the link leads to a file that references may not read")
}

fn is_marker(name: &str) -> bool {
    MARKERS.split('|').any(|marker| marker == name)
}

fn is_text(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("md" | "mdc" | MDX | "markdown"))
}

fn slashed(path: &Utf8Path) -> Utf8PathBuf {
    path.as_str().replace('\\', "/").into()
}

pub struct OsDisk;

impl ImportDisk for OsDisk {
    fn read(&self, base: &Utf8Path, path: &Utf8Path) -> Result<String, String> {
        WorldDisk(&Files::new(base)).read(Utf8Path::new(""), path)
    }

    fn exists(&self, path: &Utf8Path) -> bool {
        files::path_exists(path)
    }
}
