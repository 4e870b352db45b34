use std::collections::BTreeSet;

use camino::Utf8Path;

use crate::validate::check::LintContext;
use faber_core::assemble::undescribed_platform;
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Layer;
use faber_core::layer::LayerKind;
use faber_core::parse::fields::ContextStatus;
use faber_core::role;
use faber_core::source::Span;

pub(crate) fn check(whole: &LintContext<'_>, found: &mut Vec<Diagnostic>) {
    let mut described: BTreeSet<(&str, Reach<'_>)> = BTreeSet::new();
    for document in &whole.survey.documents {
        let status = document.front.fields.status.as_ref().map(|status| status.value);
        let is_used = status.is_none_or(|status| status == ContextStatus::Approved);
        if document.id.category == Category::Platform
            && is_used
            && let Some(platform) = &document.platform
        {
            described.insert((platform, reach(&whole.survey.layers[document.layer])));
        }
    }
    for lineage in &whole.survey.lineages {
        let role = lineage.role();
        let own = lineage.roles.iter().map(|role| Reach::Role(&role.root));
        let reaches: Vec<Reach<'_>> =
            own.chain([Reach::All, Reach::RoleOverlay(&role.name)]).collect();
        let seen = described.iter().filter(|(_, reach)| reaches.contains(reach));
        let seen: BTreeSet<&str> = seen.map(|(platform, _)| *platform).collect();
        let declared = role.agent.iter().flat_map(|agent| &agent.platforms);
        let mut platforms: Vec<(&str, Span)> =
            declared.map(|platform| (platform.value.as_str(), platform.span)).collect();
        let default = role.agent.as_ref().and_then(|agent| agent.default_platform.as_ref());
        let detected = role::detect_platform(role, whole.config, whole.sources, &mut Vec::new());
        let configured = detected.iter().filter_map(|it| Some((it.name.as_str(), it.at?)));
        let configured = configured.filter(|(name, at)| {
            default.is_none_or(|default| default.span != *at)
                && !platforms.iter().any(|(declared, _)| declared == name)
        });
        let configured: Vec<_> = configured.collect();
        platforms.extend(configured);
        for (platform, at) in platforms.into_iter().filter(|(name, _)| !seen.contains(name)) {
            found.push(undescribed_platform(platform, at, role, seen.iter().copied()));
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Reach<'a> {
    All,
    Role(&'a Utf8Path),
    RoleOverlay(&'a str),
}

fn reach(layer: &Layer) -> Reach<'_> {
    match layer.kind {
        LayerKind::Role => Reach::Role(&layer.folder),
        LayerKind::RoleOverlay => Reach::RoleOverlay(layer.name.as_deref().unwrap_or_default()),
        _ => Reach::All,
    }
}
