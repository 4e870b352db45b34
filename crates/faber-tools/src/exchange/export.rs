//! Plans files of another tool.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::import::resources;
use super::piece::{self, ExchangePiece, Subject};
use super::source::ExportSource;
use super::target::{self, OutputFile, OutputKind, ToolTarget};
use super::{links, managed};
use faber_core::category::{Category, Load};
use faber_core::diagnostic::Diagnostic;
use faber_core::line::Line;
use faber_core::packs;
use faber_core::parse::fields::{self, Fields};
use faber_core::resolve::catalog::{Context, ContextSet};
use faber_core::role::{Lineage, Platform};
use faber_core::rule::Rule;
use faber_core::rules::{
    export_lost_field, export_lost_trigger, export_omitted, export_truncated, export_unmarkable,
};
use faber_core::select::choose;
use faber_core::source::{SourceMap, Span};
use faber_core::world::World;
use faber_core::yaml::Entry;

/// Codex's default `project_doc_max_bytes`.
pub(crate) const AGENTS_BYTES: usize = 32 * 1024;

pub(crate) const REVIEW_CHARACTERS: usize = 4_000;

#[derive(Clone, Debug)]
pub struct ExportItem {
    pub piece: ExchangePiece,
    pub lines: Vec<Line>,
    pub title_lines: usize,
    pub path: Utf8PathBuf,
    pub is_resolved: bool,
    pub more: Vec<&'static str>,
}

impl ExportItem {
    pub(crate) fn resource_folder(&self, sources: &SourceMap) -> Utf8PathBuf {
        let original = sources.original_path(self.piece.at.file);
        let folder = original.parent().filter(|folder| {
            let is_all = folder.as_str().is_empty() || packs::root_of(original) == Some(*folder);
            original != self.path && original.file_name() == Some("SKILL.md") && !is_all
        });
        if let Some(folder) = folder {
            return folder.to_owned();
        }
        let above = self.path.ancestors().find(|above| above.file_name() == Some("contexts"));
        let layer = above.and_then(Utf8Path::parent).unwrap_or(Utf8Path::new(""));
        layer.join(resources(&self.piece.subject))
    }
}

#[derive(Debug, Default)]
pub struct ExportPlan {
    pub outputs: Vec<OutputFile>,
    pub copies: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    pub found: Vec<Diagnostic>,
}

pub fn outgoing(
    catalog: &ContextSet,
    prompt: Option<(&Lineage, &[Line])>,
    platform: Option<&Platform>,
    sources: &SourceMap,
) -> Vec<ExportItem> {
    let mut all = Vec::new();
    if let Some((lineage, lines)) = prompt {
        let role = lineage.role();
        let description = role.agent.as_ref().and_then(|agent| agent.description.as_ref());
        let piece = ExchangePiece {
            subject: Subject::Role(role.name.clone()),
            title: None,
            description: description.map(|text| text.value.clone()),
            load: Load::Always,
            globs: Vec::new(),
            keywords: Vec::new(),
            extra: Vec::new(),
            body: String::new(),
            at: Span::start_of(role.prompt),
            managed: true,
            suffix: String::new(),
        };
        let path = sources.path(role.prompt).to_owned();
        let (lines, more) = (lines.to_vec(), Vec::new());
        all.push(ExportItem { piece, lines, title_lines: 0, path, is_resolved: false, more });
    }
    all.extend(catalog.contexts.values().filter_map(|it| of_context(it, platform, sources)));
    all
}

const INFORMATIVE: [&str; 3] = ["tags", "updated", "version"];

fn of_context(
    context: &Context,
    platform: Option<&Platform>,
    sources: &SourceMap,
) -> Option<ExportItem> {
    let fields = &context.front.fields;
    let is_detected = context.platform.as_deref() == platform.map(|platform| &*platform.name);
    let is_platform = context.id.category == Category::Platform;
    let load = match choose::load_of(context) {
        Load::Never if !fields::is_manual(&context.front.node) => return None,
        Load::Platform if is_detected => Load::Always,
        Load::Always if is_platform && !is_detected => Load::OnDemand,
        Load::Platform | Load::Keyword | Load::Error => Load::OnDemand,
        load => load,
    };
    let node = &context.front.node;
    let title = node.get("title").and_then(faber_core::yaml::Node::as_str);
    let kept = |entry: &&Entry| !fields::is_known(&entry.key) || INFORMATIVE.contains(&&*entry.key);
    let texts = |list: &[faber_core::source::Spanned<String>]| -> Vec<String> {
        list.iter().map(|text| text.value.clone()).collect()
    };
    let lowest = context.sources[0].file;
    let piece = ExchangePiece {
        subject: Subject::Context(context.id.clone()),
        title: title.map(str::to_owned),
        description: fields.description.as_ref().map(|text| text.value.clone()),
        load,
        globs: texts(&fields.globs),
        keywords: texts(&fields.keywords),
        extra: node.entries().iter().filter(kept).cloned().collect(),
        body: String::new(),
        at: Span::start_of(lowest),
        managed: true,
        suffix: String::new(),
    };
    let lines = context.body.lines(sources);
    let is_of_title = |line: &&Line| fields.title.as_ref().is_some_and(|it| it.span == line.origin);
    Some(ExportItem {
        title_lines: lines.iter().take_while(is_of_title).count(),
        lines,
        path: sources.path(lowest).to_owned(),
        is_resolved: context.sources.len() > 1,
        more: more(fields),
        piece,
    })
}

fn more(fields: &Fields) -> Vec<&'static str> {
    let all = [
        ("keywords", !fields.keywords.is_empty()),
        ("errors", !fields.errors.is_empty()),
        ("related", !fields.related.is_empty()),
        ("required", fields.required),
        ("priority", fields.priority.is_some()),
        ("max_tokens", fields.max_tokens.is_some()),
        ("summary", fields.summary.is_some()),
        ("essence", fields.essence.is_some()),
        ("when", fields.when.is_some()),
    ];
    all.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
}

pub fn plan(
    target: ToolTarget,
    mut all: Vec<ExportItem>,
    sources: &SourceMap,
    files: &ExportSource<'_>,
) -> ExportPlan {
    let has_manual = matches!(target, ToolTarget::Claude | ToolTarget::Skills);
    all.retain(|out| out.piece.load != Load::Never || has_manual);
    let (places, moved) = (Vec::new(), BTreeMap::new());
    let mut exporter =
        Exporter { target, sources, files, places, moved, plan: ExportPlan::default() };
    exporter.place(&all);
    exporter.write(&mut all);
    exporter.plan
}

struct Exporter<'a> {
    target: ToolTarget,
    sources: &'a SourceMap,
    files: &'a ExportSource<'a>,
    places: Vec<(OutputKind, String)>,
    moved: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    plan: ExportPlan,
}

impl Exporter<'_> {
    fn place(&mut self, all: &[ExportItem]) {
        let mut taken = BTreeSet::new();
        for out in all {
            let kind = self.target.kind(&out.piece);
            let stem = self.target.stem(kind, &out.piece.subject);
            let mut unique = stem.clone();
            let mut number = 2;
            while !matches!(kind, OutputKind::None | OutputKind::Listed | OutputKind::Shared)
                && !taken.insert(unique.to_lowercase())
            {
                unique = format!("{stem}-{number}");
                number += 1;
            }
            if let Some(path) = self.path(&out.piece, kind, &unique)
                && kind != OutputKind::Listed
            {
                self.resources(out, &path);
                let original = self.sources.original_path(out.piece.at.file).to_owned();
                for place in [out.path.clone(), original] {
                    self.moved.entry(place).or_insert_with(|| path.clone());
                }
            }
            self.places.push((kind, unique));
        }
    }

    fn path(&self, piece: &ExchangePiece, kind: OutputKind, stem: &str) -> Option<Utf8PathBuf> {
        let path = self.target.path(kind, stem)?;
        let folder = target::shared_folder(piece, &|path| self.files.is_folder(path));
        let folder = folder.filter(|_| kind == OutputKind::Shared);
        Some(match folder.zip(path.file_name()) {
            Some((folder, name)) => folder.join(name),
            None => path,
        })
    }

    fn resources(&mut self, out: &ExportItem, path: &Utf8Path) {
        let from = out.resource_folder(self.sources);
        let mut files = self.files.below(&from);
        files.retain(|file| file.strip_prefix(&from) != Ok("SKILL.md".into()));
        if path.file_name() != Some("SKILL.md") {
            if let Some(first) = files.first() {
                let note = format!("`{first}` and its other files are not exported");
                self.warn(&out.piece, &export_omitted::RULE, note);
            }
            return;
        }
        let folder = path.parent().unwrap_or(Utf8Path::new(""));
        for file in files {
            let to = folder.join(file.strip_prefix(&from).unwrap_or(&file));
            self.moved.insert(file.clone(), to.clone());
            self.plan.copies.insert(to, file);
        }
    }

    fn write(&mut self, all: &mut [ExportItem]) {
        let mut shared: BTreeMap<Utf8PathBuf, Vec<(String, String)>> = BTreeMap::new();
        let mut listed: Vec<usize> = Vec::new();
        for (at, out) in all.iter_mut().enumerate() {
            let (kind, stem) = self.places[at].clone();
            let path = self.path(&out.piece, kind, &stem).unwrap_or_default();
            let folder = path.parent().unwrap_or(Utf8Path::new("")).to_owned();
            let left_out = if kind == OutputKind::Shared { 0 } else { out.title_lines };
            out.piece.body = self.body(&out.lines[left_out..], &folder);
            self.report(out, kind, &stem);
            match kind {
                OutputKind::None => {}
                OutputKind::Listed => listed.push(at),
                OutputKind::Shared => {
                    match target::shared_part(&out.piece, &|it| self.files.is_folder(it)) {
                        Some(part) => shared.entry(path).or_default().push(part),
                        None => self.unwritable(&out.piece),
                    }
                }
                OutputKind::Rule | OutputKind::Skill | OutputKind::Agent => {
                    let id = out.piece.subject.to_string();
                    let Some(part) = managed::wrap(&id, None, &out.piece.body) else {
                        self.unwritable(&out.piece);
                        continue;
                    };
                    let front = self.target.front(&out.piece, kind, &stem);
                    self.plan.outputs.push(OutputFile { path, front, parts: vec![(id, part)] });
                }
            }
        }
        let listed: Vec<(&ExchangePiece, String)> = listed
            .into_iter()
            .map(|at| {
                let ExportItem { piece, is_resolved, .. } = &all[at];
                let path = self.sources.original_path(piece.at.file);
                let place = if *is_resolved || !self.files.files.is_on_disk(path) {
                    format!("`faber show {}`", piece.subject)
                } else {
                    format!("`{path}`")
                };
                (piece, place)
            })
            .collect();
        if let Some((part, path)) =
            target::listing(&listed).zip(self.target.path(OutputKind::Listed, ""))
        {
            shared.entry(path).or_default().push(part);
        }
        self.check_agents(&shared, all);
        let output = |(path, parts)| OutputFile { path, front: String::new(), parts };
        self.plan.outputs.extend(shared.into_iter().map(output));
        self.plan.outputs.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn body(&self, lines: &[Line], folder: &Utf8Path) -> String {
        let sources = self.sources;
        let changes = links::changes(sources, lines, &mut |span: Span, destination: &str| {
            let targets = self.files.targets(sources.original_path(span.file), destination);
            targets.iter().find_map(|target| {
                let moved = self.moved.get(target).map(Utf8PathBuf::as_path);
                let moved = moved.or_else(|| links::moved_folder(&self.moved, |to| to, target));
                let unmoved = || self.files.files.exists(target).then(|| sources.cited(target));
                let to = moved.map(Utf8Path::to_owned).or_else(unmoved)?;
                Some(links::relative(folder, &to))
            })
        });
        piece::tidy(&links::join(sources, lines, &changes))
    }

    fn unwritable(&mut self, piece: &ExchangePiece) {
        let note = format!(
            "`{}` is not exported: its name, globs or text would break the markers of faber",
            faber_core::markdown::collapse(&piece.subject.to_string())
        );
        self.warn(piece, &export_unmarkable::RULE, note);
    }

    fn warn(&mut self, piece: &ExchangePiece, rule: &'static Rule, note: String) {
        self.plan.found.push(rule.at(piece.at, note));
    }

    fn report(&mut self, out: &ExportItem, kind: OutputKind, stem: &str) {
        let (piece, id, name) = (&out.piece, &out.piece.subject, self.target.name());
        if kind == OutputKind::None {
            let note = format!("`{id}` always loads, but {name} load on demand; not exported");
            return self.warn(piece, &export_omitted::RULE, note);
        }
        let is_trigger = |it: &&str| matches!(*it, "keywords" | "errors");
        let (triggers, others): (Vec<&str>, Vec<&str>) =
            out.more.iter().copied().partition(is_trigger);
        if !triggers.is_empty() {
            let what = triggers.join(" and ");
            let note = format!(
                "`{id}`: {name} cannot load by {what}; the agent decides by the description"
            );
            self.warn(piece, &export_lost_trigger::RULE, note);
        }
        if !others.is_empty() {
            let note = format!("`{id}`: {name} has no {}", others.join(", "));
            self.warn(piece, &export_lost_field::RULE, note);
        }
        self.report_form(out, kind, stem);
    }

    fn report_form(&mut self, out: &ExportItem, kind: OutputKind, stem: &str) {
        let (piece, id) = (&out.piece, &out.piece.subject);
        if kind == OutputKind::Skill {
            if !piece.globs.is_empty() {
                let note = format!("`{id}`: a skill cannot load by files");
                self.warn(piece, &export_lost_trigger::RULE, note);
            }
            let most = target::SKILL_DESCRIPTION;
            let about = piece.description.as_deref().unwrap_or_default().chars().count();
            if about > most {
                let note = format!(
                    "`{id}`: the description has {about} characters; skills keep the first {most}"
                );
                self.warn(piece, &export_truncated::RULE, note);
            }
            let most = target::SKILL_NAME;
            if target::stem(id).chars().count() > most {
                let note = format!(
                    "`{id}`: skill names have at most {most} characters; exported as `{stem}`"
                );
                self.warn(piece, &export_truncated::RULE, note);
            }
        }
        let length = piece.body.chars().count();
        let is_reviewed = self.target == ToolTarget::Copilot && kind != OutputKind::Agent;
        if is_reviewed && length > REVIEW_CHARACTERS {
            let note = format!(
                "`{id}` has {length} characters; Copilot's code review reads the first {REVIEW_CHARACTERS}"
            );
            self.warn(piece, &export_truncated::RULE, note);
        }
        let about = [
            ("description", piece.description.is_some()),
            ("title", piece.title.is_some()),
            ("fields of its own", !piece.extra.is_empty()),
        ];
        let about: Vec<&str> = about.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
        if kind == OutputKind::Shared && !about.is_empty() {
            let note = format!("`{id}`: not supported in a shared file: {}", about.join(", "));
            self.warn(piece, &export_lost_field::RULE, note);
        }
    }

    fn check_agents(
        &mut self,
        shared: &BTreeMap<Utf8PathBuf, Vec<(String, String)>>,
        all: &[ExportItem],
    ) {
        if self.target != ToolTarget::AgentsMd {
            return;
        }
        let places: BTreeMap<String, Span> =
            all.iter().map(|out| (out.piece.subject.to_string(), out.piece.at)).collect();
        let sizes = shared.iter().map(|(path, parts)| {
            let size: usize = parts.iter().map(|(_, text)| text.len() + 1).sum();
            (&**path, size + self.files.own_bytes(path))
        });
        let sizes: BTreeMap<&Utf8Path, usize> = sizes.collect();
        for (path, parts) in shared {
            let folder = path.parent().unwrap_or(Utf8Path::new(""));
            let above = folder.ancestors().skip(1).map(|above| above.join("AGENTS.md"));
            let above = above.filter(|_| !folder.as_str().is_empty());
            let above: usize = above.filter_map(|it| sizes.get(&*it)).sum();
            let mut bytes = above + self.files.own_bytes(path);
            for (id, text) in parts {
                let starts = bytes;
                bytes += text.len() + 1;
                if bytes <= AGENTS_BYTES {
                    continue;
                }
                let what = if starts >= AGENTS_BYTES { "lies behind" } else { "ends behind" };
                let note = format!(
                    "`{id}` {what} the first {AGENTS_BYTES} bytes of the files up to `{path}`, which is what Codex keeps"
                );
                let place = places.get(id).copied().or(all.first().map(|out| out.piece.at));
                self.plan.found.extend(place.map(|at| {
                    export_truncated::RULE.at(at, note).help(
                        "load some of it on demand, or raise `project_doc_max_bytes` of Codex",
                    )
                }));
            }
        }
    }
}
