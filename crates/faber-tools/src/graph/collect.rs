use std::collections::{BTreeMap, BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;

use crate::graph::data::{EdgeData, EdgeKind, GraphData, NodeData, NodeKind};
use crate::graph::links::{self, LinkTarget, NamedReference};
use faber_core::assemble::{Declared, InstructionKind, Pack};
use faber_core::context_id::ContextId;
use faber_core::document::{Document, Layer};
use faber_core::layer::LayerKind;
use faber_core::markdown;
use faber_core::parse::rules::RuleKind;
use faber_core::resolve::catalog::{Context, ContextSet};
use faber_core::resolve::index::ReferenceOrigin;
use faber_core::resolve::view::Why;
use faber_core::role::Role;
use faber_core::source::{FileId, SourceMap, Spanned};
use faber_core::workspace::TaskFile;

const OF_ROLE: [LayerKind; 3] = [LayerKind::Role, LayerKind::RoleOverlay, LayerKind::Platform];

#[derive(Clone, Copy)]
pub struct GraphInput<'a> {
    pub sources: &'a SourceMap,
    pub pack: &'a Pack,
    pub catalog: &'a ContextSet,
    pub declared: &'a [Declared],
    pub task_files: &'a [TaskFile],
    pub role_homes: &'a [Utf8PathBuf],
}

impl<'a> GraphInput<'a> {
    fn roles(&self) -> &'a [Role] {
        self.pack.lineage.as_ref().map_or(&[], |lineage| &lineage.roles)
    }

    pub(super) fn role_root(&self) -> Option<&'a Utf8Path> {
        self.roles().first().map(|role| role.root.as_path())
    }

    pub(super) fn from(&self, file: FileId) -> ReferenceOrigin<'a> {
        ReferenceOrigin::of(self.sources, file, self.role_homes)
    }

    fn visible(&self) -> impl Iterator<Item = &'a Document> {
        let pack = self.pack;
        pack.documents.iter().filter(|document| pack.view.may_see(&document.front.fields))
    }
}

#[derive(Default)]
pub struct GraphCollector {
    nodes: BTreeMap<(NodeKind, String), NodeData>,
    edges: BTreeMap<(String, String, EdgeKind), EdgeData>,
    by_path: HashMap<Utf8PathBuf, String>,
    open: Vec<(String, Vec<Utf8PathBuf>, String)>,
    followed: BTreeSet<FileId>,
}

struct GraphNames {
    prefix: String,
    own: BTreeSet<ContextId>,
    documents: HashMap<FileId, ContextId>,
}

impl GraphNames {
    fn new(seen: &GraphInput<'_>, among: Option<&str>) -> Self {
        let prefix = among.map(|role| format!("@role:{role}/")).unwrap_or_default();
        let of_role =
            |document: &&Document| OF_ROLE.contains(&document.kind) && document.id.role.is_none();
        let base = |document: &Document| {
            seen.catalog.aliases.get(&document.id).unwrap_or(&document.id).clone()
        };
        let own = among.map(|_| seen.visible().filter(of_role).map(base).collect());
        let documents = seen.visible().map(|document| (document.file, base(document))).collect();
        Self { prefix, own: own.unwrap_or_default(), documents }
    }

    fn label(&self, id: &ContextId) -> String {
        let role = self.prefix.strip_prefix("@role:").and_then(|rest| rest.strip_suffix('/'));
        let role = role.filter(|_| self.own.contains(id));
        role.map_or_else(|| id.to_string(), |role| format!("{id} ({role})"))
    }

    fn target(
        &self,
        seen: &GraphInput<'_>,
        reference: &Spanned<String>,
    ) -> Option<(String, String)> {
        let target = links::target(seen, &reference.value, reference.span)?;
        let LinkTarget::Context(id) = target else { return None };
        let id = seen.catalog.aliases.get(&id).unwrap_or(&id);
        Some((self.of(id), seen.sources.place(reference.span)))
    }

    fn of(&self, id: &ContextId) -> String {
        if self.own.contains(id) { format!("{}{id}", self.prefix) } else { id.to_string() }
    }
}

impl GraphCollector {
    pub fn add(&mut self, seen: &GraphInput<'_>, among: Option<&str>) {
        let names = GraphNames::new(seen, among);
        self.roles(seen);
        self.contexts(seen, &names);
        self.layers(seen, &names);
        self.front_matter(seen, &names);
        self.rules(seen, &names);
        self.add_tasks_and_flows(seen, &names);
        self.texts(seen, &names, among.is_some());
    }

    fn roles(&mut self, seen: &GraphInput<'_>) {
        let roles = seen.roles();
        for role in roles {
            let id = format!("role:{}", role.name);
            let about = role.agent.as_ref().and_then(|agent| agent.description.as_ref());
            let node = node(&id, NodeKind::Role, &role.name, role.root.as_str());
            self.node(NodeData { description: about.map(one_line), ..node });
            self.by_path.insert(seen.sources.path(role.prompt).to_owned(), id);
        }
        for pair in roles.windows(2) {
            let [role, parent] = pair else { continue };
            let says = role.agent.as_ref().and_then(|agent| agent.extends.as_ref());
            let at = says.map(|extends| seen.sources.place(extends.span));
            let (from, to) = (format!("role:{}", role.name), format!("role:{}", parent.name));
            self.edge(from, to, EdgeKind::Extends, at);
        }
    }

    fn contexts(&mut self, seen: &GraphInput<'_>, names: &GraphNames) {
        for context in seen.catalog.contexts.values() {
            let path = seen.sources.path(context.sources[0].file);
            let (id, label) = (names.of(&context.id), names.label(&context.id));
            self.node(NodeData {
                category: Some(context.id.category),
                layer: Some(context.top),
                description: context.front.fields.description.as_ref().map(one_line),
                ..node(&id, NodeKind::Context, &label, path.as_str())
            });
        }
        let gone = seen.catalog.excluded.iter().filter(|gone| gone.path.is_none());
        let gone: BTreeMap<&ContextId, Why> = gone.map(|gone| (&gone.id, gone.why)).collect();
        for document in seen.visible() {
            let id = &names.documents[&document.file];
            let path = seen.sources.path(document.file);
            let name = names.of(id);
            if !seen.catalog.contexts.contains_key(id) {
                let Some(&why) = gone.get(id) else { continue };
                self.node(NodeData {
                    category: Some(id.category),
                    layer: Some(document.kind),
                    left_out: Some(why),
                    ..node(&name, NodeKind::Context, &names.label(id), path.as_str())
                });
            }
            self.by_path.entry(path.to_owned()).or_insert(name);
        }
    }

    fn layers(&mut self, seen: &GraphInput<'_>, names: &GraphNames) {
        let own = seen.visible().filter(|document| document.id.role.is_none());
        let documents: HashMap<FileId, &Document> =
            own.map(|document| (document.file, document)).collect();
        let used: BTreeSet<usize> = documents.values().map(|document| document.layer).collect();
        for (at, layer) in seen.pack.layers.iter().enumerate() {
            if !used.contains(&at) {
                continue;
            }
            let id = layer_id(layer);
            let names = [layer.name.as_deref(), layer.pack()].into_iter().flatten();
            let label = names.fold(layer.kind.to_string(), |label, name| format!("{label} {name}"));
            let path = if layer.folder.as_str().is_empty() { "." } else { layer.folder.as_str() };
            let node = node(&id, NodeKind::Layer, &label, path);
            self.node(NodeData { layer: Some(layer.kind), ..node });
            if let Some(role) = seen.roles().first() {
                self.edge(format!("role:{}", role.name), id, EdgeKind::Layer, None);
            }
        }
        for context in seen.catalog.contexts.values() {
            for (step, source) in context.sources.iter().enumerate() {
                let Some(document) = documents.get(&source.file) else { continue };
                let kind = match (step, &document.front.fields.extends) {
                    (0, _) => EdgeKind::Defines,
                    (_, Some(_)) => EdgeKind::Extends,
                    (_, None) => EdgeKind::Overlays,
                };
                let layer = layer_id(&seen.pack.layers[document.layer]);
                let path = Some(seen.sources.path(source.file).to_string());
                let edge = self.edge(layer, names.of(&context.id), kind, path);
                edge.terms = source.strategy.iter().map(|how| how.name().to_owned()).collect();
            }
        }
    }

    fn front_matter(&mut self, seen: &GraphInput<'_>, names: &GraphNames) {
        for context in seen.catalog.contexts.values() {
            let from = names.of(&context.id);
            for reference in &context.front.fields.related {
                if let Some((to, at)) = names.target(seen, reference) {
                    self.edge(from.clone(), to, EdgeKind::Related, Some(at));
                }
            }
        }
        for document in seen.visible() {
            let id = &names.documents[&document.file];
            let by = document.front.fields.superseded_by.as_ref();
            if let Some((to, at)) = by.and_then(|by| names.target(seen, by)) {
                self.edge(names.of(id), to, EdgeKind::SupersededBy, Some(at));
            }
        }
    }

    fn rules(&mut self, seen: &GraphInput<'_>, names: &GraphNames) {
        let Some(own) = seen.roles().first() else { return };
        for declared in seen.declared {
            let kind = match declared.kind {
                RuleKind::Keyword => EdgeKind::Keyword,
                RuleKind::Error => EdgeKind::Error,
                RuleKind::Platform => EdgeKind::Platform,
                RuleKind::Files => continue,
            };
            let path = seen.sources.path(declared.term.span.file);
            let by = seen.roles().iter().find(|role| path.starts_with(&role.root)).unwrap_or(own);
            let at = Some(seen.sources.place(declared.term.span));
            let edge = self.edge(format!("role:{}", by.name), names.of(&declared.id), kind, at);
            if !edge.terms.contains(&declared.term.value) {
                edge.terms.push(declared.term.value.clone());
            }
        }
    }

    fn add_tasks_and_flows(&mut self, seen: &GraphInput<'_>, names: &GraphNames) {
        for task_file in seen.task_files {
            let kind = match task_file.kind {
                InstructionKind::Task => NodeKind::Task,
                InstructionKind::Flow => NodeKind::Flow,
            };
            let prefix = if task_file.is_shared { "" } else { names.prefix.as_str() };
            let id = format!("{prefix}{}/{}", kind.name(), task_file.name);
            let path = seen.sources.path(task_file.file);
            let label = format!("{}/{}", kind.name(), task_file.name);
            self.node(node(&id, kind, &label, path.as_str()));
            self.by_path.insert(path.to_owned(), id.clone());
            let references = links::named(seen, &links::body(seen, task_file.file));
            self.links(seen, names, &id, references);
            self.includes(seen, names, &id, task_file.file);
        }
    }

    fn texts(&mut self, seen: &GraphInput<'_>, names: &GraphNames, only_own: bool) {
        for role in seen.roles() {
            let id = format!("role:{}", role.name);
            let references = links::named(seen, &links::body(seen, role.prompt));
            self.links(seen, names, &id, references);
            self.includes(seen, names, &id, role.prompt);
        }
        let contexts = seen.catalog.contexts.values();
        let contexts: Vec<&Context> =
            contexts.filter(|context| !only_own || names.own.contains(&context.id)).collect();
        let read = |context: &&Context| links::named(seen, &context.body.all_lines(seen.sources));
        let references: Vec<Vec<NamedReference>> = contexts.par_iter().map(read).collect();
        for (context, references) in contexts.iter().zip(references) {
            let id = names.of(&context.id);
            self.links(seen, names, &id, references);
            for source in &context.sources {
                self.includes(seen, names, &id, source.file);
            }
        }
    }

    fn links(
        &mut self,
        seen: &GraphInput<'_>,
        names: &GraphNames,
        from: &str,
        references: Vec<NamedReference>,
    ) {
        for NamedReference { target, at } in references {
            let at = seen.sources.place(at);
            match target {
                LinkTarget::Context(id) => {
                    let id = seen.catalog.aliases.get(&id).unwrap_or(&id);
                    self.edge(from.to_owned(), names.of(id), EdgeKind::Link, Some(at));
                }
                LinkTarget::Paths(paths) => self.open.push((from.to_owned(), paths, at)),
            }
        }
    }

    fn includes(&mut self, seen: &GraphInput<'_>, names: &GraphNames, owner: &str, file: FileId) {
        let mut queue = vec![(owner.to_owned(), file)];
        while let Some((from, file)) = queue.pop() {
            for (target, span) in links::includes(seen, file) {
                let document = names.documents.get(&target);
                let to = document.map_or_else(|| self.file(seen, target), |id| names.of(id));
                let at = Some(seen.sources.place(span));
                self.edge(from.clone(), to.clone(), EdgeKind::Include, at);
                if document.is_none() && self.followed.insert(target) {
                    queue.push((to, target));
                }
            }
        }
    }

    fn file(&mut self, seen: &GraphInput<'_>, file: FileId) -> String {
        let path = seen.sources.path(file);
        if let Some(id) = self.by_path.get(path) {
            return id.clone();
        }
        let id = format!("file:{path}");
        let label = path.file_name().unwrap_or_default();
        self.node(node(&id, NodeKind::File, label, path.as_str()));
        id
    }

    fn node(&mut self, node: NodeData) {
        self.nodes.entry((node.kind, node.id.clone())).or_insert(node);
    }

    fn edge(
        &mut self,
        from: String,
        to: String,
        kind: EdgeKind,
        at: Option<String>,
    ) -> &mut EdgeData {
        let key = (from.clone(), to.clone(), kind);
        self.edges.entry(key).or_insert(EdgeData { from, to, kind, terms: Vec::new(), at })
    }

    pub fn finish(mut self, role: Option<String>) -> GraphData {
        for (from, paths, at) in std::mem::take(&mut self.open) {
            if let Some(to) = paths.iter().find_map(|path| self.by_path.get(path)).cloned() {
                self.edge(from, to, EdgeKind::Link, Some(at));
            }
        }
        let ids: BTreeSet<&str> = self.nodes.keys().map(|(_, id)| id.as_str()).collect();
        let said = self.edges.values().filter(|edge| edge.kind != EdgeKind::Link);
        let said: BTreeSet<(&str, &str)> = said.map(|edge| (&*edge.from, &*edge.to)).collect();
        let is_new = |edge: &&EdgeData| {
            let ends = (&*edge.from, &*edge.to);
            let says_more = edge.kind != EdgeKind::Link || !said.contains(&ends);
            says_more && edge.from != edge.to && ids.contains(ends.0) && ids.contains(ends.1)
        };
        let edges = self.edges.values().filter(is_new).cloned().collect();
        let nodes = self.nodes.into_values().collect();
        GraphData { schema: "faber.graph/1", role, nodes, edges }
    }
}

pub(super) fn node(id: &str, kind: NodeKind, label: &str, path: &str) -> NodeData {
    NodeData {
        id: id.to_owned(),
        kind,
        label: label.to_owned(),
        path: path.to_owned(),
        category: None,
        layer: None,
        description: None,
        left_out: None,
    }
}

fn one_line(text: &Spanned<String>) -> String {
    markdown::collapse(&text.value)
}

fn layer_id(layer: &Layer) -> String {
    match (layer.kind, layer.folder.as_str()) {
        (LayerKind::Custom, _) => "layer:custom".to_owned(),
        (_, "") => "layer:.".to_owned(),
        (_, folder) => format!("layer:{folder}"),
    }
}
