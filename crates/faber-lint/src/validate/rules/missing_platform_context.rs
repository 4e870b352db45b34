use std::collections::BTreeSet;

use camino::Utf8Path;

use crate::validate::check::LintContext;
use faber_core::category::Category;
use faber_core::diagnostic::Diagnostic;
use faber_core::document::Layer;
use faber_core::layer::LayerKind;
use faber_core::parse::fields::ContextStatus;
use faber_core::rules::missing_platform_context::RULE;

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
        for platform in role.agent.iter().flat_map(|agent| &agent.platforms) {
            let own = lineage.roles.iter().map(|role| Reach::Role(&role.root));
            let mut reaches = own.chain([Reach::All, Reach::RoleOverlay(&role.name)]);
            if reaches.any(|reach| described.contains(&(platform.value.as_str(), reach))) {
                continue;
            }
            let message = format!(
                "no context describes the platform `{}` of `{}`",
                platform.value, role.name
            );
            found.push(RULE.at(platform.span, message).help(format!(
                "add `{}/contexts/platforms/platform-{}.md`, or remove the platform",
                role.root, platform.value
            )));
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Reach<'a> {
    All,
    /// A role's folder; includes roles that extend it.
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
