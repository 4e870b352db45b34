use std::collections::BTreeSet;

use crate::validate::check::LintContext;
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Document;
use faber_core::layer::LayerKind;
use faber_core::role::Role;
use faber_core::rules::platform_name_mismatch::RULE;
use faber_core::source::Spanned;
use faber_core::suggest;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let survey = whole.survey;
    let of_category = |it: &&Document| it.id.category == Category::Platform;
    let contexts: BTreeSet<&str> =
        survey.documents.iter().filter(of_category).map(|it| &*it.id.name).collect();
    let agents = survey.lineages.iter().filter_map(|lineage| lineage.role().agent.as_ref());
    let declared = agents.flat_map(|agent| agent.platforms.iter().chain(&agent.default_platform));
    let declared = declared.map(|platform| platform.value.as_str());
    let overlays = survey.layers.iter().filter(|layer| layer.kind == LayerKind::Platform);
    let overlays = overlays.filter_map(|layer| layer.name.as_deref());
    let configured = whole.config.platforms.values().map(|platform| platform.value.as_str());
    let known: BTreeSet<&str> = declared.chain(overlays).chain(configured).collect();
    for document in &survey.documents {
        let Some(platform) = &document.front.fields.platform else { continue };
        let layer = &survey.layers[document.layer];
        if layer.kind == LayerKind::Platform {
            let folder = layer.name.as_deref().unwrap_or_default();
            if folder != platform.value {
                found.push(in_overlay(platform, folder));
            }
        } else if document.id.category == Category::Platform
            && document.kind <= LayerKind::Role
            && is_misnamed(document, &platform.value, &contexts, &known)
        {
            found.push(misnamed(document, platform));
        }
    }
    for lineage in &survey.lineages {
        configured_otherwise(whole, lineage.role(), &contexts, found);
    }
}

fn in_overlay(platform: &Spanned<String>, folder: &str) -> Diagnostic {
    let message = format!("`{}` in the overlay of the platform `{folder}`", platform.value);
    RULE.at(platform.span, message).help(format!(
        "write `{folder}`, or move the file into the overlay of `{}`",
        platform.value
    ))
}

fn misnamed(document: &Document, platform: &Spanned<String>) -> Diagnostic {
    let name = &document.id.name;
    let message = format!("the context `{name}` declares the platform `{}`", platform.value);
    RULE.at(platform.span, message)
        .help(format!("write `{name}`, or call the file `platform-{}.md`", platform.value))
}

fn is_misnamed(
    document: &Document,
    platform: &str,
    contexts: &BTreeSet<&str>,
    known: &BTreeSet<&str>,
) -> bool {
    let name = document.id.name.to_lowercase();
    let platform = platform.to_lowercase();
    if is_part(&name, &platform) || is_part(&platform, &name) {
        return false;
    }
    let is_slip = !known.contains(&*platform) && suggest::closest(&platform, [&*name]).is_some();
    known.contains(&*name) || is_slip || !contexts.contains(&*platform)
}

fn is_part(part: &str, whole: &str) -> bool {
    let words = |text: &str| format!("-{}-", text.replace(['_', ' ', '.'], "-"));
    words(whole).contains(&words(part))
}

fn configured_otherwise(
    whole: &LintContext<'_>,
    role: &Role,
    contexts: &BTreeSet<&str>,
    found: &mut Vec<Diagnostic>,
) {
    let Some(agent) = role.agent.as_ref().filter(|agent| !agent.platforms.is_empty()) else {
        return;
    };
    let key = agent.platform_config_key.as_ref().map_or(&role.name, |key| &key.value);
    let Some(platform) = whole.config.platforms.get(key) else { return };
    let declared = || agent.platforms.iter().map(|platform| platform.value.as_str());
    let name = platform.value.as_str();
    if declared().any(|declared| declared == name) || contexts.contains(name) {
        return;
    }
    let message = format!("`{}` is configured for `{name}`, which it does not declare", role.name);
    let otherwise = format!("it declares {}", declared().collect::<Vec<_>>().join(", "));
    let help = suggest::help(suggest::closest(name, declared()), otherwise);
    let finding = RULE.at(platform.span, message).help(help);
    found.push(finding.related(agent.platforms[0].span, "declared here"));
}
