//! Reads configuration, roles and all layers from a [`World`], and assembles.

mod assemble;
pub mod caches;
mod everything;
mod follow;
mod glob;
mod misspelled;
mod pack;
pub mod packs;
mod roles;
pub mod survey;
pub mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;

use crate::assemble::ResolvedPack;
use crate::assemble::insecure::Severities;
use crate::config::{self, Config};
use crate::diagnostic::Diagnostic;
use crate::error::Error;
use crate::file_text::FileText;
use crate::findings;
use crate::packs::{CONFIG, MountedPack};
use crate::paths::normalize;
use crate::resolve::include;
use crate::resolve::view::Principal;
use crate::role::Role;
use crate::rules::invalid_config;
use crate::source::{FileId, SourceMap};
use crate::world::{self, DirEntry, Unreadable, World, directories_in, names_in};
use crate::yaml::{Node, YamlCache};

pub use assemble::Summarize;
use caches::{Analyses, TextCaches};
pub use roles::TaskFile;

#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    pub today: Date,
    /// Default: the configuration.
    pub principal: Option<Principal>,
    pub no_user: bool,
    pub strict: bool,
    pub allow_insecure: bool,
    pub user_config: Option<(Utf8PathBuf, Result<FileText, Unreadable>)>,
    /// `FABER_` variables, sorted by name.
    pub environment: Vec<(String, String)>,
    pub overrides: Vec<(&'static str, String, String)>,
}

impl Options {
    pub fn on(today: Date) -> Self {
        Self { today, ..Self::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    /// Default: the configured or only role, else shared contexts.
    pub role: Option<String>,
    pub platform: Option<String>,
    /// For exports, which leave the organization.
    pub is_external_output: bool,
}

impl Viewer {
    pub fn new(role: Option<String>, platform: Option<String>) -> Self {
        Self { role, platform, is_external_output: false }
    }
}

/// For one request: files are read once.
#[derive(Debug)]
pub struct Workspace<W> {
    pub sources: SourceMap,
    pub files: W,
    pub options: Options,
    pub config: Config,
    pub config_node: Node,
    pub found: Vec<Diagnostic>,
    config_found: Vec<Diagnostic>,
    /// By precedence; overlays come between.
    config_ends: [Vec<Node>; 2],
    own_validate: Option<Node>,
    /// Lowest first.
    pub packs: Vec<MountedPack>,
    overlay_configs: BTreeMap<Utf8PathBuf, Option<Node>>,
    roles: BTreeMap<String, Role>,
    pub analyses: Option<Analyses>,
    pub caches: Arc<TextCaches>,
}

impl<W: World> Workspace<W> {
    pub fn open(files: W, options: Options) -> Self {
        Self::open_cached(files, options, Arc::default())
    }

    pub fn open_cached(files: W, options: Options, caches: Arc<TextCaches>) -> Self {
        let mut sources = SourceMap::default();
        let mut found = Vec::new();
        let known = caches.yaml();
        let mut first = vec![config::defaults(&mut sources, known)];
        let mut reader = ConfigReader { sources: &mut sources, known, found: &mut found };
        if let Some((path, text)) = options.user_config.clone() {
            first.extend(reader.read(&path, text, config::ConfigSource::User));
        }
        let trusted = first.len();
        let path = Utf8Path::new(CONFIG);
        first.extend(reader.read(path, files.read(path), config::ConfigSource::Workspace));
        let mut environment =
            config::environment(&mut sources, &options.environment).drain_into(&mut found);
        let principal = options.principal.as_ref();
        let flags = config::overrides_as(&mut sources, &options.overrides, principal)
            .drain_into(&mut found);
        let (own, of_workspace) = first.split_at_mut(trusted);
        let mut own: Vec<&mut Node> = own.iter_mut().chain([&mut environment]).collect();
        decide_caller(&mut own, of_workspace, principal.is_some());
        let last = vec![environment, flags];
        let own = first[..trusted].iter().chain(&last).cloned().reduce(config::merge);
        let own_validate = own.and_then(|own| own.get("validate").cloned());
        let config_ends = [first, last];
        let (config_node, config, config_found) = merge_config(&config_ends, &[], &sources, &files);
        let analyses = caches.analyses(&config_node, options.today);
        let mut workspace = Self {
            sources,
            files,
            options,
            config,
            config_node,
            found,
            config_found,
            config_ends,
            own_validate,
            packs: Vec::new(),
            overlay_configs: BTreeMap::new(),
            roles: BTreeMap::new(),
            analyses,
            caches,
        };
        workspace.check_folders();
        workspace
    }

    /// # Errors
    ///
    /// As [`Self::pack`]; [`Error::Findings`] for an unreadable configuration, [`Error::Unknown`]
    /// for an unknown platform.
    pub fn resolve(&mut self, viewer: &Viewer) -> Result<ResolvedPack, Error> {
        let role = match &viewer.role {
            Some(role) => Some(role.clone()),
            None => self.role_name(None).ok(),
        };
        let mut pack = self.pack(role.as_deref(), viewer.platform.as_deref())?;
        self.stop_at_config()?;
        pack.view.is_external_output = viewer.is_external_output;
        let mut found: Vec<Diagnostic> = Vec::new();
        let resolved = ResolvedPack::new(&self.sources, self.role_homes(), pack, &mut found);
        self.found.extend(found);
        if viewer.platform.is_some() {
            self.check_viewed_platform(&resolved)?;
        }
        Ok(resolved)
    }

    pub fn severities(&self) -> Severities<'_> {
        Severities { own: self.own_validate.as_ref(), merged: self.config.validate.as_ref() }
    }

    pub fn noticed(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter().chain(&self.config_found)
    }

    /// Sorted and unique.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut found = self.findings_with(&[]);
        packs::drop_consequences(&mut found);
        found
    }

    pub fn findings_with(&self, more: &[Diagnostic]) -> Vec<Diagnostic> {
        let found = self.noticed().chain(more).cloned().map(|found| self.of_pack(found));
        findings::by_place(found.collect(), &self.sources)
    }

    pub fn list(&mut self, folder: &Utf8Path) -> Vec<DirEntry> {
        let entries = self.files.list(folder);
        if let Err(trouble @ Unreadable::Io(_)) = &entries {
            self.found.push(walk::unlisted(&mut self.sources, folder, trouble));
        }
        entries.unwrap_or_default()
    }

    pub(crate) fn directories(&mut self, folder: &Utf8Path) -> Vec<String> {
        directories_in(self.list(folder))
    }

    pub fn names_ending(&mut self, folder: &Utf8Path, ending: &str) -> Vec<String> {
        names_in(self.list(folder), ending)
    }

    fn check_folders(&mut self) {
        let config = &self.config;
        let settings = &config.settings;
        let user = config.access.user.as_ref().filter(|_| self.options.principal.is_none());
        let named = [settings.workflow.as_ref(), settings.role.as_ref(), user];
        let named = named.into_iter().flatten().chain(&settings.teams);
        let bad = named.filter(|name| !is_folder_name(&name.value));
        self.config_found.extend(bad.map(|name| {
            let message = format!("invalid folder name `{}`", name.value);
            let help = "it names a folder of overlays or of roles, without `/`";
            invalid_config::RULE.at(name.span, message).help(help)
        }));
    }
}

pub fn analysis<T: Clone + Send + Sync + 'static>(
    analyses: Option<&Analyses>,
    sources: &SourceMap,
    file: FileId,
    what: &'static str,
    compute: impl FnOnce() -> T,
) -> T {
    match analyses {
        Some(analyses) => T::clone(&analyses.get_or_compute(sources, file, what, compute)),
        None => compute(),
    }
}

pub fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', ':']) && name != "." && name != ".."
}

fn decide_caller(users: &mut [&mut Node], workspaces: &mut [Node], is_given: bool) {
    let is_decided = is_given || users.iter().any(|node| config::names_caller(node));
    if is_given {
        for node in users.iter_mut() {
            config::remove_caller(node);
        }
    }
    if is_decided {
        workspaces.iter_mut().for_each(config::remove_caller);
    }
}

fn merge_config(
    [first, last]: &[Vec<Node>; 2],
    overlays: &[Node],
    sources: &SourceMap,
    world: &impl World,
) -> (Node, Config, Vec<Diagnostic>) {
    let merged = first.iter().chain(overlays).chain(last).cloned().reduce(config::merge);
    let merged = merged.expect("the built-in defaults are always there");
    let names = config::variable_names(&merged).into_iter();
    let vars: Vec<(String, String)> =
        names.filter_map(|name| world.variable(&name).map(|value| (name, value))).collect();
    let written = merged.get("mcp_servers").cloned();
    let expanded = config::expand(merged, sources, &vars);
    let mut found = expanded.diagnostics;
    found.extend(config::check_servers(&expanded.value));
    found.extend(config::check_search(&expanded.value));
    found.extend(config::hook::check_hook(&expanded.value));
    let mut config = config::typed(&expanded.value, sources);
    config::set_launches(&mut config.mcp_servers, written.as_ref());
    let homes = config.roles.iter().chain(&config.overlays.paths);
    let leaves = homes.filter(|home| normalize(Utf8Path::new(""), &home.value).is_none());
    found.extend(leaves.map(|home| include::outside(home.span, &home.value)));
    (expanded.value, config, found)
}

struct ConfigReader<'a> {
    sources: &'a mut SourceMap,
    known: Option<&'a YamlCache>,
    found: &'a mut Vec<Diagnostic>,
}

impl ConfigReader<'_> {
    fn read(
        &mut self,
        path: &Utf8Path,
        text: Result<FileText, Unreadable>,
        kind: config::ConfigSource,
    ) -> Option<Node> {
        let text = match text.and_then(world::within_limits) {
            Ok(text) => text,
            Err(Unreadable::Missing) => return None,
            Err(trouble) => {
                // Decides access, so it cannot be skipped.
                let found = trouble.diagnostic(self.sources, path);
                self.found.push(found.of(&invalid_config::RULE));
                return None;
            }
        };
        let file = self.sources.add(path.to_owned(), text);
        Some(config::read_known(self.sources, file, kind, self.known).drain_into(self.found))
    }
}
