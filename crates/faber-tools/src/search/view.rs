mod items;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jiff::civil::Date;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::items::{context_item, note, notes};
use crate::search::bytes::TextKey;
use crate::search::item::{
    CONTRADICTS, Facets, Items, RELATED, SearchItem, SourceType, TextLocation,
};
use crate::search::prepare::Text;
use crate::search::scope::{Scope, Scopes};
use crate::search::{conversation, resources};
use faber_core::assemble::{InstructionKind, RequestTriggers, ResolvedPack};
use faber_core::config::{AuditConfig, Config, Previews, QueryConfig, SearchConfig};
use faber_core::error::Error;
use faber_core::layer::LayerKind;
use faber_core::packs::MountedPack;
use faber_core::parse::fields::Fields;
use faber_core::parse::frontmatter;
use faber_core::render;
use faber_core::resolve::catalog;
use faber_core::resolve::index::{ReferenceOrigin, Resolution};
use faber_core::resolve::view::{Access, AccessRule, View};
use faber_core::role::Lineage;
use faber_core::rules::unknown_overlay;
use faber_core::source::{FileId, SourceMap, Span};
use faber_core::workspace::Viewer;
use faber_core::world::{World, read_all};
use faber_session::history::{self, HISTORY};
use faber_session::session::Workspace;

/// ID prefixes that some views lack.
const UNITS: [&str; 4] = ["@role:", "task/", "flow/", "history/"];

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexRequest {
    /// Default: the configured or only role, else all.
    pub role: Option<String>,
    pub platform: Option<String>,
    pub scopes: Option<Scopes>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchView {
    pub role: Option<String>,
    pub team: Option<String>,
    pub roles: Vec<String>,
    #[serde(skip)]
    pub items: Items,
    pub search: SearchConfig,
    pub query: QueryConfig,
    pub previews: Previews,
    pub audit: AuditConfig,
    pub trust: BTreeMap<String, f64>,
    pub encoding: String,
    pub names: BTreeMap<render::catalog::Scope, String>,
}

impl SearchView {
    pub fn of_config(
        config: &Config,
        role: Option<String>,
        team: Option<String>,
        roles: Vec<String>,
    ) -> Self {
        Self {
            names: render::catalog::names(&config.settings, role.clone(), team.clone()),
            role,
            roles,
            team,
            items: Items::default(),
            search: config.search,
            query: config.query,
            previews: config.previews,
            audit: config.audit,
            trust: config.access.trust.clone(),
            encoding: config.encoding.value.clone(),
        }
    }
}

pub struct ViewReading {
    pub view: SearchView,
    pub texts: Vec<ViewReader>,
}

pub struct ViewReader {
    name: String,
    meta: Vec<String>,
    body: BodyOf,
    origin: Origin,
}

enum Origin {
    Files(Vec<FileId>),
    /// Rules of messages; `None` for the author alone.
    Rules(BTreeSet<Option<AccessRule>>),
}

enum BodyOf {
    Span(Span),
    Own(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemRules {
    pub rules: BTreeSet<AccessRule>,
    pub valid_to: Option<Date>,
}

impl ViewReading {
    pub fn rules(&self, at: usize, sources: &SourceMap) -> Option<ItemRules> {
        let mut found = ItemRules::default();
        let files = match &self.texts[at].origin {
            Origin::Files(files) => files,
            Origin::Rules(rules) => {
                found.rules = rules.iter().cloned().collect::<Option<_>>()?;
                found.rules.retain(|rule| !rule.is_open());
                return Some(found);
            }
        };
        let mut files: BTreeSet<FileId> = files.iter().copied().collect();
        if let TextLocation::Own { paths, .. } = &self.view.items.get(at).body {
            files.extend(paths.iter().filter_map(|path| sources.find(Utf8Path::new(path))));
        }
        for file in files {
            let fields = fields_of(sources, file);
            let rule = Access::from(&*fields).rule()?;
            found.rules.extend(Some(rule).filter(|rule| !rule.is_open()));
            let ends = fields.valid_to.as_ref().map(|date| date.value);
            found.valid_to = found.valid_to.into_iter().chain(ends).min();
        }
        Some(found)
    }
}

fn fields_of(sources: &SourceMap, file: FileId) -> Arc<Fields> {
    let kind = frontmatter::FrontKind::Context;
    frontmatter::read(sources, file, kind).value.front.fields
}

pub(super) fn rule_of(sources: &SourceMap, file: FileId) -> Option<AccessRule> {
    Access::from(&*fields_of(sources, file)).rule()
}

impl ViewReader {
    pub fn text<'t>(&'t self, sources: &'t SourceMap) -> Text<'t> {
        Text { name: &self.name, meta: &self.meta, body: self.body.text(sources) }
    }
}

impl BodyOf {
    fn text<'a>(&'a self, sources: &'a SourceMap) -> &'a str {
        match self {
            Self::Span(span) => sources.text(*span),
            Self::Own(text) => text,
        }
    }
}

/// # Errors
///
/// Errors of [`Workspace::pack`].
pub fn read(workspace: &mut Workspace, request: &IndexRequest) -> Result<ViewReading, Error> {
    let mut collector =
        ItemCollector { found: BTreeMap::new(), has_role: false, allowed: request.scopes };
    let seen = each_pack(workspace, request, |workspace, seen, role| {
        collector.has_role |= role.is_none() && seen.0.pack.view.role.is_some();
        let prefix = prefix_of(role);
        collector.contexts(workspace, seen, role);
        collector.resources(workspace, seen, &prefix);
        collector.instructions(workspace, seen, &prefix);
    })?;
    collector.history(workspace, &seen);
    Ok(collector.finish(workspace, &seen))
}

fn unknown_overlays(workspace: &Workspace) -> usize {
    workspace.noticed().filter(|found| found.rule() == &unknown_overlay::RULE).count()
}

pub(super) fn chains(
    workspace: &mut Workspace,
    request: &IndexRequest,
) -> Result<BTreeMap<String, BTreeSet<FileId>>, Error> {
    let mut chains: BTreeMap<String, BTreeSet<FileId>> = BTreeMap::new();
    each_pack(workspace, request, |_, seen, role| {
        let prefix = prefix_of(role);
        for document in &seen.0.pack.documents {
            let id = format!("{prefix}{}", document.id);
            chains.entry(id).or_default().insert(document.file);
        }
    })?;
    Ok(chains)
}

fn each_pack(
    workspace: &mut Workspace,
    request: &IndexRequest,
    mut visit: impl FnMut(&mut Workspace, &VisiblePack, Option<&str>),
) -> Result<VisiblePack, Error> {
    let viewer = Viewer::new(request.role.clone(), request.platform.clone());
    let own = VisiblePack(workspace.resolve(&viewer)?);
    let mut unknown = BTreeSet::from([unknown_overlays(workspace)]);
    visit(workspace, &own, None);
    let is_other = |name: &String| own.0.pack.view.role.as_ref() != Some(name);
    for name in workspace.role_names().into_iter().filter(is_other) {
        let viewer = Viewer { role: Some(name.clone()), ..viewer.clone() };
        let before = unknown_overlays(workspace);
        // A broken role hides no other.
        if let Ok(pack) = workspace.resolve(&viewer) {
            unknown.insert(unknown_overlays(workspace) - before);
            visit(workspace, &VisiblePack(pack), Some(&name));
        }
    }
    if unknown.len() > 1 {
        workspace.found.retain(|found| found.rule() != &unknown_overlay::RULE);
    }
    Ok(own)
}

fn prefix_of(role: Option<&str>) -> String {
    role.map(|role| format!("@role:{role}/")).unwrap_or_default()
}

struct VisiblePack(ResolvedPack);

impl VisiblePack {
    fn from<'a>(&'a self, path: &'a Utf8Path) -> ReferenceOrigin<'a> {
        let role_root = self.0.pack.lineage.as_ref().map(|lineage| lineage.role().root.as_path());
        ReferenceOrigin { path, role_root }
    }

    fn has(&self, link: &str, path: &Utf8Path) -> bool {
        let target = self.0.catalog.index.resolve(link, self.from(path));
        matches!(target, Resolution::Context(id) if self.0.catalog.get(&id).is_some())
    }

    fn triggers(&self, workspace: &Workspace) -> RequestTriggers {
        let prompts = workspace.caches.prompts();
        self.0.read(&workspace.sources, None, false, prompts).value.triggers
    }

    fn relate(&self, item: &mut SearchItem, sources: &SourceMap) {
        let path = Utf8PathBuf::from(&item.path);
        let original = sources.find(&path).map(|file| sources.original_path(file));
        let from = self.from(original.unwrap_or(&path));
        for links in &mut item.links {
            let named = links.iter().filter_map(|link| linked(&self.0.catalog, link, from));
            let mut known = BTreeSet::new();
            *links = named.filter(|link| known.insert(link.clone())).collect();
        }
    }
}

struct ItemCollector {
    found: BTreeMap<String, (SearchItem, ViewReader)>,
    has_role: bool,
    allowed: Option<Scopes>,
}

impl ItemCollector {
    fn contexts(&mut self, workspace: &Workspace, seen: &VisiblePack, role: Option<&str>) {
        let of_role = [LayerKind::Role, LayerKind::RoleOverlay, LayerKind::Platform];
        let is_main = role.is_none() && self.has_role;
        let triggers =
            if role.is_none() { seen.triggers(workspace) } else { RequestTriggers::default() };
        let is_wanted = |context: &catalog::Context| {
            (is_main || context.id.role.is_none())
                && (role.is_none() || context.layers().iter().any(|layer| of_role.contains(layer)))
        };
        let prefix = prefix_of(role);
        let read = |context: &catalog::Context| {
            let (mut item, reader) =
                context_item(workspace, context, format!("{prefix}{}", context.id));
            let top = seen.0.pack.layers.iter().rev().find(|layer| layer.kind == context.top);
            let of_layer = || top.and_then(|layer| layer.name.clone());
            item.triggers = triggers.line(&context.id);
            item.layer_name = context.id.role.as_deref().map(str::to_owned).or_else(of_layer);
            seen.relate(&mut item, &workspace.sources);
            (item, reader)
        };
        let contexts: Vec<_> =
            seen.0.catalog.contexts.values().filter(|context| is_wanted(context)).collect();
        let found: Vec<_> = contexts.into_par_iter().map(read).collect();
        for (item, reader) in found {
            self.found.entry(item.id.clone()).or_insert((item, reader));
        }
    }

    fn resources(&mut self, workspace: &mut Workspace, seen: &VisiblePack, prefix: &str) {
        for context in seen.0.catalog.contexts.values() {
            let owner = format!("{prefix}{}", context.id);
            let Some((item, _)) = self.found.get(&owner) else { continue };
            let (layers, layer_name) = (item.layers.clone(), item.layer_name.clone());
            let resources = resources::of_context(&workspace.files, context, &workspace.sources);
            let paths: Vec<Utf8PathBuf> = resources.iter().map(|it| it.path.clone()).collect();
            let (files, texts) = (&workspace.files, &mut workspace.sources);
            let read = read_all(files, &paths, texts, &mut workspace.found);
            for (resource, file) in resources.into_iter().zip(read) {
                let Some(file) = file else { continue };
                let name = resource.path.file_stem().unwrap_or_default().to_owned();
                let id = format!("{owner}/{}", resource.below);
                let found = note(workspace, seen, file, (id, name, SourceType::Document));
                let Some((mut item, mut reader)) = found else { continue };
                let path = Utf8Path::new(&item.path);
                item.pack = workspace.pack_of(path).map(MountedPack::title);
                (item.layers, item.layer_name) = (layers.clone(), layer_name.clone());
                item.on_demand = true;
                item.links[RELATED].push(owner.clone());
                let owners = context.sources.iter().map(|source| source.file);
                reader.origin = Origin::Files(owners.chain([file]).collect());
                self.found.entry(item.id.clone()).or_insert((item, reader));
            }
        }
    }

    fn instructions(&mut self, workspace: &mut Workspace, seen: &VisiblePack, prefix: &str) {
        let roots: Vec<Utf8PathBuf> = seen.0.pack.lineage.iter().flat_map(Lineage::roots).collect();
        let shared = (Utf8PathBuf::new(), "", LayerKind::Project);
        let own = roots.iter().map(|root| (root.clone(), prefix, LayerKind::Role));
        for (root, prefix, layer) in own.chain([shared]) {
            for (what, kind) in InstructionKind::ALL {
                let folder = root.join(kind.folder());
                for (file, stem) in notes(workspace, &folder) {
                    let id = format!("{prefix}{what}/{stem}");
                    let note = note(workspace, seen, file, (id, stem, SourceType::Document));
                    let Some((mut item, reader)) = note else { continue };
                    item.layers = vec![layer];
                    self.found.entry(item.id.clone()).or_insert((item, reader));
                }
            }
        }
    }

    fn history(&mut self, workspace: &mut Workspace, seen: &VisiblePack) {
        let folder = Utf8Path::new(HISTORY);
        let first = history::first_kept(workspace.config.keep_days, seen.0.pack.view.date);
        let is_kept = |dated: Option<Date>| dated.is_none_or(|dated| dated >= first);
        for (file, stem) in notes(workspace, folder) {
            let what = (format!("history/{stem}"), stem, SourceType::Memory);
            let found = note(workspace, seen, file, what).filter(|(item, _)| is_kept(item.dated));
            self.found.extend(found.map(|found| (found.0.id.clone(), found)));
        }
        for name in workspace.files.names_ending(folder, ".jsonl") {
            let path = folder.join(format!("{name}.jsonl"));
            let view: &View = &seen.0.pack.view;
            let file_access = history::access_of(&workspace.files, &path);
            if file_access.as_ref().is_some_and(|access| !view.may_read(&Access::from(access))) {
                continue;
            }
            let (files, sources) = (&workspace.files, &mut workspace.sources);
            let read = read_all(files, std::slice::from_ref(&path), sources, &mut workspace.found);
            let Some(file) = read[0] else { continue };
            let text = workspace.sources.get(file).text.clone();
            let of_file = file_access.as_ref().map(|access| Access::from(access).rule());
            let rules = RefCell::new(BTreeSet::from_iter(of_file));
            let may_read = |access: &Access<'_>| {
                let may = view.may_read(access);
                if may {
                    rules.borrow_mut().insert(access.rule());
                }
                may
            };
            let parts = conversation::parts(&text, may_read);
            let rules = rules.into_inner();
            for part in parts.into_iter().filter(|part| is_kept(part.at)) {
                let id = format!("history/{name}.jsonl#{}", part.line);
                let item = SearchItem {
                    title: name.clone(),
                    path: path.to_string(),
                    owner: part.by,
                    dated: part.at,
                    body: TextLocation::Own {
                        paths: vec![path.to_string()],
                        origins: part.lines.iter().map(|line| (0, *line)).collect(),
                        text: part.text.clone(),
                    },
                    ..SearchItem::blank(id, SourceType::Conversation)
                };
                let reader = ViewReader {
                    name: name.clone(),
                    meta: Vec::new(),
                    body: BodyOf::Own(part.text),
                    origin: Origin::Rules(rules.clone()),
                };
                self.found.insert(item.id.clone(), (item, reader));
            }
        }
    }

    fn link(&mut self) {
        let ids: BTreeSet<String> = self.found.keys().cloned().collect();
        let mut against: Vec<(String, String)> = Vec::new();
        for (id, (item, _)) in &mut self.found {
            let role = id.strip_prefix("@role:").and_then(|rest| rest.split_once('/'));
            let prefix = prefix_of(role.map(|(role, _)| role));
            for link in item.links.iter_mut().flatten() {
                let own = format!("{prefix}{link}");
                if ids.contains(&own) {
                    *link = own;
                }
            }
            // Hidden items look unknown.
            let is_unit = |link: &String| UNITS.iter().any(|unit| link.starts_with(unit));
            for links in &mut item.links {
                links.retain(|link| ids.contains(link) || !is_unit(link));
            }
            let named = item.links[CONTRADICTS].iter().filter(|link| ids.contains(*link));
            against.extend(named.map(|link| (link.clone(), id.clone())));
        }
        for (id, by) in against {
            let Some((item, _)) = self.found.get_mut(&id) else { continue };
            if !item.links[CONTRADICTS].contains(&by) {
                item.links[CONTRADICTS].push(by);
            }
        }
    }

    fn roles(&self, workspace: &Workspace, own: Option<&str>) -> Vec<String> {
        let knows_all = self.allowed.is_none_or(|allowed| Scopes::of([Scope::Space]).meet(allowed));
        let mut names = workspace.role_names();
        names.retain(|name| knows_all || own == Some(name));
        names
    }

    fn restrict(&mut self) {
        let Some(allowed) = self.allowed else { return };
        let has_role = self.has_role;
        let is_allowed = |item: &SearchItem| {
            let is_of_area = item.is_of_area(has_role);
            let each = item.layers.iter().map(|layer| Scopes::of_layers(&[*layer], is_of_area));
            let mut each = each.chain(item.layers.is_empty().then(|| item.scopes(has_role)));
            each.all(|scopes| scopes.meet(allowed))
        };
        let hidden = self.found.iter().filter(|(_, (item, _))| !is_allowed(item));
        let hidden: BTreeSet<String> = hidden.map(|(id, _)| id.clone()).collect();
        self.found.retain(|id, _| !hidden.contains(id));
        for links in self.found.values_mut().flat_map(|(item, _)| &mut item.links) {
            links.retain(|link| !hidden.contains(link));
        }
    }

    fn finish(mut self, workspace: &Workspace, seen: &VisiblePack) -> ViewReading {
        let own = &seen.0.pack.view;
        self.link();
        self.restrict();
        let mut texts = Vec::with_capacity(self.found.len());
        let found: Vec<_> = std::mem::take(&mut self.found).into_values().collect();
        let sources = &workspace.sources;
        let keys: Vec<TextKey> =
            found.par_iter().map(|(_, reader)| reader.text(sources).key()).collect();
        let items = found.into_iter().zip(keys).map(|((item, reader), key)| {
            let scopes = item.scopes(self.has_role);
            let bytes = u32::try_from(reader.body.text(sources).len()).unwrap_or(u32::MAX);
            texts.push(reader);
            let category = item.category;
            (item, key, Facets { scopes, category, bytes })
        });
        let items: Items = items.collect();
        let roles = self.roles(workspace, own.role.as_deref());
        let (role, team) = (own.role.clone(), own.team());
        let view = SearchView::of_config(&workspace.config, role, team, roles);
        let view = SearchView { items, ..view };
        ViewReading { view, texts }
    }
}

fn linked(catalog: &catalog::ContextSet, link: &str, from: ReferenceOrigin<'_>) -> Option<String> {
    match catalog.index.resolve(link, from) {
        Resolution::Context(id) => catalog.get(&id).map(|context| context.id.to_string()),
        Resolution::Missing if !link.starts_with(UNITS[0]) => None,
        _ => Some(link.to_owned()),
    }
}
