//! Reads a whole workspace: every role and overlay.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use rayon::prelude::*;

use crate::category::{CATEGORIES, Category};
use crate::context_id::ContextId;
use crate::diagnostic::Diagnostic;
use crate::document::{self, Document, Layer, Member};
use crate::layer::LayerKind;
use crate::packs::CONFIG;
use crate::parse::frontmatter::{self, FrontKind, FrontMatter};
use crate::parse::references::scan::{self, FoundReference};
use crate::parse::references::{self, Reference};
use crate::resolve::index::{self, ReferenceOrigin};
use crate::role::Lineage;
use crate::rules::unknown_field;
use crate::source::{FileId, SourceMap, Spanned};
use crate::workspace::everything::KINDS;
use crate::workspace::follow::of_roles;
use crate::workspace::{Workspace, analysis, merge_config, walk};
use crate::world::{World, read_all};
use crate::yaml::Node;
use crate::{config, line};

pub const HISTORY: &str = ".faber/history";

crate::named_enum! {
    /// The kind of a file in a workspace.
    pub enum FileKind {
        Context = "context",
        /// A file for inclusion.
        Partial = "partial",
        Prompt = "prompt of a role",
        /// A task of a role, or of the workspace.
        Task = "task",
        /// A flow of a role, or of the workspace.
        Flow = "flow",
        /// The `agent.yml` of a role.
        Agent = "agent",
        /// A `config.yml`.
        Config = "configuration",
        /// The `README.md` of a role.
        Readme = "readme",
        /// A note of the history.
        Note = "note",
        /// A conversation of the history, as JSON Lines.
        Conversation = "conversation",
    }
}

#[derive(Clone, Debug)]
pub struct FileEntry {
    pub file: FileId,
    pub kind: FileKind,
    pub layer: Option<usize>,
    pub document: Option<usize>,
    pub front: Option<Box<FrontMatter>>,
    pub references: Vec<FoundReference>,
    /// Possible globs and placeholders.
    pub patterns: Vec<FoundReference>,
}

impl FileEntry {
    fn new(file: FileId, kind: FileKind, layer: Option<usize>) -> Self {
        let (references, patterns) = (Vec::new(), Vec::new());
        Self { file, kind, layer, document: None, front: None, references, patterns }
    }
}

#[derive(Clone, Debug)]
pub struct CustomContext {
    /// `None` for the workspace.
    pub layer: Option<usize>,
    pub reference: Spanned<String>,
    pub file: Option<FileId>,
}

#[derive(Debug, Default)]
pub struct Inventory {
    pub role_names: Vec<String>,
    pub lineages: Vec<Lineage>,
    pub layers: Vec<Layer>,
    pub files: Vec<FileEntry>,
    pub documents: Vec<Document>,
    pub configs: BTreeMap<usize, Node>,
    pub customs: Vec<CustomContext>,
    /// Referenced from other roles, with that ID.
    pub of_roles: Vec<Document>,
    /// Referenced, but not read.
    pub present: BTreeSet<Utf8PathBuf>,
    role_roots: BTreeMap<Utf8PathBuf, usize>,
}

impl Inventory {
    pub fn front<'a>(&'a self, entry: &'a FileEntry) -> Option<&'a FrontMatter> {
        match entry.document {
            Some(at) => Some(&self.documents[at].front),
            None => entry.front.as_deref(),
        }
    }

    pub fn instructions<'a>(
        &'a self,
        sources: &'a SourceMap,
        lineage: Option<&'a Lineage>,
    ) -> impl Iterator<Item = &'a FileEntry> {
        let kinds = [FileKind::Prompt, FileKind::Task, FileKind::Flow];
        let own = lineage.map(|lineage| lineage.role().root.as_path());
        let folders = [Utf8Path::new("flows"), Utf8Path::new("tasks")].into_iter().chain(own);
        let mut below: Vec<_> = folders.map(|folder| self.below(folder, sources)).collect();
        below.sort_by_key(|range| range.start);
        let entries = below.into_iter().flat_map(|range| &self.files[range]);
        entries.filter(move |entry| kinds.contains(&entry.kind))
    }

    fn below(&self, folder: &Utf8Path, sources: &SourceMap) -> Range<usize> {
        let path = |entry: &FileEntry| sources.path(entry.file);
        let start = self.files.partition_point(|entry| path(entry) < folder);
        let count = self.files[start..].partition_point(|entry| path(entry).starts_with(folder));
        start..start + count
    }

    pub fn role_root(&self, path: &Utf8Path) -> Option<&Utf8Path> {
        let owner = path.ancestors().find_map(|folder| self.role_roots.get_key_value(folder));
        owner.map(|(root, _)| root.as_path())
    }

    pub fn lineage_at(&self, role_root: &Utf8Path) -> Option<&Lineage> {
        self.role_roots.get(role_root).map(|&at| &self.lineages[at])
    }
}

#[derive(Clone, Copy)]
struct FileRole {
    kind: FileKind,
    member: Option<(usize, Option<Category>)>,
}

fn may_refer(text: &str) -> bool {
    let names_category = || {
        CATEGORIES.iter().any(|row| {
            memmem::find_iter(text.as_bytes(), row.name)
                .any(|at| text.as_bytes().get(at + row.name.len()) == Some(&b'/'))
        })
    };
    text.contains(".md") || text.contains("@role:") || names_category()
}

impl<W: World> Workspace<W> {
    /// For the author, so without visibility.
    pub fn survey(&mut self) -> Inventory {
        self.check_platforms();
        self.check_default_role();
        let lineages = self.lineages();
        let mut survey = Inventory { layers: self.all_layers(&lineages), ..Inventory::default() };
        survey.layers.push(Layer::new(LayerKind::Custom, None, ""));
        let roots = lineages.iter().map(|lineage| lineage.role().root.clone());
        survey.role_roots = roots.zip(0..).collect();
        survey.lineages = lineages;
        survey.role_names = self.role_names();
        let (paths, parts): (Vec<Utf8PathBuf>, Vec<FileRole>) =
            self.planned(&survey).into_iter().unzip();
        let ids = read_all(&self.files, &paths, &mut self.sources, &mut self.found);
        drop(paths);
        let read: Vec<(FileRole, FileId)> =
            parts.into_iter().zip(ids).filter_map(|(part, id)| Some((part, id?))).collect();
        self.add_configs(&mut survey);
        self.parse_all(&mut survey, &read);
        self.add_role_files(&mut survey);
        self.add_customs(&mut survey);
        self.add_included(&mut survey);
        self.check_overlays(&survey.documents);
        self.check_names(&survey);
        self.check_pack_documents(&mut survey.documents);
        let sources = &self.sources;
        survey.files.sort_by(|a, b| sources.path(a.file).cmp(sources.path(b.file)));
        survey.files.dedup_by_key(|entry| entry.file);
        self.read_references(&mut survey);
        self.add_of_roles(&mut survey);
        survey
    }

    pub fn config_with(&self, overlays: &[Node]) -> (config::Config, Vec<Diagnostic>) {
        let (_, config, found) =
            merge_config(&self.config_ends, overlays, &self.sources, &self.files);
        (config, found)
    }

    pub(super) fn lineages(&mut self) -> Vec<Lineage> {
        let names = self.role_names();
        let mut lineages: Vec<Lineage> =
            names.iter().filter_map(|name| self.lineage(name).ok()).collect();
        lineages.sort_by(|a, b| {
            let key = |lineage: &Lineage| (lineage.roles.len(), lineage.role().name.clone());
            key(a).cmp(&key(b))
        });
        lineages
    }

    /// Lowest first.
    pub(super) fn all_layers(&mut self, lineages: &[Lineage]) -> Vec<Layer> {
        let mut overlays = Vec::new();
        let is_enabled = self.config.overlays.enabled;
        let homes = self.overlay_homes();
        for (folder, kind) in KINDS.into_iter().filter(|_| is_enabled) {
            for home in homes.iter().map(|home| home.join(folder)) {
                let names = self.directories(&home).into_iter();
                overlays.extend(names.map(|name| Layer::new(kind, Some(&name), home.join(&name))));
            }
        }
        self.with_libraries(lineages.iter().map(Lineage::role), overlays)
    }

    fn planned(&mut self, survey: &Inventory) -> Vec<(Utf8PathBuf, FileRole)> {
        let mut planned = Vec::new();
        for (at, layer) in survey.layers.iter().enumerate() {
            if layer.kind == LayerKind::Custom {
                continue;
            }
            let homes = walk::homes(&self.files, &layer.folder);
            let found = homes.iter().flat_map(|folder| {
                walk::walk(&self.files, folder, &mut self.sources, &mut self.found).all
            });
            for found in found.collect::<Vec<_>>() {
                let kind = if found.partial { FileKind::Partial } else { FileKind::Context };
                planned.push((found.path, FileRole { kind, member: Some((at, found.folder)) }));
            }
        }
        let roots = survey.lineages.iter().map(|lineage| lineage.role().root.clone());
        for root in roots.chain([Utf8PathBuf::new()]) {
            for (folder, kind) in [("tasks", FileKind::Task), ("flows", FileKind::Flow)] {
                let folder = root.join(folder);
                let stems = self.names_ending(&folder, ".md");
                let paths = stems.iter().map(|stem| folder.join(format!("{stem}.md")));
                planned.extend(paths.map(|path| (path, FileRole { kind, member: None })));
            }
            let readme = root.join("README.md");
            if !root.as_str().is_empty() && self.files.is_file(&readme) {
                planned.push((readme, FileRole { kind: FileKind::Readme, member: None }));
            }
        }
        let history = Utf8Path::new(HISTORY);
        for (ending, kind) in [(".md", FileKind::Note), (".jsonl", FileKind::Conversation)] {
            let names = self.names_ending(history, ending);
            let paths = names.iter().map(|name| history.join(format!("{name}{ending}")));
            planned.extend(paths.map(|path| (path, FileRole { kind, member: None })));
        }
        let mut seen = HashSet::with_capacity(planned.len());
        planned.retain(|(path, _)| seen.insert(path.as_str().to_owned()));
        planned
    }

    fn parse_all(&mut self, survey: &mut Inventory, read: &[(FileRole, FileId)]) {
        let layers = &survey.layers;
        let parsed: Vec<_> = read
            .par_iter()
            .map(|&(part, file)| {
                let mut found = Vec::new();
                let (document, front) = self.parse(layers, part, file, &mut found);
                (document, front, found)
            })
            .collect();
        survey.documents.reserve(read.len());
        survey.files.reserve(read.len() + 2 * survey.lineages.len() + survey.layers.len());
        for (&(part, file), (document, front, found)) in read.iter().zip(parsed) {
            self.found.extend(found);
            let at = document.is_some().then_some(survey.documents.len());
            survey.documents.extend(document);
            let layer = part.member.map(|(layer, _)| layer);
            let entry = FileEntry::new(file, part.kind, layer);
            survey.files.push(FileEntry { document: at, front, ..entry });
        }
    }

    fn add_role_files(&mut self, survey: &mut Inventory) {
        let first = survey.layers.iter().position(|layer| layer.kind == LayerKind::Role);
        for (at, lineage) in survey.lineages.iter().enumerate() {
            let role = lineage.role();
            let layer = first.map(|first| first + at);
            let read = || frontmatter::read(&self.sources, role.prompt, FrontKind::Prompt);
            let analyses = self.analyses.as_ref();
            let parsed = analysis(analyses, &self.sources, role.prompt, "prompt", read);
            let front = Some(Box::new(parsed.value.front));
            let prompt = FileEntry::new(role.prompt, FileKind::Prompt, layer);
            survey.files.push(FileEntry { front, ..prompt });
            let agent = role.agent_file.map(|file| FileEntry::new(file, FileKind::Agent, layer));
            survey.files.extend(agent);
        }
    }

    fn add_configs(&mut self, survey: &mut Inventory) {
        let entry = |file, layer| FileEntry::new(file, FileKind::Config, layer);
        let own = self.sources.find(Utf8Path::new(CONFIG));
        survey.files.extend(own.map(|file| entry(file, None)));
        for (at, layer) in survey.layers.iter().enumerate() {
            if layer.kind <= LayerKind::Role || layer.kind == LayerKind::Custom {
                continue;
            }
            if let Some(node) = self.overlay_config(layer) {
                let path = layer.folder.join("config.yml");
                survey.configs.insert(at, node);
                survey.files.extend(self.sources.find(&path).map(|file| entry(file, Some(at))));
            }
        }
    }

    fn add_customs(&mut self, survey: &mut Inventory) {
        let mut named: Vec<(Option<usize>, Spanned<String>)> =
            self.config.custom_contexts.iter().map(|custom| (None, custom.clone())).collect();
        for (&at, node) in &survey.configs {
            let items = node.get("custom_contexts").and_then(Node::items).unwrap_or_default();
            let texts = items.iter().filter_map(|item| {
                let value = item.as_str().filter(|text| !text.is_empty())?.to_owned();
                Some((Some(at), Spanned { value, span: item.span }))
            });
            named.extend(texts);
        }
        let layer = survey.layers.len() - 1;
        let mut known: BTreeSet<FileId> = survey.files.iter().map(|entry| entry.file).collect();
        for (at, reference) in named {
            let roots = self.roots_for(survey, at, &reference.value);
            let files = self.custom_files(&reference, &roots);
            for &file in &files {
                if known.insert(file) {
                    let folder = self.custom_member(file, layer, &[]).folder;
                    let (kind, member) = (FileKind::Context, Some((layer, folder)));
                    self.parse_all(survey, &[(FileRole { kind, member }, file)]);
                }
                let reference = reference.clone();
                survey.customs.push(CustomContext { layer: at, reference, file: Some(file) });
            }
            if files.is_empty() {
                survey.customs.push(CustomContext { layer: at, reference, file: None });
            }
        }
    }

    fn add_of_roles(&mut self, survey: &mut Inventory) {
        let mut named = BTreeSet::new();
        let mut files: BTreeSet<FileId> = survey.customs.iter().filter_map(|it| it.file).collect();
        for entry in &survey.files {
            match entry.kind {
                FileKind::Readme
                | FileKind::Agent
                | FileKind::Config
                | FileKind::Note
                | FileKind::Conversation => {}
                FileKind::Context => {
                    let front = survey.front(entry);
                    let related = front.into_iter().flat_map(|front| &front.fields.related);
                    let texts = related.map(|related| &*related.value);
                    named.extend(texts.flat_map(of_roles).map(str::to_owned));
                }
                FileKind::Prompt | FileKind::Task | FileKind::Flow | FileKind::Partial => {
                    let text = &self.sources.get(entry.file).text;
                    named.extend(of_roles(text).map(str::to_owned));
                }
            }
        }
        files.extend(self.files_of_roles(&named));
        let layers = &survey.layers;
        let documents = survey.documents.iter();
        let documents =
            documents.filter(|it| it.kind == LayerKind::Role && files.contains(&it.file));
        let of_roles = documents.map(|document| {
            let role = layers[document.layer].name.as_deref().map(Arc::from);
            Document { id: ContextId { role, ..document.id.clone() }, ..document.clone() }
        });
        survey.of_roles = of_roles.collect();
    }

    fn roots_for(
        &self,
        survey: &Inventory,
        at: Option<usize>,
        reference: &str,
    ) -> Vec<Utf8PathBuf> {
        let layer = at.map(|at| &survey.layers[at]);
        let own = layer.filter(|layer| layer.kind == LayerKind::RoleOverlay);
        let path = reference.split('#').next().unwrap_or_default().trim_start_matches('/');
        let fits = |lineage: &&Lineage| match own {
            Some(layer) => Some(&lineage.role().name) == layer.name.as_ref(),
            None => {
                path.starts_with("contexts/") && self.files.is_file(&lineage.role().root.join(path))
            }
        };
        survey.lineages.iter().find(fits).map(Lineage::roots).unwrap_or_default()
    }

    fn add_included(&mut self, survey: &mut Inventory) {
        let mut shared = Vec::new();
        let mut of_role: BTreeMap<usize, Vec<FileId>> = BTreeMap::new();
        for entry in &survey.files {
            if !self.sources.get(entry.file).text.contains("<!-- faber: include ") {
                continue;
            }
            let path = self.sources.path(entry.file);
            let owner = survey.lineages.iter().position(|l| path.starts_with(&l.role().root));
            match owner {
                Some(at) => of_role.entry(at).or_default().push(entry.file),
                None => shared.push(entry.file),
            }
        }
        let mut new = self.read_includes_of(shared, &[]);
        for (at, files) in of_role {
            new.extend(self.read_includes_of(files, &survey.lineages[at].roots()));
        }
        let entry = |file| FileEntry::new(file, FileKind::Partial, None);
        survey.files.extend(new.into_iter().map(entry));
    }

    fn read_references(&self, survey: &mut Inventory) {
        let (sources, analyses) = (&self.sources, self.analyses.as_ref());
        survey.files.par_iter_mut().for_each(|entry| {
            let text = &sources.get(entry.file).text;
            let is_told = matches!(entry.kind, FileKind::Prompt | FileKind::Task | FileKind::Flow);
            if is_told || (entry.kind == FileKind::Context && may_refer(text)) {
                let body = crate::parse::fence::body(text)..text.len();
                let scan = || {
                    let lines = line::lines_of(sources, entry.file, body);
                    scan::references_and_patterns(sources, &lines)
                };
                (entry.references, entry.patterns) =
                    analysis(analyses, sources, entry.file, "references", scan);
                if !is_told {
                    entry.patterns.clear();
                }
            }
        });
        let homes = self.role_homes();
        let mut present = BTreeSet::new();
        for entry in &survey.files {
            let path = sources.path(entry.file);
            let original = sources.original_path(entry.file);
            let from = ReferenceOrigin { path: original, role_root: survey.role_root(original) };
            for found in &entry.references {
                if entry.kind == FileKind::Context {
                    let companions = index::companions(path, original, &found.text);
                    present.extend(companions.filter(|path| self.files.exists(path)));
                }
                let (reference, _) = references::parse(&found.text);
                if matches!(reference, Reference::Name { .. } | Reference::Id { .. }) {
                    continue;
                }
                let paths = index::candidates(&reference, from, from.role_root, &homes);
                let unread =
                    paths.into_iter().flatten().filter(|path| sources.find(path).is_none());
                present.extend(unread.filter(|path| self.files.exists(path)));
            }
        }
        survey.present = present;
    }

    fn parse(
        &self,
        layers: &[Layer],
        part: FileRole,
        file: FileId,
        found: &mut Vec<Diagnostic>,
    ) -> (Option<Document>, Option<Box<FrontMatter>>) {
        let sources = &self.sources;
        let read = || {
            let read = || frontmatter::read(sources, file, FrontKind::Context);
            let mut read = analysis(self.analyses.as_ref(), sources, file, "front matter", read);
            frontmatter::restrict(&mut read.value.front, sources, file);
            read
        };
        match (part.kind, part.member) {
            (FileKind::Context, Some((layer, folder))) => {
                let parsed = read().drain_into(found);
                let member = Member { file, layer, folder, role: None };
                (document::parse(sources, layers, &member, parsed, found), None)
            }
            (FileKind::Context | FileKind::Partial | FileKind::Task | FileKind::Flow, _) => {
                let mut read = read();
                read.diagnostics.retain(|found| found.rule() != &unknown_field::RULE);
                (None, Some(Box::new(read.drain_into(found).front)))
            }
            (FileKind::Note, _) => (None, Some(Box::new(read().drain_into(found).front))),
            _ => (None, None),
        }
    }
}
