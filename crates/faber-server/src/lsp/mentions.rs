use std::sync::Arc;

use crate::lsp::analysis::Analysis;
use camino::Utf8Path;
use faber_core::category::Category;
use faber_core::context_id::ContextId;
use faber_core::line::{self, Line};
use faber_core::packs::{self, names::qualified};
use faber_core::parse::fields::Fields;
use faber_core::parse::{fence, include, references};
use faber_core::resolve::index::{Resolution, candidates};
use faber_core::resolve::tree;
use faber_core::role::Lineage;
use faber_core::source::{FileId, Span, Spanned};
use faber_core::workspace::survey::{FileEntry, FileKind};
use faber_lint::validate::views::VisibleContexts;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdMention {
    pub span: Span,
    pub text: String,
    pub names: MentionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MentionKind {
    Reference,
    Role,
    Platform,
}

#[derive(Clone, Debug)]
pub(crate) enum MentionTarget {
    Context(ContextId, Arc<VisibleContexts>),
    File(FileId),
}

pub(crate) fn all(analysis: &Analysis, entry: &FileEntry) -> Vec<IdMention> {
    let mut all = Vec::new();
    match entry.kind {
        FileKind::Agent => of_agent(analysis, entry.file, &mut all),
        FileKind::Config => of_config(analysis, entry.file, &mut all),
        _ => {
            if let Some(front) = analysis.linter.survey.front(entry) {
                of_front(&front.fields, &mut all);
            }
            of_body(analysis, entry, &mut all);
        }
    }
    all.sort_by_key(|mention| (mention.span, mention.text.len()));
    all.dedup_by_key(|mention| mention.span);
    all
}

pub(crate) fn at(analysis: &Analysis, entry: &FileEntry, offset: usize) -> Option<IdMention> {
    let holds = |mention: &IdMention| {
        let range = mention.span.range();
        range.start <= offset && offset <= range.end
    };
    all(analysis, entry).into_iter().find(holds)
}

fn of_front(fields: &Fields, all: &mut Vec<IdMention>) {
    let lists = [&fields.related, &fields.derived_from, &fields.contradicts];
    let named = lists.into_iter().flatten().chain(&fields.extends).chain(&fields.superseded_by);
    all.extend(named.map(|text| mention(text, MentionKind::Reference)));
    all.extend(fields.rules.iter().map(|rule| mention(&rule.target, MentionKind::Reference)));
    all.extend(fields.platform.iter().map(|text| mention(text, MentionKind::Platform)));
}

fn of_agent(analysis: &Analysis, file: FileId, all: &mut Vec<IdMention>) {
    let roles = analysis.linter.survey.lineages.iter().map(Lineage::role);
    let mut own = roles.filter(|role| role.agent_file == Some(file));
    let Some(agent) = own.find_map(|role| role.agent.as_ref()) else { return };
    all.extend(agent.extends.iter().map(|text| mention(text, MentionKind::Role)));
    let platforms = agent.platforms.iter().chain(&agent.default_platform);
    all.extend(platforms.map(|text| mention(text, MentionKind::Platform)));
}

fn of_config(analysis: &Analysis, file: FileId, all: &mut Vec<IdMention>) {
    let customs = analysis.linter.survey.customs.iter().map(|custom| &custom.reference);
    all.extend(customs.map(|text| mention(text, MentionKind::Reference)));
    let config = &analysis.linter.workspace.config;
    all.extend(config.settings.role.iter().map(|text| mention(text, MentionKind::Role)));
    all.extend(config.platforms.values().map(|text| mention(text, MentionKind::Platform)));
    all.retain(|mention| mention.span.file == file);
}

fn mention(text: &Spanned<String>, names: MentionKind) -> IdMention {
    IdMention { span: text.span, text: text.value.clone(), names }
}

fn of_body(analysis: &Analysis, entry: &FileEntry, all: &mut Vec<IdMention>) {
    let sources = analysis.sources();
    let text = &sources.get(entry.file).text;
    let body = fence::body(text);
    let is_instruction = matches!(entry.kind, FileKind::Prompt | FileKind::Task | FileKind::Flow);
    let scanned = if is_instruction {
        entry.references.clone()
    } else {
        references::scan::references(sources, &body_lines(analysis, entry.file))
    };
    let reference = |span, text| IdMention { span, text, names: MentionKind::Reference };
    all.extend(scanned.into_iter().map(|found| reference(found.span, found.text)));
    all.extend(include::directives(&text[body..]).into_iter().map(|directive| {
        let (start, end) = (body + directive.bytes.start, body + directive.bytes.end);
        reference(Span::new(entry.file, start, end), directive.target)
    }));
}

pub(crate) fn target(analysis: &Analysis, mention: &IdMention) -> Option<MentionTarget> {
    let path = analysis.sources().path(mention.span.file);
    let seen = analysis.visible_from(path);
    if mention.names == MentionKind::Role {
        let file = of_role(analysis, &mention.text).filter(|file| analysis.may_see(*file));
        return file.map(MentionTarget::File);
    }
    let find = |seen: &Arc<VisibleContexts>| match mention.names {
        MentionKind::Platform => of_platform(seen, &mention.text),
        _ => of_reference(analysis, seen, mention),
    };
    find(&seen)
        .or_else(|| analysis.visible_by_role().find_map(|seen| find(&seen)))
        .or_else(|| of_path(analysis, &seen, mention).map(MentionTarget::File))
}

fn of_role(analysis: &Analysis, name: &str) -> Option<FileId> {
    let mut roles = analysis.linter.survey.lineages.iter().flat_map(|lineage| &lineage.roles);
    let Some((pack, role)) = name.strip_prefix('@').and_then(qualified) else {
        return roles.find(|role| role.name == name).map(|role| role.prompt);
    };
    let sources = analysis.sources();
    let is_it = |path: &Utf8Path| {
        let folder = path.parent().and_then(Utf8Path::file_name);
        packs::of_path(path) == Some(pack) && folder == Some(role)
    };
    roles.map(|role| role.prompt).find(|prompt| is_it(sources.path(*prompt)))
}

fn of_platform(seen: &Arc<VisibleContexts>, name: &str) -> Option<MentionTarget> {
    let mut contexts = seen.catalog.contexts.values();
    let is_it = |platform: &Option<String>| platform.as_deref() == Some(name);
    let context =
        contexts.find(|it| it.id.category == Category::Platform && is_it(&it.platform))?;
    Some(MentionTarget::Context(context.id.clone(), Arc::clone(seen)))
}

fn of_reference(
    analysis: &Analysis,
    seen: &Arc<VisibleContexts>,
    mention: &IdMention,
) -> Option<MentionTarget> {
    let (sources, documents) = (analysis.sources(), &analysis.linter.survey.documents);
    let resolved = analysis.with_expander(seen, |expander| {
        seen.catalog.index.resolve(&mention.text, expander.from(mention.span.file))
    });
    let Resolution::Context(id) = resolved else {
        let is_context = |file: &FileId| documents.iter().any(|document| document.file == *file);
        let file = of_path(analysis, seen, mention).filter(|file| !is_context(file));
        return file.map(MentionTarget::File);
    };
    if seen.catalog.get(&id).is_some() {
        return Some(MentionTarget::Context(id, Arc::clone(seen)));
    }
    let is_it = |file: &FileId| seen.catalog.index.of_path(sources.path(*file)) == Some(&id);
    documents.iter().map(|document| document.file).find(is_it).map(MentionTarget::File)
}

fn of_path(analysis: &Analysis, seen: &VisibleContexts, mention: &IdMention) -> Option<FileId> {
    let sources = analysis.sources();
    let (reference, _) = references::parse(&mention.text);
    let paths = analysis.with_expander(seen, |expander| {
        let from = expander.from(mention.span.file);
        candidates(&reference, from, expander.role_root, expander.role_homes)
    });
    let file = paths?.iter().find_map(|path| sources.find(path))?;
    analysis.may_see(file).then_some(file)
}

impl MentionTarget {
    pub(crate) fn files(&self) -> Vec<FileId> {
        match self {
            Self::File(file) => vec![*file],
            Self::Context(id, seen) => {
                let base = seen.catalog.aliases.get(id).unwrap_or(id);
                seen.catalog.chains.get(base).cloned().unwrap_or_else(|| self.used_files())
            }
        }
    }

    fn used_files(&self) -> Vec<FileId> {
        match self {
            Self::File(file) => vec![*file],
            Self::Context(id, seen) => {
                let sources = seen.catalog.get(id).into_iter().flat_map(|it| &it.sources);
                sources.map(|source| source.file).collect()
            }
        }
    }

    pub(crate) fn places(&self, analysis: &Analysis, heading: Option<&str>) -> Vec<Span> {
        let files = self.used_files();
        let at = |heading| {
            let of = files.iter().filter_map(|&file| heading_in(analysis, file, heading));
            of.collect::<Vec<_>>()
        };
        let headed = heading.map(at).unwrap_or_default();
        if headed.is_empty() { files.into_iter().map(Span::start_of).collect() } else { headed }
    }
}

pub(crate) fn body_lines(analysis: &Analysis, file: FileId) -> Vec<Line> {
    let sources = analysis.sources();
    let text = &sources.get(file).text;
    line::lines_of(sources, file, fence::body(text)..text.len())
}

fn heading_in(analysis: &Analysis, file: FileId, heading: &str) -> Option<Span> {
    let lines = body_lines(analysis, file);
    let section = tree::section(analysis.sources(), &lines, heading)?;
    section.first().map(|line| line.origin)
}
