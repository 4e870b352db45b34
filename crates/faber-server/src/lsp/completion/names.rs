use std::collections::BTreeSet;

use lsp_types::CompletionItemKind;

use crate::lsp::ask::LspRequest;
use faber_core::layer::LayerKind;
use faber_core::role::Lineage;
use faber_core::workspace::survey::FileKind;
use faber_tools::exchange::links;

use super::Completion;

pub(super) fn references(ask: &LspRequest<'_>, begun: &str) -> Vec<Completion> {
    if begun.starts_with('@') {
        return of_roles(ask);
    }
    if begun.starts_with(['/', '.']) {
        return files(ask, begun);
    }
    let seen = ask.analysis.visible_from(ask.path);
    let contexts = seen.catalog.contexts.values();
    let ids = contexts.clone().map(|context| {
        let about = context.front.fields.description.as_ref();
        let about = about.map(|it| it.value.clone()).unwrap_or_default();
        Completion::new(CompletionItemKind::REFERENCE, context.id.to_string(), about)
    });
    let names: BTreeSet<(String, String)> = contexts
        .filter_map(|context| {
            let path = ask.analysis.sources().path(context.sources.first()?.file);
            Some((path.file_name()?.to_owned(), context.id.to_string()))
        })
        .collect();
    let names =
        names.into_iter().map(|(name, id)| Completion::new(CompletionItemKind::FILE, name, id));
    let left_out = seen.catalog.excluded.iter().filter(|gone| gone.path.is_none()).map(|gone| {
        let about = format!("left out: {}", gone.detail);
        Completion::new(CompletionItemKind::REFERENCE, gone.id.to_string(), about)
    });
    ids.chain(names).chain(left_out).collect()
}

pub(super) fn files(ask: &LspRequest<'_>, begun: &str) -> Vec<Completion> {
    let sources = ask.analysis.sources();
    let own = ask.analysis.linter.survey.role_root(ask.path);
    let kinds = [FileKind::Context, FileKind::Partial, FileKind::Task, FileKind::Flow];
    let seen = ask.analysis.visible_from(ask.path);
    let mut choices = Vec::new();
    let entries = ask.analysis.linter.survey.files.iter();
    for entry in entries.filter(|entry| kinds.contains(&entry.kind)) {
        let path = sources.path(entry.file);
        let is_elsewhere = entry.document.is_some() && seen.catalog.index.of_path(path).is_none();
        if path == ask.path || is_elsewhere || !ask.analysis.may_see(entry.file) {
            continue;
        }
        let text = if begun.starts_with('.') {
            links::relative(ask.path.parent().unwrap_or("".into()), path)
        } else {
            match own.and_then(|root| path.strip_prefix(root).ok()) {
                Some(below) => format!("/{below}"),
                None if ask.analysis.linter.survey.role_root(path).is_some() => continue,
                None => format!("/{path}"),
            }
        };
        choices.push(Completion::new(CompletionItemKind::FILE, text, entry.kind.name()));
    }
    choices
}

fn of_roles(ask: &LspRequest<'_>) -> Vec<Completion> {
    let mut choices = Vec::new();
    for seen in ask.analysis.visible_by_role() {
        let Some(role) = ask.analysis.lineage(&seen).map(Lineage::role) else { continue };
        let contexts = seen.catalog.contexts.values();
        for context in contexts.filter(|it| it.base == LayerKind::Role && it.id.role.is_none()) {
            let Some(source) = context.sources.first() else { continue };
            let path = ask.analysis.sources().path(source.file);
            let Ok(below) = path.strip_prefix(&role.root) else { continue };
            let text = format!("@role:{}/{below}", role.name);
            choices.push(Completion::new(CompletionItemKind::FILE, text, context.id.to_string()));
        }
    }
    choices
}

pub(super) fn roles(ask: &LspRequest<'_>) -> Vec<Completion> {
    let names = ask.analysis.linter.survey.role_names.iter();
    names.map(|name| Completion::new(CompletionItemKind::MODULE, name, "role")).collect()
}

pub(super) fn platforms(ask: &LspRequest<'_>) -> Vec<Completion> {
    let survey = &ask.analysis.linter.survey;
    let documents = survey.documents.iter().filter(|document| ask.analysis.may_see(document.file));
    let of_contexts = documents.filter_map(|document| document.platform.clone());
    let agents = survey.lineages.iter().filter_map(|lineage| lineage.role().agent.as_ref());
    let declared = agents.flat_map(|agent| &agent.platforms).map(|name| name.value.clone());
    let overlays = survey.layers.iter().filter(|layer| layer.kind == LayerKind::Platform);
    let overlays = overlays.filter_map(|layer| layer.name.clone());
    let names: BTreeSet<String> = of_contexts.chain(declared).chain(overlays).collect();
    words(names, "platform")
}

pub(super) fn words(names: BTreeSet<String>, about: &str) -> Vec<Completion> {
    names.into_iter().map(|name| Completion::new(CompletionItemKind::VALUE, name, about)).collect()
}
