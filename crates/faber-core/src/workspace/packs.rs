//! Packs as layers of a workspace.

use std::collections::HashMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::config;
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::{Document, Layer};
use crate::file_text::FileText;
use crate::folder_access::FolderAccess;
use crate::layer::LayerKind;
use crate::packs::declare::Declarations;
use crate::packs::{self, MountedPack, Trust};
use crate::paths::normalize;
use crate::rule::Rule;
use crate::rules::{
    config_key_not_allowed, dangling_reference, dangling_related, flow_task_missing,
    missing_platform_context, overlay_for_nobody, pack_collision, section_without_base,
    strategy_without_base, unavailable_pack, unknown_overlay, unknown_role, untrusted_pack,
};
use crate::source::{FileId, Span};
use crate::workspace::everything::KINDS;
use crate::workspace::{ConfigReader, Workspace};
use crate::world::{Unreadable, World};
use crate::yaml::{self, Entry, Node, Value};

const ROLES: [&str; 2] = ["roles", ".faber/roles"];
const OVERLAYS: [&str; 2] = ["overlays", ".faber/overlays"];

#[derive(Debug)]
pub struct PackConfig {
    pub roles: Vec<Utf8PathBuf>,
    pub overlays: Vec<Utf8PathBuf>,
    pub declarations: Declarations,
}

impl<W: World> Workspace<W> {
    /// In order: user, workspace, organization.
    pub fn declared_packs(&mut self) -> Declarations {
        let mut declared = Declarations::default();
        let mut found = Vec::new();
        let user = self.options.user_config.as_ref().map(|(path, _)| path.clone());
        for node in self.config_ends.iter().flatten() {
            let is_users = user.as_deref() == Some(self.sources.path(node.span.file));
            if !(is_users && self.options.no_user) {
                declared.add(node, &self.sources, is_users, &mut found);
            }
        }
        if self.config.overlays.enabled {
            for home in self.own_overlay_homes() {
                let folder = home.join("organization");
                let layer = Layer::new(LayerKind::Organization, None, folder);
                if let Some(node) = self.overlay_config(&layer) {
                    declared.add(&node, &self.sources, false, &mut found);
                }
            }
        }
        self.found.extend(found);
        declared
    }

    pub fn pack_config(&mut self, name: &str) -> PackConfig {
        let folder = packs::folder(name);
        let path = folder.join(packs::CONFIG);
        let mut found = Vec::new();
        let text = self.files.read(&path);
        let kind = config::ConfigSource::Workspace;
        let sources = &mut self.sources;
        let mut reader = ConfigReader { sources, known: self.caches.yaml(), found: &mut found };
        let node = reader.read(&path, text, kind);
        let homes = |keys: &[&str], usual: [&'static str; 2]| {
            let list = || node.as_ref()?.at(keys)?.items();
            let list = list().unwrap_or_default().iter().filter_map(Node::as_str);
            let all = usual.into_iter().chain(list);
            let inside = all.filter_map(|path| normalize(Utf8Path::new(""), path));
            let homes = inside.map(|path| folder.join(path));
            homes.filter(|home| self.files.is_dir(home)).collect()
        };
        let mut declarations = Declarations::default();
        if let Some(node) = &node {
            declarations.add(node, &self.sources, false, &mut found);
        }
        let roles = homes(&["roles"], ROLES);
        let overlays = homes(&["overlays", "paths"], OVERLAYS);
        self.found.extend(found);
        PackConfig { roles, overlays, declarations }
    }

    pub(super) fn libraries(&self) -> Vec<Layer> {
        let of_packs = self.packs.iter().filter(|pack| !pack.is_users);
        let mut layers: Vec<Layer> =
            of_packs.map(|pack| Layer::new(LayerKind::Project, None, pack.folder())).collect();
        layers.push(Layer::new(LayerKind::Project, None, ""));
        layers
    }

    pub(super) fn user_libraries(&self) -> impl Iterator<Item = Layer> + '_ {
        let of_user = self.packs.iter().filter(|pack| pack.is_users && !self.options.no_user);
        of_user.map(|pack| Layer::new(LayerKind::User, None, pack.folder()))
    }

    pub(super) fn overlay_config(&mut self, layer: &Layer) -> Option<Node> {
        let path = layer.folder.join("config.yml");
        if let Some(known) = self.overlay_configs.get(&path) {
            return known.clone();
        }
        let text = self.files.read(&path);
        let access = folder_access(&text);
        if access != FolderAccess::Open {
            self.sources.restrict(&layer.folder, access);
        }
        let kind = config::ConfigSource::Overlay;
        let (sources, found) = (&mut self.sources, &mut self.found);
        let mut reader = ConfigReader { sources, known: self.caches.yaml(), found };
        let mut node = reader.read(&path, text, kind);
        let is_of_pack = layer.pack().is_some();
        if let Some(Value::Map(entries)) = node.as_mut().map(|node| &mut node.value) {
            entries.retain(|entry| entry.key != "access");
            let is_refused = is_of_pack || layer.kind != LayerKind::Organization;
            let (message, help) = if is_of_pack {
                let message = "an overlay of a pack may not set `packs`";
                (
                    message,
                    "set `packs` in `.faber/config.yml` of the pack, and `packs.allow` in the workspace",
                )
            } else {
                let message = "only the overlay of the organization may set `packs`";
                (message, "declare packs in `.faber/config.yml`")
            };
            let refused = entries.extract_if(.., |entry| is_refused && entry.key == "packs");
            let finding = |entry: Entry| config_key_not_allowed::RULE.at(entry.key_span, message);
            self.found.extend(refused.map(finding).map(|finding| finding.help(help)));
        }
        self.overlay_configs.insert(path, node.clone());
        node
    }

    pub(super) fn read_overlay_of(&mut self, path: &Utf8Path) {
        let layer = self.overlay_homes().iter().find_map(|home| overlay_of(home, path));
        if let Some(layer) = layer {
            self.overlay_config(&layer);
        }
    }

    pub(super) fn check_pack_documents(&mut self, documents: &mut [Document]) {
        if self.packs.is_empty() {
            return;
        }
        let mut first: HashMap<(LayerKind, ContextId), usize> = HashMap::new();
        let mut found = Vec::new();
        for at in 0..documents.len() {
            let document = &documents[at];
            let Some(name) = packs::of_path(self.sources.path(document.file)) else { continue };
            let Some(pack) = self.packs.iter().find(|pack| pack.name == name) else { continue };
            let fields = &document.front.fields;
            if fields.strategy.is_none() && fields.extends.is_none() {
                let key = (document.kind, document.id.clone());
                let before = first.insert(key, at).map(|before| documents[before].file);
                found.extend(before.and_then(|before| self.collision(before, document)));
            }
            if (fields.required || fields.sealed) && pack.trust != Trust::Given {
                let message = format!(
                    "`required` and `sealed` in the pack `{name}` have no effect: {}",
                    pack.trust.why_not()
                );
                let help = "check `packs` in the configuration, then run `faber trust`";
                found.push(untrusted_pack::RULE.at(pack.declared_at, message).help(help));
                let front = Arc::make_mut(&mut documents[at].front);
                let fields = Arc::make_mut(&mut front.fields);
                fields.required = false;
                fields.sealed = false;
            }
        }
        self.found.extend(found);
    }

    fn collision(&self, before: FileId, document: &Document) -> Option<Diagnostic> {
        let name = |file| packs::of_path(self.sources.path(file));
        let (first, later) = (name(before)?, name(document.file)?);
        let message =
            format!("`{}` of the pack `{first}` is replaced by that of `{later}`", document.id);
        let finding = pack_collision::RULE.at(Span::start_of(document.file), message);
        let finding = finding.related(Span::start_of(before), "is replaced");
        let help =
            "the last one in `packs` wins; reorder them, or change the context in an overlay";
        let text = |file| &*self.sources.get(file).text;
        let is_replaced = first != later && text(before) != text(document.file);
        is_replaced.then(|| finding.help(help))
    }

    pub fn pack_of(&self, path: &Utf8Path) -> Option<&MountedPack> {
        let name = packs::of_path(path)?;
        self.packs.iter().find(|pack| pack.name == name)
    }

    pub fn of_pack(&self, mut finding: Diagnostic) -> Diagnostic {
        let Span { file, .. } = finding.primary.span;
        let Some(pack) = self.pack_of(self.sources.path(file)) else { return finding };
        let original = self.sources.original_path(file);
        if original.is_relative() && self.pack_of(original).is_none() {
            return finding;
        }
        let version = pack.version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
        let of = format!("in the pack `{}`{version}: change it there", pack.name);
        finding.fix.clear();
        if [&unavailable_pack::RULE, &pack_collision::RULE].contains(&finding.rule()) {
            return finding;
        }
        let help = finding.help.take();
        finding.help(help.map_or(of.clone(), |help| format!("{help} ({of})")))
    }
}

const CONSEQUENCES: [&Rule; 9] = [
    &dangling_reference::RULE,
    &dangling_related::RULE,
    &flow_task_missing::RULE,
    &missing_platform_context::RULE,
    &overlay_for_nobody::RULE,
    &section_without_base::RULE,
    &strategy_without_base::RULE,
    &unknown_overlay::RULE,
    &unknown_role::RULE,
];

/// If a pack is unavailable, findings about its contents are wrong.
pub fn drop_consequences(found: &mut Vec<Diagnostic>) {
    if found.iter().any(|found| found.rule() == &unavailable_pack::RULE) {
        found.retain(|found| !CONSEQUENCES.contains(&found.rule()));
    }
}

fn overlay_of(home: &Utf8Path, path: &Utf8Path) -> Option<Layer> {
    let mut parts = path.strip_prefix(home).ok()?.components().map(|part| part.as_str());
    let first = parts.next()?;
    if first == "organization" {
        return Some(Layer::new(LayerKind::Organization, None, home.join(first)));
    }
    let (_, kind) = KINDS.iter().find(|(known, _)| *known == first)?;
    let name = parts.next()?;
    Some(Layer::new(*kind, Some(name), home.join(first).join(name)))
}

/// Unreadable configurations may restrict access.
fn folder_access(text: &Result<FileText, Unreadable>) -> FolderAccess {
    match text {
        Ok(text) if !text.contains("access") => FolderAccess::Open,
        Ok(text) => match yaml::parse_text(text, FileId::NONE) {
            Ok(node) => node.get("access").map_or(FolderAccess::Open, FolderAccess::of_config),
            Err(_) => FolderAccess::Unclear,
        },
        Err(Unreadable::Missing) => FolderAccess::Open,
        Err(_) => FolderAccess::Unclear,
    }
}
