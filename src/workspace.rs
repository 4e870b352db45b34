//! Opening a workspace: configuration, roles and the files of every layer that a run needs.
//!
//! This is the street side of the corridor. It reads; what it read is then resolved without I/O.

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use crate::config::{self, Config};
use crate::diagnostic::Diagnostic;
use crate::discover::files::{self, Files, Unreadable};
use crate::discover::{root, walk};
use crate::document::{self, Document, Layer, Member};
use crate::error::Error;
use crate::layer::LayerKind;
use crate::parse::references::{self, Reference};
use crate::parse::{agent, fence, frontmatter};
use crate::resolve::include;
use crate::resolve::index::{self, From, normalize};
use crate::resolve::view::{Principal, View};
use crate::role::{self, Lineage, Platform, Role};
use crate::settings::Settings;
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::yaml::Node;

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
}

/// All layers of one run, with their documents.
#[derive(Debug)]
pub struct Pack {
    /// The role and its ancestors; none when only the shared layers were asked for.
    pub lineage: Option<Lineage>,
    /// The platform in force.
    pub platform: Option<Platform>,
    /// The layers, lowest first.
    pub layers: Vec<Layer>,
    /// The parsed context files of all layers.
    pub documents: Vec<Document>,
    /// What `custom_contexts` names, in the order of the configuration, with the file when it is
    /// named by a path.
    pub custom: Vec<(Spanned<String>, Option<FileId>)>,
    /// Who asks, when and for what.
    pub view: View,
}

impl Workspace {
    /// Opens the workspace around `settings.start` and reads its configuration.
    ///
    /// # Errors
    ///
    /// [`Error::NoWorkspace`] when there is none.
    pub fn open(settings: &Settings) -> Result<Self, Error> {
        let files = Files::new(&root::find(&settings.start)?);
        let mut sources = SourceMap::default();
        let mut found = Vec::new();
        let mut first = vec![config::defaults(&mut sources)];
        if let Some(path) = &settings.user_config {
            let text = files::read_file(path);
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
            put_together(&config_ends, &[], &sources, &settings.vars);
        let mut workspace =
            Self { sources, files, config, config_node, found, config_found, config_ends };
        workspace.check_folders();
        Ok(workspace)
    }

    /// Everything that was noticed so far, by place, each once.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> =
            self.found.iter().chain(&self.config_found).cloned().collect();
        let key = |diagnostic: &Diagnostic| {
            let span = diagnostic.primary.span;
            (
                self.sources.path(span.file).to_owned(),
                span,
                diagnostic.rule,
                diagnostic.message.clone(),
            )
        };
        all.sort_by_cached_key(key);
        all.dedup();
        // That a path leads out of the workspace is also why nothing was found there.
        let escapes: Vec<_> =
            all.iter().filter(|d| d.rule == "path-escape").map(|d| d.primary.span).collect();
        all.retain(|d| d.rule != "dangling-reference" || !escapes.contains(&d.primary.span));
        all
    }

    /// Reports settings that name folders elsewhere: homes of roles and overlays that lead out of
    /// the workspace, and a team, workflow or the like that is no name of a folder.
    fn check_folders(&mut self) {
        let config = &self.config;
        let homes = config.roles.iter().chain(&config.overlays.paths);
        let leaving = homes.filter(|home| normalize(Utf8Path::new(""), &home.value).is_none());
        let leaving = leaving.map(|home| include::outside(home.span, &home.value));
        let settings = &config.settings;
        let named = [&settings.team, &settings.workflow, &settings.role, &config.access.user];
        let bad = named.into_iter().flatten().filter(|name| !is_folder_name(&name.value));
        let bad = bad.map(|name| {
            let message = format!("`{}` is no name of a folder", name.value);
            Diagnostic::error("invalid-config", name.span, message)
                .help("it names a folder of overlays or of roles, without `/`")
        });
        let found: Vec<Diagnostic> = leaving.chain(bad).collect();
        self.config_found.extend(found);
    }

    /// The folders that hold roles, in order of precedence.
    pub fn role_homes(&self) -> Vec<Utf8PathBuf> {
        let root = Utf8Path::new("");
        self.config.roles.iter().filter_map(|home| normalize(root, &home.value)).collect()
    }

    /// The names of all roles.
    pub fn role_names(&self) -> Vec<String> {
        role::names(&self.files, &self.role_homes())
    }

    /// The role to work for: the one named, else the configured one, else the only one.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] when none is named and there is not exactly one.
    pub fn role_name(&self, named: Option<&str>) -> Result<String, Error> {
        if let Some(name) = named {
            return Ok(name.to_owned());
        }
        if let Some(role) = &self.config.settings.role {
            return Ok(role.value.clone());
        }
        let mut all = self.role_names();
        match all.len() {
            1 => Ok(all.remove(0)),
            0 => Err(Error::usage(
                "the workspace has no role",
                "run `faber new role NAME` to create one",
            )),
            _ => Err(Error::usage(
                "which role?",
                format!("name one of {}, or set `settings.role`", all.join(", ")),
            )),
        }
    }

    /// Reads a role and everything that it extends.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] when there is no such role; an unreadable `prompt.md` is one too.
    pub fn lineage(&mut self, name: &str) -> Result<Lineage, Error> {
        let mut roles: Vec<Role> = vec![self.role(name)?];
        while let Some(extends) = parent(&roles[roles.len() - 1]) {
            if roles.iter().any(|role| role.name == extends.value) {
                let chain = roles.iter().map(|role| &*role.name).chain([&*extends.value]);
                let chain = chain.collect::<Vec<_>>().join(" → ");
                self.found.push(
                    Diagnostic::error(
                        "role-cycle",
                        extends.span,
                        format!("a cycle of roles: {chain}"),
                    )
                    .help("remove one `extends`"),
                );
                break;
            }
            match self.role(&extends.value) {
                Ok(role) => roles.push(role),
                Err(error) => {
                    let help = miette::Diagnostic::help(&error).map(|help| help.to_string());
                    let diagnostic =
                        Diagnostic::error("dangling-reference", extends.span, error.to_string());
                    self.found.push(match help {
                        Some(help) => diagnostic.help(help),
                        None => diagnostic,
                    });
                    break;
                }
            }
        }
        Ok(Lineage { roles })
    }

    fn role(&mut self, name: &str) -> Result<Role, Error> {
        let homes = self.role_homes();
        let places: Vec<_> = homes
            .iter()
            .filter(|_| is_folder_name(name))
            .map(|home| home.join(name))
            .filter(|root| self.files.is_file(&root.join("prompt.md")))
            .collect();
        let Some(root) = places.first() else {
            return Err(Error::unknown("role", name, self.role_names().iter().map(String::as_str)));
        };
        let prompt_path = root.join("prompt.md");
        let prompt = match self.files.read(&prompt_path) {
            Ok(text) => self.sources.add(prompt_path, text),
            Err(trouble) => {
                self.found.push(trouble.diagnostic(&mut self.sources, &prompt_path));
                return Err(Error::usage(
                    format!("the prompt of `{name}` cannot be read"),
                    format!("see `{prompt_path}`"),
                ));
            }
        };
        if let Some(second) = places.get(1) {
            self.found.push(
                Diagnostic::warning(
                    "duplicate-role",
                    Span::start_of(prompt),
                    format!("`{name}` is defined twice; `{root}` is used, `{second}` is not"),
                )
                .help("remove one of the two folders"),
            );
        }
        let agent_path = root.join("agent.yml");
        let agent_file = match self.files.read(&agent_path) {
            Ok(text) => Some(self.sources.add(agent_path, text)),
            Err(Unreadable::Missing) => None,
            Err(trouble) => {
                self.found.push(trouble.diagnostic(&mut self.sources, &agent_path));
                None
            }
        };
        let agent =
            agent_file.map(|file| agent::read(&self.sources, file).drain_into(&mut self.found));
        Ok(Role { name: name.to_owned(), root: root.clone(), agent, agent_file, prompt })
    }

    /// Reads all layers of a role (or, without one, the shared layers), their configuration and
    /// their contexts.
    ///
    /// # Errors
    ///
    /// As [`Self::lineage`].
    pub fn pack(
        &mut self,
        role: Option<&str>,
        platform: Option<&str>,
        settings: &Settings,
    ) -> Result<Pack, Error> {
        let lineage = role.map(|name| self.lineage(name)).transpose()?;
        let detected = lineage.as_ref().and_then(|lineage| {
            let flag = platform;
            role::detect_platform(
                lineage.role(),
                flag,
                &self.config,
                &self.sources,
                &mut self.found,
            )
        });
        let detected = detected.or_else(|| {
            platform
                .map(|name| Platform { name: name.to_owned(), chosen_by: "--platform".to_owned() })
        });
        let principal = self.principal(settings);
        let layers = self.layers(lineage.as_ref(), detected.as_ref(), &principal, settings);
        self.read_overlay_configs(&layers, settings);
        let view = View {
            date: settings.today,
            principal: self.principal(settings),
            environment: value(self.config.settings.environment.as_ref()),
            platform: detected.as_ref().map(|platform| platform.name.clone()),
            team: value(self.config.settings.team.as_ref()),
            workflow: value(self.config.settings.workflow.as_ref()),
            role: role.map(str::to_owned),
        };
        let mut pack = Pack {
            lineage,
            platform: detected,
            layers,
            documents: Vec::new(),
            custom: Vec::new(),
            view,
        };
        let mut members = self.members(&pack.layers);
        self.custom_members(&mut pack, &mut members);
        let parsed: Vec<_> = members
            .par_iter()
            .map(|member| {
                let mut found = Vec::new();
                let kind = frontmatter::Kind::Context;
                let parsed =
                    frontmatter::read(&self.sources, member.file, kind).drain_into(&mut found);
                let visible = pack.view.may_hear_of(&parsed.front.fields);
                let document =
                    document::parse(&self.sources, &pack.layers, member, parsed, &mut found);
                // What is wrong in a file shows lines of it, so that is for those who may see it.
                (document, if visible { found } else { Vec::new() })
            })
            .collect();
        for (document, found) in parsed {
            pack.documents.extend(document);
            self.found.extend(found);
        }
        self.read_includes(&pack);
        Ok(pack)
    }

    fn principal(&self, settings: &Settings) -> Principal {
        settings.principal.clone().unwrap_or_else(|| Principal {
            user: value(self.config.access.user.as_ref()),
            groups: self.config.access.groups.iter().cloned().collect(),
        })
    }

    /// The layers of a run, lowest first.
    fn layers(
        &self,
        lineage: Option<&Lineage>,
        platform: Option<&Platform>,
        principal: &Principal,
        settings: &Settings,
    ) -> Vec<Layer> {
        let layer = |kind, name: Option<&str>, folder| Layer {
            kind,
            name: name.map(str::to_owned),
            folder,
        };
        let mut layers = vec![layer(LayerKind::Project, None, Utf8PathBuf::new())];
        for role in lineage.iter().flat_map(|lineage| lineage.roles.iter().rev()) {
            layers.push(layer(LayerKind::Role, Some(&role.name), role.root.clone()));
        }
        if !self.config.overlays.enabled {
            return layers;
        }
        let chosen = &self.config.settings;
        let user = principal.user.as_deref().filter(|_| !settings.no_user);
        let steps = [
            (LayerKind::Platform, "platforms", platform.map(|platform| &*platform.name)),
            (LayerKind::RoleOverlay, "roles", lineage.map(|lineage| &*lineage.role().name)),
            (LayerKind::Team, "teams", chosen.team.as_ref().map(|team| &*team.value)),
            (
                LayerKind::Workflow,
                "workflows",
                chosen.workflow.as_ref().map(|workflow| &*workflow.value),
            ),
            (LayerKind::User, "users", user),
        ];
        let homes: Vec<_> = self
            .config
            .overlays
            .paths
            .iter()
            .filter_map(|path| normalize(Utf8Path::new(""), &path.value))
            .collect();
        for home in &homes {
            layers.push(layer(LayerKind::Organization, None, home.join("organization")));
        }
        for (kind, folder, name) in steps {
            // A name that is none of a folder has been reported.
            let Some(name) = name.filter(|name| is_folder_name(name)) else { continue };
            for home in &homes {
                layers.push(layer(kind, Some(name), home.join(folder).join(name)));
            }
        }
        layers
    }

    /// Adds the `config.yml` of every overlay between the workspace's and the environment.
    fn read_overlay_configs(&mut self, layers: &[Layer], settings: &Settings) {
        let mut overlays = Vec::new();
        for layer in layers.iter().filter(|layer| layer.kind > LayerKind::Role) {
            let path = layer.folder.join("config.yml");
            let text = self.files.read(&path);
            let kind = config::Kind::Overlay;
            overlays.extend(read_config(&mut self.sources, &path, text, kind, &mut self.found));
        }
        if !overlays.is_empty() {
            (self.config_node, self.config, self.config_found) =
                put_together(&self.config_ends, &overlays, &self.sources, &settings.vars);
            self.check_folders();
        }
    }

    /// Finds and reads the context files of all layers.
    fn members(&mut self, layers: &[Layer]) -> Vec<Member> {
        let mut walked = Vec::new();
        for (at, layer) in layers.iter().enumerate() {
            let folder = if layer.folder.as_str().is_empty() {
                Utf8PathBuf::from("contexts")
            } else {
                layer.folder.join("contexts")
            };
            let found = walk::walk(&self.files, &folder, &mut self.sources, &mut self.found);
            walked.extend(found.into_iter().map(|found| (at, found)));
        }
        let paths: Vec<_> = walked.iter().map(|(_, found)| found.path.clone()).collect();
        let ids = files::read_all(&self.files, &paths, &mut self.sources, &mut self.found);
        walked
            .into_iter()
            .zip(ids)
            .filter(|((_, found), _)| !found.partial)
            .filter_map(|((layer, found), file)| {
                Some(Member { file: file?, layer, folder: found.folder })
            })
            .collect()
    }

    /// Reads what `custom_contexts` names. A file that some layer has already only gains a reason.
    fn custom_members(&mut self, pack: &mut Pack, members: &mut Vec<Member>) {
        let layer = pack.layers.len();
        pack.layers.push(Layer { kind: LayerKind::Custom, name: None, folder: Utf8PathBuf::new() });
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        for custom in self.config.custom_contexts.clone() {
            let file = self.custom_file(&custom, &roots);
            if let Some(file) = file
                && !members.iter().any(|member| member.file == file)
            {
                members.push(Member { file, layer, folder: None });
            }
            pack.custom.push((custom, file));
        }
    }

    /// The file that a custom context is, when it is named by a path; names and ids are looked up
    /// once all documents are known.
    fn custom_file(&mut self, custom: &Spanned<String>, roots: &[Utf8PathBuf]) -> Option<FileId> {
        let (reference, _) = references::parse(&custom.value);
        let homes = self.role_homes();
        let from = From { path: self.sources.path(custom.span.file), role_root: None };
        let role_root = roots.first().map(Utf8PathBuf::as_path);
        let paths = match reference {
            Reference::Name { .. } | Reference::Id { .. } => return None,
            Reference::Other => plain_path(&custom.value),
            _ => index::candidates(&reference, from, role_root, &homes),
        };
        if let Some(paths) = paths {
            return self.first_of(&paths, custom);
        }
        self.found.push(include::outside(custom.span, &custom.value));
        None
    }

    /// The first of these paths that is there, read; a finding at the reference when none is.
    fn first_of(&mut self, paths: &[Utf8PathBuf], reference: &Spanned<String>) -> Option<FileId> {
        for path in paths {
            if let Some(file) = self.sources.find(path) {
                return Some(file);
            }
            match self.files.read(path) {
                Ok(text) => return Some(self.sources.add(path.clone(), text)),
                Err(Unreadable::Missing) => {}
                Err(Unreadable::Outside) => {
                    self.found.push(include::outside(reference.span, &reference.value));
                    return None;
                }
                Err(trouble) => {
                    self.found.push(trouble.diagnostic(&mut self.sources, path));
                    return None;
                }
            }
        }
        self.found.push(crate::resolve::catalog::dangling(reference));
        None
    }

    /// Reads, until nothing new turns up, the files that include directives name.
    fn read_includes(&mut self, pack: &Pack) {
        let roots = pack.lineage.as_ref().map(Lineage::roots).unwrap_or_default();
        let visible = pack.documents.iter().filter(|d| pack.view.may_see(&d.front.fields));
        let mut queue: Vec<FileId> = visible.map(|document| document.file).collect();
        queue.extend(
            pack.lineage.iter().flat_map(|lineage| lineage.roles.iter().map(|role| role.prompt)),
        );
        self.read_includes_of(queue, &roots);
    }

    /// As [`Self::read_includes`], for some files of a role with these roots.
    fn read_includes_of(&mut self, mut queue: Vec<FileId>, roots: &[Utf8PathBuf]) {
        let homes = self.role_homes();
        while let Some(file) = queue.pop() {
            let source = self.sources.get(file);
            let body = fence::body(&source.text);
            let directives = include::directives(&source.text[body..]);
            let path = source.path.clone();
            let own_root = roots.iter().find(|root| path.starts_with(root));
            let from = From { path: &path, role_root: own_root.map(Utf8PathBuf::as_path) };
            for directive in directives {
                let (reference, _) = references::parse(&directive.target);
                let role_root = roots.first().map(Utf8PathBuf::as_path);
                let span =
                    Span::new(file, body + directive.bytes.start, body + directive.bytes.end);
                let Some(paths) = index::candidates(&reference, from, role_root, &homes) else {
                    self.found.push(include::outside(span, &directive.target));
                    continue;
                };
                let is_new = |path: &&Utf8PathBuf| {
                    self.sources.find(path).is_none() && self.files.exists(path)
                };
                let known = paths.iter().any(|path| self.sources.find(path).is_some());
                let Some(path) = paths.iter().find(is_new).filter(|_| !known) else { continue };
                let target = Spanned { value: directive.target, span };
                queue.extend(self.first_of(std::slice::from_ref(path), &target));
            }
        }
    }

    /// Reads a task or flow of a role, or of the workspace.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`] when there is no such one, with those that there are.
    pub fn instruction(
        &mut self,
        lineage: &Lineage,
        folder: &'static str,
        name: &str,
    ) -> Result<FileId, Error> {
        let what = if folder == "tasks" { "task" } else { "flow" };
        let homes = [lineage.role().root.join(folder), Utf8PathBuf::from(folder)];
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let known: Vec<String> =
            homes.iter().flat_map(|home| self.files.markdown_stems(home)).collect();
        let home = homes
            .iter()
            .find(|home| self.files.markdown_stems(home).iter().any(|known| known == stem));
        let Some(home) = home else {
            return Err(Error::unknown(what, name, known.iter().map(String::as_str)));
        };
        let path = home.join(format!("{stem}.md"));
        match self.files.read(&path) {
            Ok(text) => {
                let file = self.sources.add(path, text);
                self.read_includes_of(vec![file], &lineage.roots());
                Ok(file)
            }
            Err(trouble) => {
                self.found.push(trouble.diagnostic(&mut self.sources, &path));
                Err(Error::usage(
                    format!("the {what} `{name}` cannot be read"),
                    format!("see `{path}`"),
                ))
            }
        }
    }
}

fn value(field: Option<&Spanned<String>>) -> Option<String> {
    field.map(|field| field.value.clone())
}

/// Whether `name` names one folder right below another.
fn is_folder_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', ':']) && name != "." && name != ".."
}

fn parent(role: &Role) -> Option<Spanned<String>> {
    role.agent.as_ref()?.extends.clone()
}

/// A path that is none of the usual forms: taken from the workspace root. An absolute path of the
/// machine leads out of the workspace, wherever it points.
fn plain_path(text: &str) -> Option<Vec<Utf8PathBuf>> {
    normalize(Utf8Path::new(""), text).map(|path| vec![path])
}

/// The configuration in force, with the overlays' between its two ends.
fn put_together(
    [first, last]: &[Vec<Node>; 2],
    overlays: &[Node],
    sources: &SourceMap,
    vars: &[(String, String)],
) -> (Node, Config, Vec<Diagnostic>) {
    let merged = first.iter().chain(overlays).chain(last).cloned().reduce(config::merge);
    let merged = merged.expect("the built-in defaults are always there");
    let expanded = config::expand(merged, sources, vars);
    let mut found = expanded.diagnostics;
    found.extend(config::check_servers(&expanded.value));
    let config = config::typed(&expanded.value, sources);
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
            let mut diagnostic = trouble.diagnostic(sources, path);
            // What the overlays are and who may see what is decided here, so it cannot be skipped.
            diagnostic.rule = "invalid-config";
            found.push(diagnostic);
            return None;
        }
    };
    let file = sources.add(path.to_owned(), text);
    Some(config::read(sources, file, kind).drain_into(found))
}
