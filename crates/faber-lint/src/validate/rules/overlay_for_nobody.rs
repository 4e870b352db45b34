use std::collections::{BTreeMap, BTreeSet};

use crate::validate::check::LintContext;
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::role::Lineage;
use faber_core::rules::overlay_for_nobody::RULE;
use faber_core::source::{FileId, Span};
use faber_core::suggest;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let survey = whole.survey;
    let roles: BTreeSet<&str> = survey.role_names.iter().map(String::as_str).collect();
    let platforms = platforms(whole);
    let mut first: BTreeMap<usize, FileId> = BTreeMap::new();
    for entry in &survey.files {
        if let Some(layer) = entry.layer {
            first.entry(layer).or_insert(entry.file);
        }
    }
    for (at, layer) in survey.layers.iter().enumerate() {
        let (what, known) = match layer.kind {
            // Packs are for other workspaces too.
            _ if layer.pack().is_some() => continue,
            LayerKind::RoleOverlay => ("role", &roles),
            LayerKind::Platform if !roles.is_empty() => ("platform", &platforms),
            _ => continue,
        };
        let (Some(name), Some(&file)) = (layer.name.as_deref(), first.get(&at)) else { continue };
        if known.contains(name) {
            continue;
        }
        let message =
            format!("`{}` is for the {what} `{name}`, which does not exist", layer.folder);
        let otherwise = match what {
            "role" => format!("rename the folder, or create `roles/{name}`"),
            _ => format!("rename the folder, or add `{name}` to the `platforms` of a role"),
        };
        let help = suggest::help(suggest::closest(name, known.iter().copied()), otherwise);
        found.push(RULE.at(Span::start_of(file), message).help(help));
    }
}

fn platforms<'a>(whole: &LintContext<'a>) -> BTreeSet<&'a str> {
    let agents = whole.survey.lineages.iter().filter_map(|it: &Lineage| it.role().agent.as_ref());
    let declared = agents.flat_map(|agent| agent.platforms.iter().chain(&agent.default_platform));
    let chosen = declared.chain(whole.config.platforms.values()).map(|name| name.value.as_str());
    let described = whole.survey.documents.iter().filter(|document| describes(document));
    chosen.chain(described.filter_map(|document| document.platform.as_deref())).collect()
}

fn describes(document: &Document) -> bool {
    let of_folder = document.kind == LayerKind::Platform
        && (document.id.category, Some(&*document.id.name))
            != (Category::Platform, document.platform.as_deref());
    document.front.fields.platform.is_some() || !of_folder
}
