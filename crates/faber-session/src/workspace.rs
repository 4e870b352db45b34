//! Opening a workspace: configuration, roles and the files of every layer that a run needs.
//!
//! It reads; what it read is then resolved without I/O.

pub mod analysis_cache;
pub mod assemble;
mod everything;
mod follow;
mod pack;
mod roles;
mod summarizer;
pub mod survey;

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;

use crate::caches::Caches;
use crate::discover::files::{Files, Unreadable};
use crate::discover::snapshot::Recorder;
use crate::settings::Settings;
use faber_core::config::{self, Config};
use faber_core::diagnostic::Diagnostic;
use faber_core::findings;
use faber_core::resolve::include;
use faber_core::resolve::index::normalize;
use faber_core::role::Role;
use faber_core::rules::invalid_config;
use faber_core::source::{FileId, SourceMap};
use faber_core::yaml::Node;

use analysis_cache::Analyses;
pub use roles::Told;

/// A workspace whose configuration has been read.
#[derive(Debug)]
pub struct Workspace {
    /// Every file that was read.
    pub sources: SourceMap,
    /// The way to more of them.
    pub files: Files,
    /// The configuration in force.
    pub config: Config,
    /// The same as a tree, each value with its origin.
    pub config_node: Node,
    /// What was noticed, but for the configuration as a whole.
    pub found: Vec<Diagnostic>,
    /// What was noticed about the configuration as a whole.
    config_found: Vec<Diagnostic>,
    /// The configuration in its order of precedence: up to the workspace's, and from the
    /// environment on. Overlays come between.
    config_ends: [Vec<Node>; 2],
    /// The roles that were read, by name.
    roles: BTreeMap<String, Role>,
    /// Results from earlier sessions of the same workspace.
    pub analyses: Option<Analyses>,
    /// What is not computed twice.
    pub caches: Arc<Caches>,
}

impl Workspace {
    /// Reads the configuration of the workspace of `files`.
    pub(crate) fn open(settings: &Settings, files: Files, caches: Arc<Caches>) -> Self {
        let mut sources = SourceMap::default();
        let mut found = Vec::new();
        let mut first = vec![config::defaults(&mut sources)];
        if let Some(path) = &settings.user_config {
            let text = files.read_elsewhere(path);
            first.extend(read_config(&mut sources, path, text, config::Kind::User, &mut found));
        }
        let path = Utf8Path::new(".faber/config.yml");
        let text = files.read(path);
        first.extend(read_config(&mut sources, path, text, config::Kind::Workspace, &mut found));
        let environment = config::environment(&mut sources, &settings.vars).drain_into(&mut found);
        let pairs: Vec<_> = settings
            .overrides
            .iter()
            .map(|(key, value, flag)| (*key, value.clone(), flag.clone()))
            .collect();
        let last = vec![environment, config::overrides(&mut sources, &pairs)];
        let config_ends = [first, last];
        let (config_node, config, config_found) =
            put_together(&config_ends, &[], &sources, &settings.vars, files.recorder());
        let analyses = caches.analyses.as_ref();
        let analyses = analyses.map(|cache| cache.analyses(&config_node, settings.today));
        let mut workspace = Self {
            sources,
            files,
            config,
            config_node,
            found,
            config_found,
            config_ends,
            roles: BTreeMap::new(),
            analyses,
            caches,
        };
        workspace.check_folders();
        workspace
    }

    /// Everything that was noticed so far, as it came.
    pub fn noticed(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter().chain(&self.config_found)
    }

    /// Everything that was noticed so far, by place, each once.
    pub fn findings(&self) -> Vec<Diagnostic> {
        self.findings_with(&[])
    }

    /// The same, with findings from elsewhere.
    pub fn findings_with(&self, more: &[Diagnostic]) -> Vec<Diagnostic> {
        findings::by_place(self.noticed().chain(more).cloned().collect(), &self.sources)
    }

    /// Reports settings that name folders elsewhere: a team, workflow or the like that cannot name a
    /// folder.
    fn check_folders(&mut self) {
        let config = &self.config;
        let settings = &config.settings;
        let named = [&settings.team, &settings.workflow, &settings.role, &config.access.user];
        let bad = named.into_iter().flatten().filter(|name| !is_folder_name(&name.value));
        let bad = bad.map(|name| {
            let message = format!("invalid folder name `{}`", name.value);
            invalid_config::RULE
                .at(name.span, message)
                .help("it names a folder of overlays or of roles, without `/`")
        });
        let found: Vec<Diagnostic> = bad.collect();
        self.config_found.extend(found);
    }
}

/// A result that follows from the text of a file, from the cache if there is one.
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

/// Whether `name` names one folder right below another.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', ':']) && name != "." && name != ".."
}

/// The configuration in force, with the overlays' between its two ends.
fn put_together(
    [first, last]: &[Vec<Node>; 2],
    overlays: &[Node],
    sources: &SourceMap,
    vars: &[(String, String)],
    recorder: &Recorder,
) -> (Node, Config, Vec<Diagnostic>) {
    let merged = first.iter().chain(overlays).chain(last).cloned().reduce(config::merge);
    let merged = merged.expect("the built-in defaults are always there");
    recorder.variables(config::variable_names(&merged), vars);
    let written = merged.get("mcp_servers").cloned();
    let expanded = config::expand(merged, sources, vars);
    let mut found = expanded.diagnostics;
    found.extend(config::check_servers(&expanded.value));
    found.extend(config::check_search(&expanded.value));
    let mut config = config::typed(&expanded.value, sources);
    config::set_launches(&mut config.mcp_servers, written.as_ref());
    let homes = config.roles.iter().chain(&config.overlays.paths);
    let leaves = homes.filter(|home| normalize(Utf8Path::new(""), &home.value).is_none());
    found.extend(leaves.map(|home| include::outside(home.span, &home.value)));
    (expanded.value, config, found)
}

fn read_config(
    sources: &mut SourceMap,
    path: &Utf8Path,
    text: Result<String, Unreadable>,
    kind: config::Kind,
    found: &mut Vec<Diagnostic>,
) -> Option<Node> {
    let text = match text {
        Ok(text) => text,
        Err(Unreadable::Missing) => return None,
        Err(trouble) => {
            // What the overlays are and who may see what is decided here, so it cannot be skipped.
            found.push(trouble.diagnostic(sources, path).of(&invalid_config::RULE));
            return None;
        }
    };
    let file = sources.add(path.to_owned(), text);
    Some(config::read(sources, file, kind).drain_into(found))
}
