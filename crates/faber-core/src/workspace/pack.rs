//! The layers of a run and their documents.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use crate::assemble::{Pack, ResolvedPack, check_platform};
use crate::category::Category;
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::{self, Document, Layer, Member};
use crate::error::{Error, available};
use crate::layer::LayerKind;
use crate::packs::CONFIG;
use crate::parse::frontmatter::{self, FrontKind};
use crate::paths::normalize;
use crate::resolve::view::{Access, Principal, View};
use crate::role::{self, Lineage, Platform, Role};
use crate::rules::{unknown_overlay, unknown_role};
use crate::source::{Span, Spanned};
use crate::suggest;
use crate::workspace::{Workspace, is_folder_name, merge_config, walk};
use crate::world::{World, read_all};
use crate::yaml::{Node, YamlCache};

impl<W: World> Workspace<W> {
    /// Without a role, reads shared layers.
    ///
    /// # Errors
    ///
    /// See [`Self::lineage`].
    pub fn pack(&mut self, role: Option<&str>, platform: Option<&str>) -> Result<Pack, Error> {
        let lineage = role.map(|name| self.lineage(name)).transpose();
        let lineage = lineage.map_err(|error| self.with_place_of_role(error))?;
        let detected = match (platform, &lineage) {
            (Some(name), _) => {
                let (name, chosen_by) = (name.to_owned(), "--platform".to_owned());
                Some(Platform { name, chosen_by, at: None })
            }
            (None, Some(lineage)) => {
                let (config, sources) = (&self.config, &self.sources);
                role::detect_platform(lineage.role(), config, sources, &mut self.found)
            }
            (None, None) => None,
        };
        let principal = self.principal();
        self.check_platforms();
        let teams = self.teams();
        let user = principal.user.as_deref();
        let layers = self.layers(lineage.as_ref(), detected.as_ref(), &teams, user);
        self.read_overlay_configs(&layers);
        let view = View {
            date: self.options.today,
            teams,
            principal,
            user_layer: !self.options.no_user,
            environment: value(self.config.settings.environment.as_ref()),
            platform: detected.as_ref().map(|platform| platform.name.clone()),
            workflow: value(self.config.settings.workflow.as_ref()),
            role: lineage.as_ref().map(|lineage| lineage.role().name.clone()),
            is_external_output: false,
        };
        let mut pack = Pack {
            lineage,
            platform: detected,
            layers,
            documents: Vec::new(),
            custom: Vec::new(),
            view,
        };
        let (mut members, unread) = self.members(&pack.layers);
        self.custom_members(&mut pack, &mut members);
        let yaml = self.caches.yaml();
        let parsed = members.par_iter().map(|member| self.document(&pack, member, yaml));
        let parsed: Vec<_> = parsed.collect();
        for (document, found) in parsed {
            pack.documents.extend(document);
            self.found.extend(found);
        }
        self.check_overlays(&pack.documents);
        self.check_pack_documents(&mut pack.documents);
        hide_overridden(&mut pack.documents, &unread);
        let included = self.read_includes(&pack);
        self.follow_roles(&mut pack, &included);
        Ok(pack)
    }

    /// Findings quote the file, so need the same access.
    pub(super) fn document(
        &self,
        pack: &Pack,
        member: &Member,
        yaml: Option<&YamlCache>,
    ) -> (Option<Document>, Vec<Diagnostic>) {
        let (sources, mut found) = (&self.sources, Vec::new());
        let parsed = frontmatter::read_known(sources, member.file, FrontKind::Context, yaml)
            .drain_into(&mut found);
        let visible = pack.view.may_report(&parsed.front.fields);
        let document = document::parse(sources, &pack.layers, member, parsed, &mut found);
        (document, if visible { found } else { Vec::new() })
    }

    pub fn principal(&self) -> Principal {
        self.options.principal.clone().unwrap_or_else(|| {
            let groups = self.config.access.groups.iter().cloned().collect();
            Principal::new(value(self.config.access.user.as_ref()), groups)
        })
    }

    pub fn teams(&self) -> Vec<String> {
        let principal = self.principal();
        let is_named = self.options.overrides.iter().any(|(key, _, _)| *key == "settings.team");
        let mut teams: Vec<String> = if principal.is_proven() && !is_named {
            let homes = self.overlay_homes();
            let names = |home: &Utf8PathBuf| self.files.directories(&home.join("teams"));
            homes.iter().flat_map(names).collect::<BTreeSet<String>>().into_iter().collect()
        } else {
            self.config.settings.teams.iter().map(|team| team.value.clone()).collect()
        };
        teams.retain(|team| principal.may_be_in(team));
        teams
    }

    fn layers(
        &self,
        lineage: Option<&Lineage>,
        platform: Option<&Platform>,
        teams: &[String],
        user: Option<&str>,
    ) -> Vec<Layer> {
        let workflow = self.config.settings.workflow.as_ref();
        let user = user.filter(|_| !self.options.no_user);
        let one = |name: Option<&str>| name.map(str::to_owned).into_iter().collect();
        let steps = [
            (LayerKind::Platform, "platforms", one(platform.map(|platform| &*platform.name))),
            (LayerKind::RoleOverlay, "roles", one(lineage.map(|lineage| &*lineage.role().name))),
            (LayerKind::Team, "teams", teams.to_vec()),
            (LayerKind::Workflow, "workflows", one(workflow.map(|workflow| &*workflow.value))),
            (LayerKind::User, "users", one(user)),
        ];
        let homes = self.overlay_homes();
        let mut overlays = Vec::new();
        for (kind, folder, names) in steps {
            for name in names.iter().filter(|name| is_folder_name(name)) {
                let of_home = |home: &Utf8PathBuf| home.join(folder).join(name);
                let of_home = homes.iter().map(of_home);
                overlays.extend(of_home.map(|folder| Layer::new(kind, Some(name), folder)));
            }
        }
        let roles = lineage.into_iter().flat_map(|lineage| lineage.roles.iter().rev());
        self.with_libraries(roles, overlays)
    }

    /// Lowest first.
    pub(super) fn with_libraries<'r>(
        &self,
        roles: impl Iterator<Item = &'r Role>,
        overlays: Vec<Layer>,
    ) -> Vec<Layer> {
        let mut layers = self.libraries();
        layers.extend(roles.map(|role| Layer::new(LayerKind::Role, Some(&role.name), &role.root)));
        let is_enabled = self.config.overlays.enabled;
        let homes = self.overlay_homes().into_iter().filter(|_| is_enabled);
        layers.extend(
            homes.map(|home| Layer::new(LayerKind::Organization, None, home.join("organization"))),
        );
        let (of_users, others): (Vec<Layer>, Vec<Layer>) =
            overlays.into_iter().filter(|_| is_enabled).partition(|it| it.kind == LayerKind::User);
        layers.extend(others.into_iter().chain(self.user_libraries()).chain(of_users));
        layers
    }

    pub(super) fn check_overlays(&mut self, documents: &[Document]) {
        let settings = &self.config.settings;
        let principal = self.principal();
        let is_flag = |key: &str| self.options.overrides.iter().any(|(name, ..)| *name == key);
        let teams = settings.teams.iter().map(|team| ("teams", team));
        let named = teams.chain(settings.workflow.iter().map(|name| ("workflows", name)));
        let mut found = Vec::new();
        for (folder, name) in named.filter(|(_, name)| is_folder_name(&name.value)) {
            let (key, condition) = match folder {
                "teams" => ("settings.team", "team"),
                _ => ("settings.workflow", "workflow"),
            };
            if condition == "team" && is_flag(key) && !principal.may_be_in(&name.value) {
                let message = format!("`{}` is not one of your groups", name.value);
                let help = suggest::help(
                    suggest::closest(&name.value, principal.groups.iter().map(String::as_str)),
                    "so this team has no effect; your groups are those of `--as`, else of \
                     `access.groups`",
                );
                found.push(unknown_overlay::RULE.at(name.span, message).help(help));
                continue;
            }
            let known = self.overlay_names(folder);
            let is_used = known.contains(&name.value)
                || (known.is_empty() && !is_flag(key))
                || documents.iter().any(|it| it.is_conditional_on(condition, &name.value));
            if is_used {
                continue;
            }
            let message = format!("unknown {condition} `{}`", name.value);
            let help = suggest::help(
                suggest::closest(&name.value, known.iter().map(String::as_str)),
                available(&known),
            );
            found.push(unknown_overlay::RULE.at(name.span, message).help(help));
        }
        let environment = settings.environment.as_ref();
        let environment = environment.filter(|_| is_flag("settings.environment"));
        found.extend(environment.and_then(|name| misspelled(name, documents, &principal)));
        self.found.extend(found);
    }

    pub(super) fn check_viewed_platform(&mut self, resolved: &ResolvedPack) -> Result<(), Error> {
        let (pack, catalog) = (&resolved.pack, &resolved.catalog);
        if check_platform(pack, catalog, []).is_ok() {
            return Ok(());
        }
        let homes = self.role_homes();
        let is_described = |platform: &Platform| {
            let names = |home: &Utf8PathBuf| self.files.directories(home);
            let mut roots =
                homes.iter().flat_map(|home| names(home).into_iter().map(move |it| home.join(it)));
            roots.any(|root| is_described(&self.files, &root.join("contexts"), &platform.name))
        };
        if pack.platform.as_ref().is_some_and(is_described) {
            return Ok(());
        }
        let homes = self.overlay_homes();
        let overlays =
            homes.iter().flat_map(|home| self.files.directories(&home.join("platforms")));
        let mut others: Vec<String> = overlays.collect();
        for name in self.role_names() {
            let agent = self.role(&name).ok().and_then(|role| role.agent);
            others.extend(agent.into_iter().flat_map(|agent| agent.platforms).map(|it| it.value));
        }
        check_platform(pack, catalog, others.iter().map(String::as_str))
    }

    /// The user configuration applies to other workspaces too.
    pub(super) fn check_platforms(&mut self) {
        for home in self.role_homes() {
            self.list(&home);
        }
        let names = self.role_names();
        let entries = self.config_node.get("platforms").map(Node::entries).unwrap_or_default();
        let own = |span: Span| self.sources.path(span.file) == CONFIG;
        let is_role = |key: &str| names.iter().any(|name| name == key);
        let unknown = entries.iter().filter(|entry| own(entry.key_span) && !is_role(&entry.key));
        let unknown = unknown.map(|entry| (entry.key.clone(), entry.key_span));
        let unknown: Vec<(String, Span)> = unknown.collect();
        if unknown.is_empty() {
            return;
        }
        let roles: Vec<_> = names.iter().filter_map(|name| self.role(name).ok()).collect();
        let keys =
            roles.iter().filter_map(|role| role.agent.as_ref()?.platform_config_key.as_ref());
        let keys: BTreeSet<&str> = keys.map(|key| key.value.as_str()).collect();
        for (key, span) in unknown.iter().filter(|(key, _)| !keys.contains(key.as_str())) {
            let known = names.iter().map(String::as_str).chain(keys.iter().copied());
            let help = suggest::help(
                suggest::closest(key, known),
                "`platforms` is a map from roles to platforms",
            );
            let message = format!("unknown role `{key}` in `platforms`");
            self.found.push(unknown_role::RULE.at(*span, message).help(help));
        }
    }

    pub fn overlay_names(&self, folder: &str) -> Vec<String> {
        let homes = self.overlay_homes();
        homes.iter().flat_map(|home| self.files.directories(&home.join(folder))).collect()
    }

    /// Lowest first: packs, then the workspace.
    pub(super) fn overlay_homes(&self) -> Vec<Utf8PathBuf> {
        let of_packs = self.packs.iter().flat_map(|pack| pack.overlays.iter().cloned());
        of_packs.chain(self.own_overlay_homes()).collect()
    }

    pub(super) fn own_overlay_homes(&self) -> Vec<Utf8PathBuf> {
        let paths = self.config.overlays.paths.iter();
        paths.filter_map(|path| normalize(Utf8Path::new(""), &path.value)).collect()
    }

    fn read_overlay_configs(&mut self, layers: &[Layer]) {
        let mut overlays = Vec::new();
        let principal = self.principal();
        for layer in layers.iter().filter(|layer| layer.kind > LayerKind::Role) {
            let node = self.overlay_config(layer);
            // The overlay restricts its own configuration too.
            let file = self.sources.find(&layer.folder.join("config.yml"));
            let access = file.map(|file| self.sources.folder_access(file)).unwrap_or_default();
            overlays.extend(node.filter(|_| principal.may_read(&Access::from(&access))));
        }
        if !overlays.is_empty() {
            (self.config_node, self.config, self.config_found) =
                merge_config(&self.config_ends, &overlays, &self.sources, &self.files);
            self.check_folders();
        }
    }

    pub(super) fn members(&mut self, layers: &[Layer]) -> (Vec<Member>, Vec<(usize, Unread)>) {
        let (mut walked, mut unread) = (Vec::new(), Vec::new());
        let document = |layer: usize, found: &walk::LayerEntry| {
            let id = document::id_of_path(&found.path, found.folder, &layers[layer]);
            id.filter(|_| !found.partial).map(|id| (layer, Unread::Document(id)))
        };
        for (at, layer) in layers.iter().enumerate() {
            for folder in walk::homes(&self.files, &layer.folder) {
                let found = walk::walk(&self.files, &folder, &mut self.sources, &mut self.found);
                unread.extend(found.unlisted.into_iter().map(|it| (at, Unread::Folder(it))));
                unread.extend(found.unread.iter().filter_map(|found| document(at, found)));
                walked.extend(found.all.into_iter().map(|found| (at, found)));
            }
        }
        let paths: Vec<_> = walked.iter().map(|(_, found)| found.path.clone()).collect();
        let ids = read_all(&self.files, &paths, &mut self.sources, &mut self.found);
        let mut members = Vec::new();
        for ((layer, found), file) in walked.into_iter().zip(ids) {
            match file {
                _ if found.partial => {}
                Some(file) => {
                    members.push(Member { file, layer, folder: found.folder, role: None });
                }
                None => unread.extend(document(layer, &found)),
            }
        }
        (members, unread)
    }
}

pub(super) enum Unread {
    Document(ContextId),
    Folder(Option<Category>),
}

impl Unread {
    fn may_be(&self, id: &ContextId) -> bool {
        match self {
            Self::Document(unread) => unread == id,
            Self::Folder(category) => category.is_none_or(|category| category == id.category),
        }
    }
}

/// An unreadable overlay may replace their text.
fn hide_overridden(documents: &mut [Document], unread: &[(usize, Unread)]) {
    let mut hidden: BTreeSet<ContextId> = BTreeSet::new();
    for (layer, unread) in unread {
        let below = || documents.iter().filter(|it| it.layer < *layer && unread.may_be(&it.id));
        let sealed = below().filter(|it| it.front.fields.sealed);
        let sealed: BTreeSet<&ContextId> = sealed.map(|it| &it.id).collect();
        hidden.extend(below().map(|it| &it.id).filter(|id| !sealed.contains(id)).cloned());
    }
    for document in documents.iter_mut().filter(|document| hidden.contains(&document.id)) {
        let front = Arc::make_mut(&mut document.front);
        Arc::make_mut(&mut front.fields).use_unclear = Some("overlay");
    }
}

fn is_described(files: &impl World, contexts: &Utf8Path, platform: &str) -> bool {
    let row = Category::Platform.row();
    let flat = files.markdown_stems(contexts).into_iter().filter(|stem| {
        Category::from_prefix(stem).is_some_and(|(category, _)| category == Category::Platform)
    });
    let stems = files.markdown_stems(&contexts.join(row.directory)).into_iter().chain(flat);
    let name = |stem: &str| Category::from_prefix(stem).map_or(stem, |(_, name)| name) == platform;
    stems.into_iter().any(|stem| name(&stem))
}

fn misspelled(
    name: &Spanned<String>,
    documents: &[Document],
    principal: &Principal,
) -> Option<Diagnostic> {
    let visible = documents.iter().map(|it| &it.front.fields).filter(|it| principal.may_see(it));
    let conditions = visible.filter_map(|fields| fields.when.as_ref());
    let conditions = conditions.flat_map(|when| when.all.iter().chain(&when.none));
    let known = conditions.filter(|it| it.key.value == "environment").flat_map(|it| &it.values);
    let known: Vec<&str> = known.map(String::as_str).collect();
    let close = suggest::closest(&name.value, known.iter().copied());
    let close = close.filter(|_| !known.contains(&name.value.as_str()))?;
    let message = format!("no condition names the environment `{}`", name.value);
    let help = format!("did you mean `{close}`?");
    Some(unknown_overlay::RULE.at(name.span, message).help(help))
}

fn value(field: Option<&Spanned<String>>) -> Option<String> {
    field.map(|field| field.value.clone())
}
